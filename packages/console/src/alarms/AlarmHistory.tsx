import * as v from "valibot"
import { portico } from "../api/portico.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { Answered } from "../ui/Answered.tsx"
import { State } from "../ui/Badge.tsx"
import { Card, Muted } from "../ui/layout.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

const Change = v.object({ previous: v.string(), current: v.string(), reason: v.string() })

interface Changed extends v.InferOutput<typeof Change> {
  readonly id: string
  readonly at: string
}

/** When the alarm changed its state, newest first. */
export const AlarmHistory = ({ alarmId }: { readonly alarmId: string }) => {
  const t = useWords(words)
  const answer = useAnswer(
    portico.events.list,
    { topic: ["alarms"], order: "desc", limit: 200 },
    { everyMillis: 30_000 }
  )
  const columns: ReadonlyArray<Column<Changed>> = [
    { title: t.since, cell: (_) => <Time at={_.at} as="moment" /> },
    {
      title: t.state,
      cell: ({ current, previous }) => (
        <>
          <State state={previous} /> → <State state={current} />
        </>
      )
    },
    { title: t.reason, cell: (_) => _.reason }
  ]
  return (
    <Card title={t.history}>
      <Answered answer={answer}>
        {({ events }) => (
          <Table
            label={t.history}
            columns={columns}
            rows={events.flatMap(({ at, data, id, key }) => {
              const change = v.safeParse(Change, data)
              return key === alarmId && change.success ? [{ id, at, ...change.output }] : []
            })}
            keyOf={(_) => _.id}
            empty={<Muted>{t.noHistory}</Muted>}
          />
        )}
      </Answered>
    </Card>
  )
}
