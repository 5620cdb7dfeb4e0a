import type { Finder } from "../app/definitions.ts"
import { currentLanguage } from "../preferences/preferences.ts"
import { words } from "./words.ts"

const find: Finder = async (text) => {
  const { operations } = await import("virtual:operations")
  const wanted = text.toLowerCase()
  return operations
    .filter(({ id, summary }) => `${id} ${summary}`.toLowerCase().includes(wanted))
    .slice(0, 8)
    .map(({ id, summary }) => ({
      title: `${id}: ${summary}`,
      kind: words[currentLanguage()].operation,
      href: `/operations/${id}`
    }))
}

export default find
