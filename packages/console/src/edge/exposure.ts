import { portico } from "../api/portico.ts"
import type { Finder } from "../app/definitions.ts"
import { currentLanguage } from "../preferences/preferences.ts"
import { words } from "./words.ts"

export type Exposure = Awaited<ReturnType<typeof portico.edge.show>>

/** Where the requests go, as one reads it. */
export const targetOf = ({ target: { address, port, service } }: Exposure): string =>
  `${service ?? (address?.includes(":") === true ? `[${address}]` : (address ?? ""))}:${port}`

export const find: Finder = async (text, signal) => {
  const { exposures } = await portico.edge.list({}, { signal })
  const wanted = text.toLowerCase()
  return exposures
    .filter(({ domain, hostname, name }) => `${name} ${hostname} ${domain?.name ?? ""}`.toLowerCase().includes(wanted))
    .map(({ exposure_id, name }) => ({
      title: name,
      kind: words[currentLanguage()].exposure,
      href: `/edge/exposures/${exposure_id}`
    }))
}
