import { Badge, type Tone } from "../../ui/Badge.tsx"
import { Muted, Row } from "../../ui/layout.tsx"
import { type Column, Table } from "../../ui/Table.tsx"
import { useFormats } from "../../words/formats.ts"
import { useWords } from "../../words/words.ts"
import { OperatorState } from "../common/OperatorState.tsx"
import { words as common } from "../common/words.ts"
import type { Drift } from "./tenant.tsx"
import { words } from "./words.ts"

type DriftRow = Drift["dimensions"][number]

const tones: Readonly<Record<DriftRow["state"], Tone>> = {
  equal: "good",
  drifted: "bad",
  held: "neutral",
  absent: "bad",
  unreadable: "warn"
}

/** Whether a tenant has what it should have. */
export const DriftBadge = ({ drift: { complete, drifted } }: { readonly drift: Drift }) => {
  const t = useWords(words)
  return (
    <Row>
      <Badge tone={drifted ? "bad" : "good"}>{drifted ? t.drifted : t.inSync}</Badge>
      {complete ? null : <Badge tone="warn">{t.incomplete}</Badge>}
    </Row>
  )
}

/** The quotas that differ, or all. */
export const DriftTable = ({ all, drift }: { readonly drift: Drift; readonly all: boolean }) => {
  const t = useWords(words)
  const c = useWords(common)
  const { number } = useFormats()
  const columns: ReadonlyArray<Column<DriftRow>> = [
    { title: t.service, cell: (_) => _.service },
    { title: t.quota, cell: (_) => _.dimension },
    { title: t.wanted, end: true, cell: (_) => number(_.wanted) },
    { title: t.actual, end: true, cell: (_) => (_.actual === null ? "–" : number(_.actual)) },
    {
      title: c.state,
      cell: ({ message, state }) => (
        <>
          <OperatorState state={state} tone={tones[state]} /> {message === null ? null : <Muted small>{message}</Muted>}
        </>
      )
    }
  ]
  const { tag } = drift
  return (
    <>
      {all || tag.state !== "equal" ? (
        <p>
          {t.tags}: {tag.tiers.join(", ")} {tag.suspended ? t.suspended : ""}{" "}
          <OperatorState state={tag.state} tone={tones[tag.state]} /> {tag.message}
        </p>
      ) : null}
      <Table
        label={t.drift}
        columns={columns}
        rows={all ? drift.dimensions : drift.dimensions.filter((_) => _.state !== "equal")}
        keyOf={(_) => `${_.service} ${_.dimension}`}
        empty={null}
      />
    </>
  )
}
