import { portico } from "../api/portico.ts"
import type { Finder } from "../app/definitions.ts"
import { currentLanguage } from "../preferences/preferences.ts"
import { Badge } from "../ui/Badge.tsx"
import { Row } from "../ui/layout.tsx"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

export type Project = Awaited<ReturnType<typeof portico.projects.list>>["projects"][number]
export type ProjectDetail = Awaited<ReturnType<typeof portico.projects.show>>
export type Deletion = NonNullable<ProjectDetail["deletion"]>
export type Contents = Awaited<ReturnType<typeof portico.projects.contents>>
export type Account = Awaited<ReturnType<typeof portico.account.show>>

export const pathOf = (id: string): string => `/projects/${encodeURIComponent(id)}`

export const ProjectState = ({ state, suspended }: Pick<Project, "state" | "suspended">) => {
  const t = useWords(words)
  return (
    <Row>
      <Badge tone={state === "live" ? "good" : "busy"}>{t[state]}</Badge>
      {suspended ? <Badge tone="warn">{t.suspended}</Badge> : null}
    </Row>
  )
}

export const find: Finder = async (text, signal) => {
  const { projects } = await portico.projects.list({}, { signal })
  return projects
    .filter((_) => `${_.name} ${_.project_name} ${_.project_id}`.toLowerCase().includes(text.toLowerCase()))
    .map((_) => ({
      title: _.name === "" ? _.project_name : _.name,
      kind: words[currentLanguage()].project,
      href: pathOf(_.project_id)
    }))
}
