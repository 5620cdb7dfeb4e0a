import * as v from "valibot"
import type { Finder } from "../app/definitions.ts"
import { listOf } from "../platform/lists.ts"
import { platformCall } from "../platform/platform.ts"
import { currentLanguage } from "../preferences/preferences.ts"
import { words as addressWords } from "./addressWords.ts"
import { FloatingIp } from "./floatingIp.ts"
import { nameOf, Network } from "./network.ts"
import { words as networkWords } from "./networkWords.ts"

const networks = listOf("networks", Network)
const floatingIps = listOf("floatingips", FloatingIp)

/** The network service filters by whole values: parts are looked for here, in lists that are short. */
export const find: Finder = async (text, signal) => {
  const [allNetworks, allAddresses] = await Promise.all([
    platformCall("GET", "network/networks", { signal }),
    platformCall("GET", "network/floatingips", { signal })
  ])
  const language = currentLanguage()
  const wanted = text.toLowerCase()
  return [
    ...v
      .parse(networks, allNetworks)
      .filter((_) => _.name.toLowerCase().includes(wanted))
      .map((_) => ({
        title: nameOf(_),
        kind: networkWords[language].network,
        href: `/network/networks/${_.id}`
      })),
    ...v
      .parse(floatingIps, allAddresses)
      .filter((_) => _.floating_ip_address.includes(wanted))
      .map(({ floating_ip_address }) => ({
        title: floating_ip_address,
        kind: addressWords[language].floatingIp,
        href: `/network/floating-ips?address=${encodeURIComponent(floating_ip_address)}`
      }))
  ]
}
