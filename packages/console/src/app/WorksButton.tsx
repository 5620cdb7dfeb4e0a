import { ListChecks, LoaderCircle } from "lucide-react"
import { useLocation } from "wouter"
import { Badge, type Tone } from "../ui/Badge.tsx"
import { IconButton } from "../ui/Button.tsx"
import { Menu, MenuHeading, MenuItem } from "../ui/Menu.tsx"
import { clearWorks, useWorks, type Work } from "../works/works.ts"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

const tones: Readonly<Record<Work["state"], Tone>> = { running: "busy", done: "good", failed: "bad" }

/** Long work of this window: how far it is, and where it is looked at. */
export const WorksButton = () => {
  const t = useWords(words)
  const works = useWorks()
  const [, navigate] = useLocation()
  const running = works.filter((_) => _.state === "running").length
  const names = { running: t.workRunning, done: t.workDone, failed: t.workFailed }
  return (
    <Menu
      trigger={
        <IconButton
          icon={running > 0 ? LoaderCircle : ListChecks}
          label={`${t.works}${running > 0 ? `: ${running}` : ""}`}
        />
      }
    >
      {works.length === 0 ? <MenuHeading>{t.noWorks}</MenuHeading> : null}
      {works.map(({ href, id, progress, refusal, state, title }) => (
        <MenuItem key={id} onSelect={() => navigate(href)}>
          <Badge tone={tones[state]}>{names[state]}</Badge>
          <span>
            {title}
            {refusal === undefined ? (progress === "" ? "" : ` · ${progress}`) : ` · ${refusal.detail}`}
          </span>
        </MenuItem>
      ))}
      {works.length > running ? <MenuItem onSelect={clearWorks}>{t.clearWorks}</MenuItem> : null}
    </Menu>
  )
}
