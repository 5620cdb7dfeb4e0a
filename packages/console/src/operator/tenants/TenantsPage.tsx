import { Building2, Plus } from "lucide-react"
import { Link } from "wouter"
import { usePages } from "../../api/useAnswer.ts"
import { Page } from "../../app/Page.tsx"
import { Answered } from "../../ui/Answered.tsx"
import { Badge } from "../../ui/Badge.tsx"
import { Button } from "../../ui/Button.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { FilterBar, SelectField, TextField } from "../../ui/form.tsx"
import { Card, Mono, Muted, Row } from "../../ui/layout.tsx"
import { type Column, Table } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { useDialog } from "../../ui/useDialog.ts"
import { useFilter } from "../../ui/useFilter.ts"
import { useWords } from "../../words/words.ts"
import { tierNames } from "../common/capacity.ts"
import { useWhole } from "../common/useWhole.ts"
import { words as common } from "../common/words.ts"
import { operator } from "../portico.ts"
import { CreateDialog } from "./CreateDialog.tsx"
import { type Tenant, TenantState } from "./tenant.tsx"
import { words } from "./words.ts"

const useTenantFilter = () => {
  const [wanted, setWanted] = useFilter("q")
  const [tier, setTier] = useFilter("tier")
  const [state, setState] = useFilter("state")
  const fits = (_: Tenant) =>
    `${_.name} ${_.slug} ${_.project_id}`.toLowerCase().includes(wanted.toLowerCase()) &&
    (tier === "" || _.tier === tier) &&
    (state === "" || _.suspended === (state === "suspended"))
  return { wanted, setWanted, tier, setTier, state, setState, fits, isOn: `${wanted}${tier}${state}` !== "" }
}

const Filters = ({ filter }: { readonly filter: ReturnType<typeof useTenantFilter> }) => {
  const t = useWords(words)
  const c = useWords(common)
  const any = { value: "", label: c.all }
  return (
    <FilterBar>
      <TextField label={t.search} value={filter.wanted} onChange={filter.setWanted} type="search" />
      <SelectField
        label={c.tier}
        value={filter.tier}
        onChange={filter.setTier}
        choices={[any, ...tierNames.map((value) => ({ value, label: value }))]}
      />
      <SelectField
        label={c.state}
        value={filter.state}
        onChange={filter.setState}
        choices={[any, { value: "active", label: t.active }, { value: "suspended", label: t.suspended }]}
      />
    </FilterBar>
  )
}

const useColumns = (): ReadonlyArray<Column<Tenant>> => {
  const t = useWords(words)
  const c = useWords(common)
  return [
    {
      title: c.name,
      cell: (_) => (
        <>
          <Link href={`/tenants/${_.project_id}`}>{_.name}</Link>
          <br />
          <Muted small>
            <Mono>{_.slug}</Mono>
          </Muted>
        </>
      )
    },
    { title: c.tier, cell: (_) => _.tier },
    { title: c.state, cell: (_) => <TenantState suspended={_.suspended} pendingTier={_.pending_tier} /> },
    { title: t.created, cell: (_) => <Time at={_.created_at} /> }
  ]
}

const TenantsPage = () => {
  const t = useWords(words)
  const create = useDialog("create")
  const filter = useTenantFilter()
  const answer = usePages(operator.tenants.list, {})
  const columns = useColumns()
  useWhole(answer, filter.isOn)
  const button = (
    <Button kind="primary" icon={Plus} onClick={() => create.show()}>
      {t.create}
    </Button>
  )
  return (
    <Page title={t.title} about={t.about} actions={button}>
      <Filters filter={filter} />
      <Answered answer={answer}>
        {(pages) => (
          <>
            {(pages[0]?.pending ?? []).length === 0 ? null : (
              <Card title={t.under}>
                <Row>
                  {pages[0]?.pending.map((_) => (
                    <Link key={_.attempt_id} href="/onboardings">
                      <Badge tone="busy">
                        {_.name} · {_.tier}
                      </Badge>
                    </Link>
                  ))}
                </Row>
              </Card>
            )}
            <Table
              label={t.title}
              columns={columns}
              rows={pages.flatMap((_) => _.tenants).filter(filter.fits)}
              keyOf={(_) => _.project_id}
              count={pages[0]?.count}
              hasMore={answer.hasMore}
              more={answer.more}
              loadingMore={answer.loadingMore}
              empty={
                <EmptyState icon={Building2} title={t.none} action={button}>
                  {t.noneText}
                </EmptyState>
              }
            />
          </>
        )}
      </Answered>
      <CreateDialog />
    </Page>
  )
}

export default TenantsPage
