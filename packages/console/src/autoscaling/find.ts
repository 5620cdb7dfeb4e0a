import { portico } from "../api/portico.ts"
import type { Finder } from "../app/definitions.ts"
import { currentLanguage } from "../preferences/preferences.ts"
import { words } from "./words.ts"

const find: Finder = async (text, signal) => {
  const { groups } = await portico.autoscaling.list({}, { signal })
  return groups
    .filter(({ name }) => name.includes(text.toLowerCase()))
    .map(({ group_id, name }) => ({
      title: name,
      kind: words[currentLanguage()].group,
      href: `/autoscaling/${group_id}`
    }))
}

export default find
