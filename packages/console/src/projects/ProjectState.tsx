import { Badge } from "../ui/Badge.tsx"
import { Row } from "../ui/layout.tsx"
import { useWords } from "../words/words.ts"
import type { Project } from "./project.ts"
import { words } from "./words.ts"

export const ProjectState = ({ state, suspended }: Pick<Project, "state" | "suspended">) => {
  const t = useWords(words)
  return (
    <Row>
      <Badge tone={state === "live" ? "good" : "busy"}>{t[state]}</Badge>
      {suspended ? <Badge tone="warn">{t.suspended}</Badge> : null}
    </Row>
  )
}
