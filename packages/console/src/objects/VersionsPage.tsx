import { History } from "lucide-react"
import { useParams } from "wouter"
import { useAct } from "../api/useAct.ts"
import { useMe } from "../app/me.ts"
import { Page } from "../app/Page.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { FilterBar, TextField } from "../ui/form.tsx"
import { Mono, Muted } from "../ui/layout.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useFilter } from "../ui/useFilter.ts"
import { useFormats } from "../words/formats.ts"
import { useWords } from "../words/words.ts"
import { BucketTabs } from "./BucketTabs.tsx"
import { download, type ObjectVersion, useVersions } from "./useObjects.ts"
import styles from "./objects.module.css"
import { idOf, RemoveVersionDialog } from "./RemoveVersionDialog.tsx"
import { words } from "./words.ts"

const useColumns = (onDownload: (version: ObjectVersion) => void): ReadonlyArray<Column<ObjectVersion>> => {
  const t = useWords(words)
  const me = useMe()
  const formats = useFormats()
  const remove = useDialog("remove-version")
  return [
    {
      title: t.key,
      cell: ({ key, version_id }) => (
        <>
          {key}
          <br />
          <Muted small>
            <Mono>{version_id}</Mono>
          </Muted>
        </>
      )
    },
    {
      title: t.version,
      cell: ({ delete_marker, latest }) => (
        <>
          {latest ? <Badge tone="good">{t.latest}</Badge> : null}{" "}
          {delete_marker ? <Badge tone="warn">{t.marker}</Badge> : null}
        </>
      )
    },
    {
      title: t.size,
      end: true,
      cell: ({ size_bytes }) => (size_bytes === null ? "" : formats.bytes(size_bytes))
    },
    { title: t.modified, cell: (_) => <Time at={_.modified} as="moment" /> },
    {
      title: "",
      end: true,
      cell: (version) => (
        <span className={styles["acts"]}>
          {version.delete_marker ? null : (
            <Button
              kind="quiet"
              aria-label={`${t.download}: ${version.key} ${version.version_id}`}
              onClick={() => onDownload(version)}
            >
              {t.download}
            </Button>
          )}
          {me.tier < 2 ? null : (
            <Button
              kind="danger"
              aria-label={`${t.delete}: ${version.key} ${version.version_id}`}
              onClick={() => remove.show(idOf(version))}
            >
              {t.delete}
            </Button>
          )}
        </span>
      )
    }
  ]
}

const VersionsPage = () => {
  const t = useWords(words)
  const { name = "" } = useParams()
  const [key, setKey] = useFilter("key")
  const answer = useVersions(name, key)
  const fetched = useAct(download)
  const columns = useColumns(({ key, version_id }) => void fetched.act({ name, key, version_id }))
  return (
    <Page
      title={t.versionsTitle(name)}
      about={t.versionsAbout}
      up={{ href: "/object-storage/buckets", title: t.buckets }}
    >
      <BucketTabs bucket={name} />
      <FilterBar>
        <TextField label={t.prefix} value={key} onChange={setKey} type="search" />
      </FilterBar>
      <RefusalBox refusal={fetched.refusal} />
      <Answered answer={answer}>
        {(pages) => {
          const versions = pages.flatMap((_) => _.versions)
          return (
            <>
              <Table
                label={t.versionsTitle(name)}
                columns={columns}
                rows={versions}
                keyOf={idOf}
                hasMore={answer.hasMore}
                more={answer.more}
                loadingMore={answer.loadingMore}
                empty={
                  <EmptyState icon={History} title={t.noVersions}>
                    {t.noVersionsText}
                  </EmptyState>
                }
              />
              <RemoveVersionDialog bucket={name} versions={versions} />
            </>
          )
        }}
      </Answered>
    </Page>
  )
}

export default VersionsPage
