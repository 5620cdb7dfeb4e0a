import { Badge } from "../ui/Badge.tsx"
import { Card, Muted } from "../ui/layout.tsx"
import { Meter } from "../ui/Meter.tsx"
import { Table } from "../ui/Table.tsx"
import { useFormats } from "../words/formats.ts"
import { useWords } from "../words/words.ts"
import type { Deletion } from "./project.tsx"
import { words } from "./words.ts"

const tones = { purging: "busy", finishing: "busy", restoring: "busy", refused: "bad", cancelled: "neutral" } as const
const stepTones = { waiting: "neutral", running: "busy", done: "good" } as const

/** How far the deletion of a project is, or how the last one ended. */
export const DeletionCard = ({ deletion }: { readonly deletion: Deletion }) => {
  const t = useWords(words)
  const { number } = useFormats()
  const { done, last_failure, left, refusal, state, steps } = deletion
  return (
    <Card title={t.deletion} actions={<Badge tone={tones[state]}>{t[state]}</Badge>}>
      <Meter label={t.deletion} used={done} limit={done + left} text={t.progress(number(done), number(done + left))} />
      {refusal === null ? null : <p role="alert">{t.refusal(refusal.step, refusal.message)}</p>}
      {last_failure === null ? null : <p>{t.lastFailure(last_failure)}</p>}
      {state === "purging" ? <Muted small>{t.canCancel}</Muted> : null}
      <Table
        label={t.step}
        rows={steps}
        keyOf={(_) => _.step}
        empty={null}
        columns={[
          { title: t.step, cell: (_) => _.step },
          { title: t.state, cell: (_) => <Badge tone={stepTones[_.state]}>{t[_.state]}</Badge> },
          { title: t.removedCount, cell: (_) => number(_.done), end: true },
          { title: t.left, cell: (_) => (_.left === null ? "–" : number(_.left)), end: true }
        ]}
      />
    </Card>
  )
}
