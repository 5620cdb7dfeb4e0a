import { wholeOf } from "../../api/useWhole.ts"
import type { Finder } from "../../app/definitions.ts"
import { currentLanguage } from "../../preferences/preferences.ts"
import { operator } from "../portico.ts"
import { words } from "./words.ts"

const find: Finder = async (text) => {
  const tenants = await wholeOf(operator.tenants.list, { limit: 200 })
  return tenants
    .filter(({ name, project_id, slug }) => `${name} ${slug} ${project_id}`.toLowerCase().includes(text.toLowerCase()))
    .map(({ name, project_id }) => ({
      title: name,
      kind: words[currentLanguage()].tenant,
      href: `/tenants/${project_id}`
    }))
}

export default find
