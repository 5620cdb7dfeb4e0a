import { Plus, Signpost } from "lucide-react"
import { Link } from "wouter"
import type { CallOptions } from "@portico/client"
import { portico } from "../api/portico.ts"
import { usePages } from "../api/useAnswer.ts"
import { useMe } from "../app/me.ts"
import { Page } from "../app/Page.tsx"
import { Answered } from "../ui/Answered.tsx"
import { State } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { FilterBar, TextField } from "../ui/form.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { given, useFilter } from "../ui/useFilter.ts"
import { useWords } from "../words/words.ts"
import { CreateZoneDialog } from "./CreateZoneDialog.tsx"
import type { Zone } from "./recordset.ts"
import { words } from "./words.ts"

interface Wanted {
  readonly name?: string | undefined
  readonly cursor?: string | undefined
}

/** Its input may be left out altogether, which hides its fields from the type of pages. */
const readZones = Object.assign((wanted: Wanted, options?: CallOptions) => portico.dns.zones(wanted, options), {
  operation: portico.dns.zones.operation
})

const useColumns = (): ReadonlyArray<Column<Zone>> => {
  const t = useWords(words)
  return [
    { title: t.name, cell: ({ name, zone_id }) => <Link href={`/dns/zones/${zone_id}`}>{name}</Link> },
    { title: t.status, cell: (_) => <State state={_.action === "DELETE" ? "DELETING" : _.status} /> },
    { title: t.ttl, end: true, cell: (_) => _.ttl },
    { title: t.email, cell: (_) => _.email },
    { title: t.updated, cell: (_) => <Time at={_.updated_at ?? _.created_at} /> }
  ]
}

const ZonesPage = () => {
  const t = useWords(words)
  const me = useMe()
  const create = useDialog("create-zone")
  const [name, setName] = useFilter("name")
  const answer = usePages(readZones, { name: given(name) })
  const columns = useColumns()
  const button =
    me.tier < 1 ? null : (
      <Button kind="primary" icon={Plus} onClick={() => create.show()}>
        {t.create}
      </Button>
    )
  return (
    <Page title={t.title} about={t.about} actions={button}>
      <FilterBar>
        <TextField label={t.search} value={name} onChange={setName} type="search" />
      </FilterBar>
      <Answered answer={answer}>
        {(pages) => (
          <Table
            label={t.title}
            columns={columns}
            rows={pages.flatMap((_) => _.zones)}
            keyOf={(_) => _.zone_id}
            hasMore={answer.hasMore}
            more={answer.more}
            loadingMore={answer.loadingMore}
            empty={
              <EmptyState icon={Signpost} title={t.none} action={button}>
                {t.noneText}
              </EmptyState>
            }
          />
        )}
      </Answered>
      <CreateZoneDialog />
    </Page>
  )
}

export default ZonesPage
