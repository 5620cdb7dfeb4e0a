import { portico } from "../api/portico.ts"
import type { Finder } from "../app/definitions.ts"
import { currentLanguage } from "../preferences/preferences.ts"
import { words } from "./words.ts"

export const find: Finder = async (text, signal) => {
  const { zones } = await portico.dns.zones({}, { signal })
  return zones
    .filter(({ name }) => name.includes(text.toLowerCase()))
    .map(({ name, zone_id }) => ({
      title: name,
      kind: words[currentLanguage()].zone,
      href: `/dns/zones/${zone_id}`
    }))
}
