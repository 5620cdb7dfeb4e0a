import { useAnswer } from "../../api/useAnswer.ts"
import { Badge } from "../../ui/Badge.tsx"
import { Grid } from "../../ui/layout.tsx"
import { useFormats } from "../../words/formats.ts"
import { useWords } from "../../words/words.ts"
import { operator } from "../portico.ts"
import { Count } from "./Counts.tsx"
import { words } from "./words.ts"

const often = { everyMillis: 10_000 }

/** What somebody has to do something about. */
export const Waiting = () => {
  const t = useWords(words)
  const { number } = useFormats()
  const signups = useAnswer(operator.signups.list, { state: "pending", limit: 1 }, often)
  const stuck = useAnswer(operator.journal.list, { state: "stuck", limit: 1 }, often)
  const status = useAnswer(operator.status.show, {}, often)
  const upstreams = useAnswer(operator.monitoring.upstreams, {}, often)
  const inTrouble = upstreams.data?.upstreams.filter(({ state }) => state !== null && !fine.has(state)) ?? []
  const shown = (count: number | undefined, tone: "warn" | "bad") => {
    if (count === undefined) return "–"
    return count === 0 ? <Badge tone="good">{t.allWell}</Badge> : <Badge tone={tone}>{number(count)}</Badge>
  }
  return (
    <Grid cards="narrow">
      <Count title={t.waiting} href="/signups?state=pending" count={shown(signups.data?.count, "warn")} />
      <Count title={t.stuck} href="/onboardings?state=stuck" count={shown(stuck.data?.count, "bad")} />
      <Count title={t.incidents} href="/incidents" count={shown(status.data?.incidents.length, "bad")} />
      <Count
        title={t.trouble}
        href="/upstreams"
        count={shown(upstreams.data === undefined ? undefined : inTrouble.length, "bad")}
        about={inTrouble.map((_) => _.upstream).join(", ")}
      />
    </Grid>
  )
}

const fine: ReadonlySet<string> = new Set(["ok", "not configured", "unknown"])
