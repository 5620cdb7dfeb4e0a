import { HardDrive, Plus } from "lucide-react"
import { Link } from "wouter"
import { Page } from "../app/Page.tsx"
import { useMay } from "../platform/may.ts"
import { RemoveDialog } from "../platform/RemoveDialog.tsx"
import { usePlatformPages } from "../platform/usePlatformPages.ts"
import { Answered } from "../ui/Answered.tsx"
import { State } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { FilterBar, SelectField, TextField } from "../ui/form.tsx"
import { useStateName } from "../ui/states.ts"
import { type Column, serverSorts, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useFilter } from "../ui/useFilter.ts"
import { useWords } from "../words/words.ts"
import { AttachedTo } from "./AttachedTo.tsx"
import { CreateVolumeDialog } from "./CreateVolumeDialog.tsx"
import { DetachDialog } from "./DetachDialog.tsx"
import { hrefOf, isMoving, nameOf, Volume } from "./volume.ts"
import { VolumeDialogs } from "./VolumeDialogs.tsx"
import { VolumeMenu } from "./VolumeMenu.tsx"
import { words } from "./volumeWords.ts"

const states = ["", "available", "in-use", "creating", "error"] as const

const useColumns = (): ReadonlyArray<Column<Volume>> => {
  const t = useWords(words)
  return [
    { title: t.name, cell: (volume) => <Link href={hrefOf(volume.id)}>{nameOf(volume)}</Link>, serverSort: "name" },
    { title: t.state, cell: (_) => <State state={_.status} />, serverSort: "status" },
    { title: t.size, end: true, cell: (_) => t.sizeOf(String(_.size)), serverSort: "size" },
    { title: t.type, cell: (_) => _.volume_type },
    { title: t.attachedTo, cell: (volume) => <AttachedTo volume={volume} /> },
    { title: t.createdAt, cell: (_) => <Time at={_.created_at} />, serverSort: "created_at" },
    { title: "", end: true, cell: (volume) => <VolumeMenu volume={volume} /> }
  ]
}

const VolumesPage = () => {
  const t = useWords(words)
  const stateName = useStateName()
  const may = useMay()
  const create = useDialog("create")
  const [name, setName] = useFilter("name")
  const [status, setStatus] = useFilter("status")
  const columns = useColumns()
  const answer = usePlatformPages({
    path: "volume/volumes/detail",
    key: "volumes",
    item: Volume,
    query: { name, status },
    sorts: serverSorts(columns),
    isMoving
  })
  const createButton = may.change ? (
    <Button kind="primary" icon={Plus} onClick={() => create.show()}>
      {t.create}
    </Button>
  ) : null
  const empty =
    name === "" && status === "" ? (
      <EmptyState icon={HardDrive} title={t.none} action={createButton}>
        {t.noneText}
      </EmptyState>
    ) : (
      <EmptyState icon={HardDrive} title={t.nothingFits}>
        {t.noneFits}
      </EmptyState>
    )
  return (
    <Page title={t.volumes} about={t.about} actions={createButton}>
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
        {(volumes) => (
          <>
            <Table
              label={t.volumes}
              columns={columns}
              rows={volumes}
              keyOf={(_) => _.id}
              hasMore={answer.hasMore}
              more={answer.more}
              loadingMore={answer.loadingMore}
              empty={empty}
            />
            <VolumeDialogs volumes={volumes} />
            <DetachDialog volumes={volumes} />
            <RemoveDialog
              things={volumes}
              idOf={(_) => _.id}
              nameOf={nameOf}
              pathOf={(_) => `volume/volumes/${_.id}`}
              title={t.deleteTitle}
              text={t.deleteText}
              verb={t.delete}
              done={t.deleted}
            />
          </>
        )}
      </Answered>
      <CreateVolumeDialog />
    </Page>
  )
}

export default VolumesPage
