import { useParams } from "wouter"
import { portico } from "../api/portico.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { Answered } from "../ui/Answered.tsx"
import { Chart } from "../ui/Chart.tsx"
import { FilterBar, SelectField } from "../ui/form.tsx"
import { Card, Grid, Muted } from "../ui/layout.tsx"
import { useFilter } from "../ui/useFilter.ts"
import { useFormats } from "../words/formats.ts"
import { useNow } from "../words/useNow.ts"
import { useWords } from "../words/words.ts"
import { ServerFrame } from "./ServerFrame.tsx"
import { rateOf, type Span, spans, startOf, summaryOf } from "./span.ts"
import { words } from "./words.ts"

const metrics = ["cpu", "memory", "network_in", "network_out", "disk_read", "disk_write"] as const
type Metric = (typeof metrics)[number]

interface MetricCardProps {
  readonly id: string
  readonly metric: Metric
  readonly span: Span
}

const MetricCard = ({ id, metric, span }: MetricCardProps) => {
  const t = useWords(words)
  const formats = useFormats()
  const now = useNow()
  const { step } = spans[span]
  const answer = useAnswer(portico.metrics.history, { id, metric, from: startOf(span, now), step })
  return (
    <Card title={t[metric]}>
      <Answered answer={answer}>
        {({ points, unit }) => {
          const format = (value: number) =>
            unit === "percent" ? `${formats.number(value)} %` : rateOf(value, formats.number)
          const measured = summaryOf(points.map((_) => _.value))
          if (measured === undefined) return <Muted>{t.unmeasured}</Muted>
          const { last, least, most } = measured
          return (
            <Chart
              summary={t.summary(t[metric], format(least), format(most), format(last))}
              times={points.map((_) => Math.round(new Date(_.at).getTime() / 1000))}
              series={[{ label: t[metric], values: points.map((_) => _.value) }]}
              format={format}
              height={190}
            />
          )
        }}
      </Answered>
    </Card>
  )
}

const ServerMetricsPage = () => {
  const t = useWords(words)
  const { server_id: id = "" } = useParams()
  const [wanted, setWanted] = useFilter("span")
  const span: Span = wanted === "sixHours" || wanted === "day" || wanted === "week" ? wanted : "hour"
  return (
    <ServerFrame>
      {() => (
        <>
          <FilterBar>
            <SelectField<Span>
              label={t.span}
              value={span}
              onChange={setWanted}
              choices={(["hour", "sixHours", "day", "week"] as const).map((value) => ({ value, label: t[value] }))}
            />
          </FilterBar>
          <Grid cards="wide">
            {metrics.map((metric) => (
              <MetricCard key={metric} id={id} metric={metric} span={span} />
            ))}
          </Grid>
        </>
      )}
    </ServerFrame>
  )
}

export default ServerMetricsPage
