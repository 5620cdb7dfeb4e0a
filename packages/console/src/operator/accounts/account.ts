import { wholeOf } from "../../api/useWhole.ts"
import type { Finder } from "../../app/definitions.ts"
import { currentLanguage } from "../../preferences/preferences.ts"
import { operator } from "../portico.ts"
import { words } from "../words.ts"

export type Account = Awaited<ReturnType<typeof operator.accounts.list>>["accounts"][number]

/** Whether an account has the text in its name, or as its number. */
export const isMeant = ({ name, number }: Account, text: string): boolean =>
  String(number) === text.trim() || name.toLowerCase().includes(text.toLowerCase())

export const find: Finder = async (text) => {
  const accounts = await wholeOf(operator.accounts.list, { limit: 200 })
  return accounts
    .filter((_) => isMeant(_, text))
    .map(({ name, number }) => ({ title: name, kind: words[currentLanguage()].account, href: `/accounts?q=${number}` }))
}
