import { portico } from "../api/portico.ts"
import { currentLanguage } from "../preferences/preferences.ts"
import type { Finder } from "../app/definitions.ts"
import { pathOf } from "./project.ts"
import { words } from "./words.ts"

const find: Finder = async (text, signal) => {
  const { projects } = await portico.projects.list({}, { signal })
  return projects
    .filter((_) => `${_.name} ${_.project_name} ${_.project_id}`.toLowerCase().includes(text.toLowerCase()))
    .map((_) => ({
      title: _.name === "" ? _.project_name : _.name,
      kind: words[currentLanguage()].project,
      href: pathOf(_.project_id)
    }))
}

export default find
