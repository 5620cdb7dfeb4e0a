import { useState } from "react"
import { portico } from "../api/portico.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { Answered } from "../ui/Answered.tsx"
import { Chart } from "../ui/Chart.tsx"
import { Muted } from "../ui/layout.tsx"
import { useFormats } from "../words/formats.ts"
import { useWords } from "../words/words.ts"
import { isPercent, type Metric } from "./alarm.ts"
import { words } from "./words.ts"

interface MetricCurveProps {
  readonly metric: Metric
  /** Undefined for a group. */
  readonly serverId: string | undefined
  /** Undefined while it is being typed. */
  readonly threshold: number | undefined
}

const span = 3 * 60 * 60 * 1000

/** What was measured, and where the threshold lies in it. */
export const MetricCurve = ({ metric, serverId, threshold }: MetricCurveProps) => {
  const t = useWords(words)
  const { bytes, number } = useFormats()
  const [from] = useState(() => new Date(new Date().getTime() - span).toISOString())
  const input = { id: serverId ?? "", metric, from, step: 60 }
  const answer = useAnswer(portico.metrics.history, input, { enabled: serverId !== undefined, everyMillis: 60_000 })
  const shown = (value: number) => (isPercent(metric) ? `${number(value)} %` : `${bytes(value)}/s`)
  if (serverId === undefined) return <Muted small>{t.noCurve}</Muted>
  return (
    <Answered answer={answer}>
      {({ points }) => {
        const last = points.findLast((_) => _.value !== null)?.value ?? null
        return (
          <Chart
            summary={t.summary(
              t[metric],
              last === null ? "–" : shown(last),
              threshold === undefined ? "–" : shown(threshold)
            )}
            times={points.map((_) => new Date(_.at).getTime() / 1000)}
            series={[{ label: t[metric], values: points.map((_) => _.value) }]}
            threshold={threshold === undefined ? undefined : { label: t.threshold, value: threshold }}
            format={shown}
          />
        )
      }}
    </Answered>
  )
}

/** A threshold as it is typed. */
export const thresholdOf = (text: string): number | undefined =>
  text.trim() === "" || !Number.isFinite(Number(text)) ? undefined : Number(text)
