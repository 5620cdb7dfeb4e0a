import { wholeOf } from "../../api/useWhole.ts"
import type { Finder } from "../../app/definitions.ts"
import { currentLanguage } from "../../preferences/preferences.ts"
import { operator } from "../portico.ts"
import { words } from "./words.ts"

const find: Finder = async (text) => {
  const signups = await wholeOf(operator.signups.list, { limit: 200 })
  return signups
    .filter(({ email, org_name }) => `${org_name} ${email}`.toLowerCase().includes(text.toLowerCase()))
    .map(({ org_name, signup_id }) => ({
      title: org_name,
      kind: words[currentLanguage()].signup,
      href: `/signups/${signup_id}`
    }))
}

export default find
