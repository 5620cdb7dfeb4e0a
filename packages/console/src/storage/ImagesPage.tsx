import { Disc3 } from "lucide-react"
import { Link } from "wouter"
import { Page } from "../app/Page.tsx"
import { usePlatformPages } from "../platform/usePlatformPages.ts"
import { Answered } from "../ui/Answered.tsx"
import { State } from "../ui/Badge.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { FilterBar, SelectField, TextField } from "../ui/form.tsx"
import { type Column, serverSorts, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useFilter } from "../ui/useFilter.ts"
import { useFormats } from "../words/formats.ts"
import { useWords } from "../words/words.ts"
import { hrefOf, Image, isMoving, nameOf } from "./image.ts"
import { words } from "./imageWords.ts"

const visibilities = ["public", "private", "shared", "community"] as const

const useColumns = (): ReadonlyArray<Column<Image>> => {
  const t = useWords(words)
  const formats = useFormats()
  return [
    { title: t.name, cell: (image) => <Link href={hrefOf(image.id)}>{nameOf(image)}</Link>, serverSort: "name" },
    { title: t.state, cell: (_) => <State state={_.status} />, serverSort: "status" },
    { title: t.size, end: true, cell: ({ size }) => (size ? formats.bytes(size) : t.unknown), serverSort: "size" },
    {
      title: t.visibility,
      cell: ({ visibility }) => {
        const known = visibilities.find((_) => _ === visibility)
        return known === undefined ? visibility : t[known]
      }
    },
    { title: t.format, cell: (_) => _.disk_format },
    { title: t.created, cell: (_) => <Time at={_.created_at} />, serverSort: "created_at" }
  ]
}

const ImagesPage = () => {
  const t = useWords(words)
  const [name, setName] = useFilter("name")
  const [visibility, setVisibility] = useFilter("visibility")
  const columns = useColumns()
  const answer = usePlatformPages({
    path: "image/images",
    key: "images",
    item: Image,
    query: { name, visibility },
    sorts: serverSorts(columns),
    isMoving
  })
  const isFiltered = name !== "" || visibility !== ""
  return (
    <Page title={t.images} about={t.about}>
      <FilterBar>
        <TextField label={t.nameFilter} value={name} onChange={setName} type="search" />
        <SelectField
          label={t.visibility}
          value={visibilities.find((_) => _ === visibility) ?? ""}
          onChange={setVisibility}
          choices={[{ value: "", label: t.any }, ...visibilities.map((value) => ({ value, label: t[value] }))]}
        />
      </FilterBar>
      <Answered answer={answer}>
        {(images) => (
          <Table
            label={t.images}
            columns={columns}
            rows={images}
            keyOf={(_) => _.id}
            hasMore={answer.hasMore}
            more={answer.more}
            loadingMore={answer.loadingMore}
            empty={
              <EmptyState icon={Disc3} title={isFiltered ? t.nothingFits : t.none}>
                {isFiltered ? t.noneFits : t.noneText}
              </EmptyState>
            }
          />
        )}
      </Answered>
    </Page>
  )
}

export default ImagesPage
