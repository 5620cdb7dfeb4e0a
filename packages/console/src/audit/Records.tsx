import { ScrollText } from "lucide-react"
import { Link } from "wouter"
import { portico } from "../api/portico.ts"
import { usePages } from "../api/useAnswer.ts"
import { useEvery } from "../api/useEvery.ts"
import { useNames } from "../people/useNames.ts"
import { Answered } from "../ui/Answered.tsx"
import { Badge, type Tone } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { Mono, Muted } from "../ui/layout.tsx"
import { useStateName } from "../ui/states.ts"
import { type Column, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useSort } from "../ui/useSort.ts"
import { useWords } from "../words/words.ts"
import { RecordDialog } from "./RecordDialog.tsx"
import type { AuditFilters, AuditRecord } from "./record.ts"
import { words } from "./words.ts"

const toneOf = (status: number | null): Tone =>
  status === null ? "neutral" : status < 400 ? "good" : status < 500 ? "warn" : "bad"

/** A person by the address, and a credential by the link to it. */
const Caller = ({ name }: { readonly name: string }) => (
  <Muted small>{name.startsWith("cred-") ? <Link href={`/credentials/${name}`}>{name}</Link> : name}</Muted>
)

const useColumns = (): ReadonlyArray<Column<AuditRecord>> => {
  const t = useWords(words)
  const stateName = useStateName()
  const nameOf = useNames()
  const record = useDialog("record")
  return [
    { title: t.when, cell: (_) => <Time at={_.at} />, serverSort: "at" },
    {
      title: t.who,
      cell: ({ actor, user_id }) => (
        <>
          <Badge>{stateName(actor)}</Badge> <Caller name={user_id === null ? "" : nameOf(user_id)} />
        </>
      )
    },
    {
      title: t.call,
      cell: ({ method, route, tool }) => <Mono>{[tool, method, route].filter((_) => _ !== null).join(" ")}</Mono>
    },
    { title: t.status, cell: (_) => <Badge tone={toneOf(_.status)}>{_.status ?? t.noWait}</Badge> },
    { title: t.from, cell: (_) => <Muted small>{_.source ?? ""}</Muted> },
    {
      title: "",
      end: true,
      cell: (_) => (
        <Button kind="quiet" onClick={() => record.show(_.id)}>
          {t.details}
        </Button>
      )
    }
  ]
}

interface RecordsProps {
  readonly filters: AuditFilters
  readonly live?: boolean
}

/** Records of the audit, newest first unless the address says otherwise. No event tells of them: new ones are asked for. */
export const Records = ({ filters, live = false }: RecordsProps) => {
  const t = useWords(words)
  const { by, descending } = useSort()
  const order = by === "at" && !descending ? ("asc" as const) : ("desc" as const)
  const answer = usePages(portico.audit.list, { ...filters, order, limit: 50 })
  useEvery(live ? 5000 : undefined, answer.again)
  const columns = useColumns()
  return (
    <Answered answer={answer}>
      {(pages) => {
        const records = pages.flatMap((_) => _.records)
        return (
          <>
            <Table
              label={t.title}
              columns={columns}
              rows={records}
              keyOf={(_) => _.id}
              hasMore={answer.hasMore}
              more={answer.more}
              loadingMore={answer.loadingMore}
              empty={
                <EmptyState icon={ScrollText} title={t.none}>
                  {t.noneText}
                </EmptyState>
              }
            />
            <RecordDialog records={records} />
          </>
        )
      }}
    </Answered>
  )
}
