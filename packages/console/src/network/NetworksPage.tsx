import { Network as NetworkIcon, Plus } from "lucide-react"
import { Link } from "wouter"
import { Page } from "../app/Page.tsx"
import { useMay } from "../platform/may.ts"
import { usePlatformPages } from "../platform/usePlatformPages.ts"
import { Answered } from "../ui/Answered.tsx"
import { State } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { FilterBar, TextField } from "../ui/form.tsx"
import { Mono } from "../ui/layout.tsx"
import { type Column, serverSorts, Table } from "../ui/Table.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useFilter } from "../ui/useFilter.ts"
import { listOf } from "../platform/lists.ts"
import { usePlatform } from "../platform/usePlatform.ts"
import { useWords } from "../words/words.ts"
import { CreateNetworkDialog } from "./CreateNetworkDialog.tsx"
import { nameOf, Network, Subnet } from "./network.ts"
import { words } from "./networkWords.ts"

const subnets = listOf("subnets", Subnet)

const useColumns = (): ReadonlyArray<Column<Network>> => {
  const t = useWords(words)
  const known = usePlatform(subnets, "network/subnets").data ?? []
  const rangesOf = (id: string) => known.filter((_) => _.network_id === id).map((_) => _.cidr)
  return [
    {
      title: t.name,
      cell: (network) => <Link href={`/network/networks/${network.id}`}>{nameOf(network)}</Link>,
      serverSort: "name"
    },
    { title: t.state, cell: (_) => <State state={_.status} />, serverSort: "status" },
    { title: t.kind, cell: (_) => (_["router:external"] ? t.external : _.shared ? t.shared : t.own) },
    { title: t.subnets, cell: ({ id }) => <Mono>{rangesOf(id).join(", ")}</Mono> }
  ]
}

const NetworksPage = () => {
  const t = useWords(words)
  const may = useMay()
  const create = useDialog("create")
  const [name, setName] = useFilter("name")
  const columns = useColumns()
  const answer = usePlatformPages({
    path: "network/networks",
    key: "networks",
    item: Network,
    query: { name },
    sorts: serverSorts(columns)
  })
  const createButton = may.change ? (
    <Button kind="primary" icon={Plus} onClick={() => create.show()}>
      {t.create}
    </Button>
  ) : null
  return (
    <Page title={t.networks} about={t.about} actions={createButton}>
      <FilterBar>
        <TextField label={t.nameFilter} value={name} onChange={setName} type="search" />
      </FilterBar>
      <Answered answer={answer}>
        {(networks) => (
          <Table
            label={t.networks}
            columns={columns}
            rows={networks}
            keyOf={(_) => _.id}
            hasMore={answer.hasMore}
            more={answer.more}
            loadingMore={answer.loadingMore}
            empty={
              <EmptyState
                icon={NetworkIcon}
                title={name === "" ? t.none : t.nothingFits}
                action={name === "" ? createButton : null}
              >
                {name === "" ? t.noneText : t.noneFits}
              </EmptyState>
            }
          />
        )}
      </Answered>
      <CreateNetworkDialog />
    </Page>
  )
}

export default NetworksPage
