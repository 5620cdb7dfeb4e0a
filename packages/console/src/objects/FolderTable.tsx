import { File, Folder, FolderOpen } from "lucide-react"
import { Link, useLocation } from "wouter"
import type { Pages } from "../api/useAnswer.ts"
import { Button } from "../ui/Button.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { MenuItem, RowMenu } from "../ui/Menu.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useFormats } from "../words/formats.ts"
import { useWords } from "../words/words.ts"
import styles from "./objects.module.css"
import { bucketHref, versionsHref } from "./places.ts"
import type { StoredObject } from "./useObjects.ts"
import { words } from "./words.ts"

interface FolderTableProps {
  readonly bucket: string
  readonly folder: string
  readonly answer: Pages<unknown>
  readonly pages: ReadonlyArray<{
    readonly common_prefixes: ReadonlyArray<string>
    readonly objects: ReadonlyArray<StoredObject>
  }>
  readonly mayRemove: boolean
  readonly onDownload: (key: string) => void
}

interface RowOf {
  readonly key: string
  /** Undefined for a folder. */
  readonly object: StoredObject | undefined
}

const ObjectMenu = ({ bucket, mayRemove, of }: { bucket: string; mayRemove: boolean; of: string }) => {
  const t = useWords(words)
  const [, go] = useLocation()
  const link = useDialog("link")
  const remove = useDialog("remove-object")
  return (
    <RowMenu of={of}>
      <MenuItem onSelect={() => link.show(of)}>{t.link}</MenuItem>
      <MenuItem onSelect={() => go(versionsHref(bucket, of))}>{t.versionsOf}</MenuItem>
      {mayRemove ? (
        <MenuItem danger onSelect={() => remove.show(of)}>
          {t.delete}
        </MenuItem>
      ) : null}
    </RowMenu>
  )
}

const useColumns = ({ bucket, folder, mayRemove, onDownload }: FolderTableProps): ReadonlyArray<Column<RowOf>> => {
  const t = useWords(words)
  const formats = useFormats()
  return [
    {
      title: t.name,
      cell: ({ key, object }) => (
        <span className={styles["name"]}>
          {object === undefined ? <Folder aria-label={t.folder} /> : <File aria-hidden />}
          {object === undefined ? (
            <Link href={bucketHref(bucket, key)}>{key.slice(folder.length)}</Link>
          ) : (
            <span>{key.slice(folder.length) || key}</span>
          )}
        </span>
      )
    },
    { title: t.size, end: true, cell: ({ object }) => (object === undefined ? "" : formats.bytes(object.size_bytes)) },
    { title: t.modified, cell: ({ object }) => (object === undefined ? "" : <Time at={object.modified} />) },
    {
      title: "",
      end: true,
      cell: ({ key, object }) =>
        object === undefined ? null : (
          <span className={styles["acts"]}>
            <Button kind="quiet" onClick={() => onDownload(key)} aria-label={`${t.download}: ${key}`}>
              {t.download}
            </Button>
            <ObjectMenu bucket={bucket} mayRemove={mayRemove} of={key} />
          </span>
        )
    }
  ]
}

/** Folders and objects, as the server pages them. */
export const FolderTable = (props: FolderTableProps) => {
  const { answer, bucket, pages } = props
  const t = useWords(words)
  const columns = useColumns(props)
  const rows = pages.flatMap(({ common_prefixes, objects }): ReadonlyArray<RowOf> => [
    ...common_prefixes.map((key) => ({ key, object: undefined })),
    ...objects.map((object) => ({ key: object.key, object }))
  ])
  return (
    <Table
      label={bucket}
      columns={columns}
      rows={rows}
      keyOf={(_) => `${_.object === undefined} ${_.key}`}
      hasMore={answer.hasMore}
      more={answer.more}
      loadingMore={answer.loadingMore}
      empty={
        <EmptyState icon={FolderOpen} title={t.noObjects}>
          {t.noObjectsText}
        </EmptyState>
      }
    />
  )
}
