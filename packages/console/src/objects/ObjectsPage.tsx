import { useState } from "react"
import { Link, useParams } from "wouter"
import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { useMe } from "../app/me.ts"
import { Page } from "../app/Page.tsx"
import { Answered } from "../ui/Answered.tsx"
import { FilterBar, TextField } from "../ui/form.tsx"
import { Muted, Row } from "../ui/layout.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { useFilter } from "../ui/useFilter.ts"
import { useWords } from "../words/words.ts"
import { BucketTabs } from "./BucketTabs.tsx"
import { download, useFolder } from "./useObjects.ts"
import { FolderTable } from "./FolderTable.tsx"
import { LinkDialog } from "./LinkDialog.tsx"
import { bucketHref, crumbsOf, folderOf } from "./places.ts"
import { RemoveObjectDialog } from "./RemoveObjectDialog.tsx"
import { UploadArea } from "./UploadArea.tsx"
import { words } from "./words.ts"

/** The way to a folder: each piece leads there. */
const Crumbs = ({ bucket, prefix }: { readonly bucket: string; readonly prefix: string }) => {
  const t = useWords(words)
  return (
    <nav aria-label={t.path}>
      <Row>
        {[{ title: bucket, prefix: "" }, ...crumbsOf(prefix)].map((crumb) => (
          <span key={crumb.prefix}>
            <Link href={bucketHref(bucket, crumb.prefix)}>{crumb.title === "" ? "(…)" : crumb.title}</Link> /
          </span>
        ))}
      </Row>
    </nav>
  )
}

/** The filter is a prefix too: what follows the last slash of it. */
const PrefixField = ({ folder, prefix, set }: PrefixFieldProps) => {
  const t = useWords(words)
  const [text, setText] = useState(prefix.slice(folder.length))
  const change = (next: string) => {
    setText(next)
    set(`${folder}${next}`)
  }
  return (
    <FilterBar>
      <TextField label={t.prefix} help={t.prefixHelp} value={text} onChange={change} type="search" />
    </FilterBar>
  )
}

interface PrefixFieldProps {
  readonly folder: string
  readonly prefix: string
  readonly set: (prefix: string) => void
}

const ObjectsPage = () => {
  const t = useWords(words)
  const me = useMe()
  const { name = "" } = useParams()
  const [prefix, setPrefix] = useFilter("prefix")
  const folder = prefix.endsWith("/") ? prefix : folderOf(`${prefix}_`)
  const answer = useFolder(name, prefix)
  const buckets = useAnswer(portico.objectStorage.listBuckets, {})
  const fetched = useAct(download)
  const isManaged = buckets.data?.buckets.find((_) => _.name === name)?.managed_by === "databases"
  return (
    <Page title={name} up={{ href: "/object-storage/buckets", title: t.buckets }}>
      <BucketTabs bucket={name} />
      {isManaged ? <Muted>{t.managedText}</Muted> : null}
      {me.tier < 1 || isManaged ? null : <UploadArea bucket={name} prefix={folder} />}
      <Crumbs bucket={name} prefix={folder} />
      <PrefixField key={`${name} ${folder}`} folder={folder} prefix={prefix} set={setPrefix} />
      <RefusalBox refusal={fetched.refusal} />
      <Answered answer={answer}>
        {(pages) => (
          <FolderTable
            bucket={name}
            folder={folder}
            answer={answer}
            pages={pages}
            mayRemove={me.tier >= 2 && !isManaged}
            onDownload={(key) => void fetched.act({ name, key })}
          />
        )}
      </Answered>
      <LinkDialog bucket={name} />
      <RemoveObjectDialog bucket={name} />
    </Page>
  )
}

export default ObjectsPage
