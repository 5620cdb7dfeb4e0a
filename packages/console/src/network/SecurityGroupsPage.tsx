import { Plus, ShieldCheck } from "lucide-react"
import { Link } from "wouter"
import { Page } from "../app/Page.tsx"
import { useMay } from "../platform/may.ts"
import { usePlatformPages } from "../platform/usePlatformPages.ts"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { FilterBar, TextField } from "../ui/form.tsx"
import { type Column, serverSorts, Table } from "../ui/Table.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useFilter } from "../ui/useFilter.ts"
import { useWords } from "../words/words.ts"
import { CreateGroupDialog } from "./CreateGroupDialog.tsx"
import { words } from "./groupWords.ts"
import { nameOf } from "./network.ts"
import { SecurityGroup } from "./securityGroup.ts"

const useColumns = (): ReadonlyArray<Column<SecurityGroup>> => {
  const t = useWords(words)
  return [
    {
      title: t.name,
      cell: (_) => <Link href={`/network/security-groups/${_.id}`}>{nameOf(_)}</Link>,
      serverSort: "name"
    },
    { title: t.description, cell: (_) => _.description },
    { title: t.rules, end: true, cell: (_) => _.security_group_rules.length }
  ]
}

const SecurityGroupsPage = () => {
  const t = useWords(words)
  const may = useMay()
  const create = useDialog("create")
  const [name, setName] = useFilter("name")
  const columns = useColumns()
  const answer = usePlatformPages({
    path: "network/security-groups",
    key: "security_groups",
    item: SecurityGroup,
    query: { name },
    sorts: serverSorts(columns)
  })
  const createButton = may.change ? (
    <Button kind="primary" icon={Plus} onClick={() => create.show()}>
      {t.create}
    </Button>
  ) : null
  return (
    <Page title={t.groups} about={t.about} actions={createButton}>
      <FilterBar>
        <TextField label={t.nameFilter} value={name} onChange={setName} type="search" />
      </FilterBar>
      <Answered answer={answer}>
        {(groups) => (
          <Table
            label={t.groups}
            rows={groups}
            keyOf={(_) => _.id}
            hasMore={answer.hasMore}
            more={answer.more}
            loadingMore={answer.loadingMore}
            columns={columns}
            empty={
              <EmptyState
                icon={ShieldCheck}
                title={name === "" ? t.none : t.nothingFits}
                action={name === "" ? createButton : null}
              >
                {name === "" ? t.noneText : t.noneFits}
              </EmptyState>
            }
          />
        )}
      </Answered>
      <CreateGroupDialog />
    </Page>
  )
}

export default SecurityGroupsPage
