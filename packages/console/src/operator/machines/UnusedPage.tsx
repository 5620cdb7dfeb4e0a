import { KeySquare } from "lucide-react"
import { Link } from "wouter"
import { ActDialog } from "../../api/ActDialog.tsx"
import { usePages } from "../../api/useAnswer.ts"
import { Page } from "../../app/Page.tsx"
import { Answered } from "../../ui/Answered.tsx"
import { Button, ButtonLink } from "../../ui/Button.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { FilterBar, SelectField, TextField } from "../../ui/form.tsx"
import { Mono, Muted } from "../../ui/layout.tsx"
import { type Column, Table } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { useDialog } from "../../ui/useDialog.ts"
import { useFilter } from "../../ui/useFilter.ts"
import { useWords } from "../../words/words.ts"
import { OperatorState } from "../common/OperatorState.tsx"
import { words as common } from "../common/words.ts"
import { operator } from "../portico.ts"
import { words } from "../words.ts"

type Credential = Awaited<ReturnType<typeof operator.credentials.list>>["credentials"][number]

const kinds: ReadonlyArray<Credential["kind"]> = ["api-key", "mcp"]

const useColumns = (): ReadonlyArray<Column<Credential>> => {
  const t = useWords(words)
  const c = useWords(common)
  const revoke = useDialog("revoke")
  return [
    {
      title: t.label,
      cell: ({ credential_id, label }) => (
        <>
          {label}
          <br />
          <Muted small>
            <Mono>{credential_id}</Mono>
          </Muted>
        </>
      )
    },
    { title: t.tenant, cell: (_) => <Link href={`/tenants/${_.project_id}`}>{_.tenant?.name ?? _.project_id}</Link> },
    { title: t.kind, cell: (_) => _.kind },
    { title: t.tier, cell: (_) => _.tier },
    { title: c.state, cell: (_) => <OperatorState state={_.state} /> },
    { title: t.created, cell: (_) => <Time at={_.created_at} /> },
    { title: t.lastUsed, cell: (_) => <Time at={_.last_used_at} /> },
    {
      title: "",
      end: true,
      cell: ({ credential_id, label }) => (
        <Button kind="danger" aria-label={t.revokeTitle(label)} onClick={() => revoke.show(credential_id)}>
          {t.revoke}
        </Button>
      )
    }
  ]
}

const UnusedPage = () => {
  const t = useWords(words)
  const c = useWords(common)
  const revoke = useDialog("revoke")
  const [days, setDays] = useFilter("days")
  const [chosen, setKind] = useFilter("kind")
  const kind = kinds.find((_) => _ === chosen)
  const answer = usePages(operator.credentials.list, { unused_days: days === "" ? 90 : Number(days), kind })
  const columns = useColumns()
  const all = (answer.data ?? []).flatMap((_) => _.credentials)
  const revoked = all.find((_) => _.credential_id === revoke.of)
  return (
    <Page title={t.unused} about={t.unusedAbout}>
      <FilterBar>
        <TextField
          label={t.days}
          inputMode="numeric"
          placeholder="90"
          value={days}
          onChange={setDays}
          error={answer.refusal?.fields["unused_days"]}
        />
        <SelectField
          label={t.kind}
          value={chosen}
          onChange={setKind}
          choices={[{ value: "", label: c.all }, ...kinds.map((value) => ({ value, label: value }))]}
        />
      </FilterBar>
      <Answered answer={answer}>
        {(pages) => (
          <Table
            label={t.unused}
            columns={columns}
            rows={all}
            keyOf={(_) => _.credential_id}
            count={pages[0]?.count}
            hasMore={answer.hasMore}
            more={answer.more}
            loadingMore={answer.loadingMore}
            empty={
              <EmptyState
                icon={KeySquare}
                title={t.noUnused}
                action={<ButtonLink href="/unused-keys?days=7">{t.noUnusedAct}</ButtonLink>}
              >
                {t.noUnusedText}
              </EmptyState>
            }
          />
        )}
      </Answered>
      <ActDialog
        dialog="revoke"
        write={operator.credentials.revoke}
        input={{ credential_id: revoke.of }}
        title={t.revokeTitle(revoked?.label ?? "")}
        verb={t.revoke}
        done={t.revoked}
        name={revoked?.label}
        enabled={revoked !== undefined}
      >
        {t.revokeText}
      </ActDialog>
    </Page>
  )
}

export default UnusedPage
