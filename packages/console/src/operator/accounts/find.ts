import { wholeOf } from "../../api/useWhole.ts"
import type { Finder } from "../../app/definitions.ts"
import { currentLanguage } from "../../preferences/preferences.ts"
import { operator } from "../portico.ts"
import { isMeant } from "./isMeant.ts"
import { words } from "../words.ts"

const find: Finder = async (text) => {
  const accounts = await wholeOf(operator.accounts.list, { limit: 200 })
  return accounts
    .filter((_) => isMeant(_, text))
    .map(({ name, number }) => ({ title: name, kind: words[currentLanguage()].account, href: `/accounts?q=${number}` }))
}

export default find
