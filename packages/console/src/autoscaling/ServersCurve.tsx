import { useState } from "react"
import * as v from "valibot"
import { portico } from "../api/portico.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { Answered } from "../ui/Answered.tsx"
import { Chart } from "../ui/Chart.tsx"
import { Card, Muted } from "../ui/layout.tsx"
import { useFormats } from "../words/formats.ts"
import { useWords } from "../words/words.ts"
import { type Group, Scaled } from "./group.ts"
import { words } from "./words.ts"

/** How many servers were wanted, by the group's events. */
export const ServersCurve = ({ group: { desired, group_id } }: { readonly group: Group }) => {
  const t = useWords(words)
  const { number } = useFormats()
  const [now] = useState(() => new Date().getTime() / 1000)
  const answer = useAnswer(
    portico.events.list,
    { topic: ["asg.lifecycle"], order: "desc", limit: 200 },
    { everyMillis: 15_000 }
  )
  return (
    <Card title={t.curve}>
      <Answered answer={answer}>
        {({ events }) => {
          const points = events.toReversed().flatMap(({ at, data, key }) => {
            const scaled = v.safeParse(Scaled, data)
            return key === group_id && scaled.success
              ? [{ at: new Date(at).getTime() / 1000, desired: scaled.output.desired }]
              : []
          })
          const last = points.at(-1)
          if (last === undefined) return <Muted>{t.noCurve}</Muted>
          return (
            <Chart
              summary={t.summary(number(desired))}
              times={[...points.map((_) => _.at), Math.max(now, last.at + 1)]}
              series={[{ label: t.desired, values: [...points.map((_) => _.desired), desired], style: "steps" }]}
              format={number}
            />
          )
        }}
      </Answered>
    </Card>
  )
}
