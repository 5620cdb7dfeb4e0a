import { wholeOf } from "../../api/useWhole.ts"
import type { Finder } from "../../app/definitions.ts"
import { currentLanguage } from "../../preferences/preferences.ts"
import { operator } from "../portico.ts"
import { words } from "../words.ts"

export const find: Finder = async (text) => {
  const onboardings = await wholeOf(operator.journal.list, { limit: 200 })
  return onboardings
    .filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
    .map(({ name }) => ({
      title: name,
      kind: words[currentLanguage()].onboarding,
      href: `/onboardings?q=${encodeURIComponent(name)}`
    }))
}
