import type { Shape } from "@portico/client/catalogue/Catalogue"
import { SearchX } from "lucide-react"
import { Link } from "wouter"
import { Page } from "../app/Page.tsx"
import { groupOf } from "../api/queries.ts"
import { EmptyState } from "../ui/EmptyState.tsx"
import { FilterBar, SelectField, TextField } from "../ui/form.tsx"
import { Mono, Muted } from "../ui/layout.tsx"
import { Loading } from "../ui/Loading.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { useFilter } from "../ui/useFilter.ts"
import { useWords } from "../words/words.ts"
import { Marks, useOperations } from "./catalogue.tsx"
import { words } from "./words.ts"

const useColumns = (): ReadonlyArray<Column<Shape>> => {
  const t = useWords(words)
  return [
    {
      title: t.operation,
      sort: (_) => _.id,
      cell: ({ id, method, path }) => (
        <>
          <Link href={`/operations/${id}`}>{id}</Link>
          <br />
          <Muted>
            <Mono>
              {method} {path}
            </Mono>
          </Muted>
        </>
      )
    },
    { title: t.summary, cell: (_) => _.summary },
    { title: t.marks, cell: (_) => <Marks shape={_} /> }
  ]
}

const OperationsPage = () => {
  const t = useWords(words)
  const [wanted, setWanted] = useFilter("q")
  const [group, setGroup] = useFilter("group")
  const operations = useOperations()
  const columns = useColumns()
  const groups = [...new Set((operations ?? []).map((_) => groupOf(_.id)))]
  const fits = ({ id, method, path, summary }: Shape) =>
    (group === "" || groupOf(id) === group) &&
    `${id} ${method} ${path} ${summary}`.toLowerCase().includes(wanted.toLowerCase())
  return (
    <Page title={t.title} about={t.about}>
      <FilterBar>
        <TextField label={t.search} value={wanted} onChange={setWanted} type="search" />
        <SelectField
          label={t.group}
          value={group}
          onChange={setGroup}
          choices={[{ value: "", label: t.allGroups }, ...groups.map((_) => ({ value: _, label: _ }))]}
        />
      </FilterBar>
      {operations === undefined ? (
        <Loading />
      ) : (
        <Table
          label={t.title}
          columns={columns}
          rows={operations.filter(fits)}
          keyOf={(_) => _.id}
          empty={
            <EmptyState icon={SearchX} title={t.none}>
              {t.noneText}
            </EmptyState>
          }
        />
      )}
    </Page>
  )
}

export default OperationsPage
