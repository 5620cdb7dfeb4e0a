import { portico } from "../api/portico.ts"
import type { Finder } from "../app/definitions.ts"
import { currentLanguage } from "../preferences/preferences.ts"
import { words } from "./words.ts"

const find: Finder = async (text, signal) => {
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

export default find
