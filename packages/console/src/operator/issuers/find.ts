import { wholeOf } from "../../api/useWhole.ts"
import type { Finder } from "../../app/definitions.ts"
import { currentLanguage } from "../../preferences/preferences.ts"
import { operator } from "../portico.ts"
import { words } from "./words.ts"

const find: Finder = async (text) => {
  const issuers = await wholeOf(operator.workloadIssuers.list, { limit: 200 })
  return issuers
    .filter(({ issuer }) => issuer.toLowerCase().includes(text.toLowerCase()))
    .map(({ issuer, issuer_id }) => ({
      title: issuer,
      kind: words[currentLanguage()].title,
      href: `/workload-issuers?dialog=change&of=${encodeURIComponent(issuer_id)}`
    }))
}

export default find
