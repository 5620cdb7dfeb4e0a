import { Plus, Server as ServerIcon } from "lucide-react"
import { lazy, Suspense } from "react"
import { Link } from "wouter"
import { Page } from "../app/Page.tsx"
import { useMay } from "../platform/may.ts"
import { usePlatformPages } from "../platform/usePlatformPages.ts"
import { Answered } from "../ui/Answered.tsx"
import { State } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { FilterBar, SelectField, TextField } from "../ui/form.tsx"
import { Muted } from "../ui/layout.tsx"
import { useStateName } from "../ui/states.ts"
import { type Column, serverSorts, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useFilter } from "../ui/useFilter.ts"
import { useWords } from "../words/words.ts"
import { Addresses } from "./Addresses.tsx"
import { DeleteServerDialog } from "./DeleteServerDialog.tsx"
import { useFlavors, useImages } from "./lookups.ts"
import { PowerDialogs } from "./PowerDialogs.tsx"
import { hrefOf, isMoving, Server } from "./server.ts"
import { ServerMenu } from "./ServerMenu.tsx"
import { words } from "./words.ts"

const CreateServerDialog = lazy(() => import("./create/CreateServerDialog.tsx"))

const states = ["", "ACTIVE", "BUILD", "SHUTOFF", "ERROR", "REBOOT", "PAUSED", "SUSPENDED"] as const

const useColumns = (): ReadonlyArray<Column<Server>> => {
  const t = useWords(words)
  const flavors = useFlavors().data
  const images = useImages().data
  return [
    { title: t.name, cell: ({ id, name }) => <Link href={hrefOf(id)}>{name}</Link>, serverSort: "display_name" },
    { title: t.state, cell: (_) => <State state={_.status} />, serverSort: "vm_state" },
    {
      title: t.flavor,
      cell: ({ flavorId, flavorName }) => flavors?.find((_) => _.id === flavorId)?.name ?? (flavorName || flavorId)
    },
    {
      title: t.image,
      cell: ({ imageId }) =>
        imageId === "" ? <Muted>{t.fromVolume}</Muted> : (images?.find((_) => _.id === imageId)?.name ?? imageId)
    },
    { title: t.addresses, cell: (server) => <Addresses server={server} /> },
    { title: t.created, cell: (_) => <Time at={_.created} />, serverSort: "created_at" },
    { title: "", end: true, cell: (server) => <ServerMenu server={server} /> }
  ]
}

const ServersPage = () => {
  const t = useWords(words)
  const stateName = useStateName()
  const may = useMay()
  const create = useDialog("create")
  const [name, setName] = useFilter("name")
  const [status, setStatus] = useFilter("status")
  const columns = useColumns()
  const answer = usePlatformPages({
    path: "compute/servers/detail",
    key: "servers",
    item: Server,
    query: { name, status },
    sorts: serverSorts(columns),
    isMoving
  })
  const createButton = may.change ? (
    <Button kind="primary" icon={Plus} onClick={() => create.show()}>
      {t.create}
    </Button>
  ) : null
  const isFiltered = name !== "" || status !== ""
  return (
    <Page title={t.servers} about={t.about} actions={createButton}>
      <FilterBar>
        <TextField label={t.nameFilter} value={name} onChange={setName} type="search" />
        <SelectField
          label={t.state}
          value={states.find((_) => _ === status) ?? ""}
          onChange={setStatus}
          choices={states.map((value) => ({ value, label: value === "" ? t.anyState : stateName(value) }))}
        />
      </FilterBar>
      <Answered answer={answer}>
        {(servers) => (
          <>
            <Table
              label={t.servers}
              columns={columns}
              rows={servers}
              keyOf={(_) => _.id}
              hasMore={answer.hasMore}
              more={answer.more}
              loadingMore={answer.loadingMore}
              empty={
                isFiltered ? (
                  <EmptyState icon={ServerIcon} title={t.nothingFits}>
                    {t.noneFits}
                  </EmptyState>
                ) : (
                  <EmptyState icon={ServerIcon} title={t.none} action={createButton}>
                    {t.noneText}
                  </EmptyState>
                )
              }
            />
            <PowerDialogs servers={servers} />
            <DeleteServerDialog servers={servers} />
          </>
        )}
      </Answered>
      {create.open ? (
        <Suspense>
          <CreateServerDialog onClose={create.close} />
        </Suspense>
      ) : null}
    </Page>
  )
}

export default ServersPage
