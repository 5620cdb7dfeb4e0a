import { portico } from "../api/portico.ts"
import { currentLanguage } from "../preferences/preferences.ts"
import type { Finder } from "../app/definitions.ts"
import { pathOf } from "./database.ts"
import { words } from "./words.ts"

const find: Finder = async (text, signal) => {
  const { databases } = await portico.databases.list({}, { signal })
  return databases
    .filter(({ name }) => name.includes(text.toLowerCase()))
    .map((database) => ({
      title: database.name,
      kind: words[currentLanguage()].database,
      href: pathOf(database)
    }))
}

export default find
