import { Archive, Plus } from "lucide-react"
import { Link, useLocation } from "wouter"
import { portico } from "../api/portico.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { useMe } from "../app/me.ts"
import { Page } from "../app/Page.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { Code } from "../ui/Code.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { FilterBar, TextField } from "../ui/form.tsx"
import { Muted, Stack } from "../ui/layout.tsx"
import { MenuItem, RowMenu } from "../ui/Menu.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useFilter } from "../ui/useFilter.ts"
import { useFormats } from "../words/formats.ts"
import { useWords } from "../words/words.ts"
import { CreateBucketDialog } from "./CreateBucketDialog.tsx"
import { bucketHref, settingsHref, versionsHref } from "./places.ts"
import { RemoveBucketDialog } from "./RemoveBucketDialog.tsx"
import type { Bucket } from "./useObjects.ts"
import { words } from "./words.ts"

const BucketMenu = ({ name }: { readonly name: string }) => {
  const t = useWords(words)
  const me = useMe()
  const [, go] = useLocation()
  const remove = useDialog("remove-bucket")
  return (
    <RowMenu of={name}>
      <MenuItem onSelect={() => go(versionsHref(name))}>{t.versions}</MenuItem>
      <MenuItem onSelect={() => go(settingsHref(name))}>{t.settings}</MenuItem>
      {me.tier < 2 ? null : (
        <MenuItem danger onSelect={() => remove.show(name)}>
          {t.delete}
        </MenuItem>
      )}
    </RowMenu>
  )
}

const useColumns = (): ReadonlyArray<Column<Bucket>> => {
  const t = useWords(words)
  const formats = useFormats()
  return [
    { title: t.name, cell: ({ name }) => <Link href={bucketHref(name)}>{name}</Link>, sort: (_) => _.name },
    { title: t.objects, end: true, cell: (_) => formats.number(_.objects), sort: (_) => _.objects },
    { title: t.size, end: true, cell: (_) => formats.bytes(_.size_bytes), sort: (_) => _.size_bytes },
    { title: t.usedBy, cell: (_) => (_.managed_by === null ? t.own : t.databases) },
    { title: t.modified, cell: (_) => <Time at={_.modified} />, sort: (_) => _.modified },
    { title: "", end: true, cell: ({ name }) => <BucketMenu name={name} /> }
  ]
}

const BucketsPage = () => {
  const t = useWords(words)
  const me = useMe()
  const create = useDialog("create-bucket")
  const [wanted, setWanted] = useFilter("q")
  const answer = useAnswer(portico.objectStorage.listBuckets, {})
  const columns = useColumns()
  const button =
    me.tier < 1 ? null : (
      <Button kind="primary" icon={Plus} onClick={() => create.show()}>
        {t.create}
      </Button>
    )
  return (
    <Page title={t.buckets} about={t.bucketsAbout} actions={button}>
      <FilterBar>
        <TextField label={t.search} value={wanted} onChange={setWanted} type="search" />
      </FilterBar>
      <Answered answer={answer}>
        {({ buckets, endpoint }) => (
          <>
            <Table
              label={t.buckets}
              columns={columns}
              rows={buckets.filter((_) => _.name.includes(wanted.toLowerCase()))}
              keyOf={(_) => _.name}
              empty={
                <EmptyState icon={Archive} title={t.noBuckets} action={button}>
                  {t.noBucketsText}
                </EmptyState>
              }
            />
            <Stack tight>
              <Muted small>{t.endpoint}</Muted>
              <Code text={endpoint} label={t.endpoint} />
            </Stack>
            <RemoveBucketDialog buckets={buckets} />
          </>
        )}
      </Answered>
      <CreateBucketDialog />
    </Page>
  )
}

export default BucketsPage
