import { Card, Facts } from "../../ui/layout.tsx"
import { type Column, Table } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { useFormats } from "../../words/formats.ts"
import { useWords } from "../../words/words.ts"
import { OperatorState } from "../common/OperatorState.tsx"
import { words as common } from "../common/words.ts"
import type { Project } from "./tenant.tsx"
import { words } from "./words.ts"

type Deletion = NonNullable<Project["deletion"]>

/** How far the deletion of a project is. */
export const DeletionCard = ({ deletion }: { readonly deletion: Deletion }) => {
  const t = useWords(words)
  const c = useWords(common)
  const { number } = useFormats()
  const { last_failure, refusal, started_at, state, steps } = deletion
  const columns: ReadonlyArray<Column<Deletion["steps"][number]>> = [
    { title: t.deletionStep, cell: (_) => _.step },
    { title: c.state, cell: (_) => <OperatorState state={_.state} /> },
    { title: t.deletionDone, end: true, cell: (_) => number(_.done) },
    { title: t.deletionLeft, end: true, cell: (_) => (_.left === null ? "?" : number(_.left)) }
  ]
  return (
    <Card title={t.deletion}>
      <Facts
        facts={[
          { label: c.state, value: <OperatorState state={state} /> },
          { label: t.deletionStarted, value: <Time at={started_at} as="moment" /> },
          ...(last_failure === null ? [] : [{ label: t.deletionFailure, value: last_failure }]),
          ...(refusal === null ? [] : [{ label: t.deletionRefused, value: `${refusal.step}: ${refusal.message}` }])
        ]}
      />
      <Table label={t.deletion} columns={columns} rows={steps} keyOf={(_) => _.step} empty={null} />
    </Card>
  )
}
