import { Camera, CopyPlus, Trash2 } from "lucide-react"
import { Link, useLocation } from "wouter"
import * as v from "valibot"
import { listOf, text } from "../platform/lists.ts"
import { useMay } from "../platform/may.ts"
import { RemoveDialog } from "../platform/RemoveDialog.tsx"
import { usePlatform } from "../platform/usePlatform.ts"
import { usePlatformPages } from "../platform/usePlatformPages.ts"
import { Answered } from "../ui/Answered.tsx"
import { State } from "../ui/Badge.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { MenuItem, RowMenu } from "../ui/Menu.tsx"
import { type Column, serverSorts, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { hrefOf, isMoving, nameOf, Snapshot } from "./volume.ts"
import { words } from "./volumeWords.ts"

const volumes = listOf("volumes", v.object({ id: v.string(), name: text }))

const useColumns = (ofOne: boolean): ReadonlyArray<Column<Snapshot>> => {
  const t = useWords(words)
  const may = useMay()
  const remove = useDialog("deleteSnapshot")
  const [, navigate] = useLocation()
  const names = usePlatform(volumes, "volume/volumes?limit=1000", { enabled: !ofOne }).data
  const volume: Column<Snapshot> = {
    title: t.volume,
    cell: ({ volume_id }) => {
      const known = names?.find((_) => _.id === volume_id)
      return <Link href={hrefOf(volume_id)}>{known === undefined ? volume_id : nameOf(known)}</Link>
    }
  }
  return [
    { title: t.name, cell: nameOf, serverSort: "name" },
    { title: t.state, cell: (_) => <State state={_.status} />, serverSort: "status" },
    { title: t.size, end: true, cell: (_) => t.sizeOf(String(_.size)) },
    ...(ofOne ? [] : [volume]),
    { title: t.createdAt, cell: (_) => <Time at={_.created_at} />, serverSort: "created_at" },
    {
      title: "",
      end: true,
      cell: (snapshot) => (
        <RowMenu of={nameOf(snapshot)}>
          <MenuItem
            icon={CopyPlus}
            disabled={!may.change || snapshot.status !== "available"}
            onSelect={() => navigate(`/storage/volumes?dialog=create&of=${snapshot.id}`)}
          >
            {t.restore}
          </MenuItem>
          <MenuItem icon={Trash2} danger disabled={!may.destroy} onSelect={() => remove.show(snapshot.id)}>
            {t.delete}
          </MenuItem>
        </RowMenu>
      )
    }
  ]
}

/** The snapshots of one volume, or of all. */
export const Snapshots = ({ volumeId }: { readonly volumeId?: string }) => {
  const t = useWords(words)
  const columns = useColumns(volumeId !== undefined)
  const answer = usePlatformPages({
    path: "volume/snapshots/detail",
    key: "snapshots",
    item: Snapshot,
    query: { volume_id: volumeId },
    sorts: serverSorts(columns),
    isMoving
  })
  return (
    <Answered answer={answer}>
      {(snapshots) => (
        <>
          <Table
            label={t.snapshots}
            columns={columns}
            rows={snapshots}
            keyOf={(_) => _.id}
            hasMore={answer.hasMore}
            more={answer.more}
            loadingMore={answer.loadingMore}
            empty={
              <EmptyState icon={Camera} title={t.noSnapshots}>
                {t.noSnapshotsText}
              </EmptyState>
            }
          />
          <RemoveDialog
            dialog="deleteSnapshot"
            things={snapshots}
            idOf={(_) => _.id}
            nameOf={nameOf}
            pathOf={(_) => `volume/snapshots/${_.id}`}
            title={t.deleteTitle}
            text={t.deleteSnapshotText}
            verb={t.delete}
            done={t.snapshotDeleted}
          />
        </>
      )}
    </Answered>
  )
}
