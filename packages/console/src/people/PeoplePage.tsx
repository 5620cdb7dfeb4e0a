import { UserPlus, Users } from "lucide-react"
import { portico } from "../api/portico.ts"
import { usePages } from "../api/useAnswer.ts"
import { useMe } from "../app/me.ts"
import { Page } from "../app/Page.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { FilterBar, SelectField, TextField } from "../ui/form.tsx"
import { Table } from "../ui/Table.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useFilter } from "../ui/useFilter.ts"
import { useWords } from "../words/words.ts"
import { BillingDialog } from "./BillingDialog.tsx"
import { InviteDialog } from "./InviteDialog.tsx"
import type { Person } from "./person.ts"
import { RemoveDialog } from "./RemoveDialog.tsx"
import { RoleDialog } from "./RoleDialog.tsx"
import { useColumns } from "./useColumns.tsx"
import { words } from "./words.ts"

const fits =
  (wanted: string) =>
  ({ display_name, email, roles, tenant_name }: Person) =>
    [display_name, email, tenant_name, ...roles].join(" ").toLowerCase().includes(wanted.toLowerCase())

const useInput = (platform: boolean) => {
  const me = useMe()
  const limit = 500
  if (me.tenant !== null) return { limit }
  return { limit, scope: platform ? ("platform" as const) : ("all" as const) }
}

const PeoplePage = () => {
  const t = useWords(words)
  const me = useMe()
  const invite = useDialog("invite")
  const [wanted, setWanted] = useFilter("q")
  const [scope, setScope] = useFilter("scope")
  const answer = usePages(portico.orgUsers.list, useInput(scope === "platform"))
  const columns = useColumns()
  return (
    <Page
      title={t.title}
      about={t.about}
      actions={
        <Button kind="primary" icon={UserPlus} onClick={() => invite.show()}>
          {t.invite}
        </Button>
      }
    >
      <FilterBar>
        <TextField label={t.search} value={wanted} onChange={setWanted} type="search" />
        {me.tenant === null ? (
          <SelectField
            label={t.scope}
            value={scope === "platform" ? "platform" : ""}
            onChange={setScope}
            choices={[
              { value: "", label: t.scopeAll },
              { value: "platform", label: t.scopePlatform }
            ]}
          />
        ) : null}
      </FilterBar>
      <Answered answer={answer}>
        {(pages) => {
          const people = pages.flatMap((_) => _.users)
          return (
            <>
              <Table
                label={t.title}
                columns={columns}
                rows={people.filter(fits(wanted))}
                keyOf={(_) => `${_.user_id} ${_.project_id}`}
                hasMore={answer.hasMore}
                more={answer.more}
                loadingMore={answer.loadingMore}
                empty={
                  <EmptyState icon={Users} title={wanted === "" ? t.none : t.noneFits}>
                    {wanted === "" ? t.noneText : t.noneFitsText}
                  </EmptyState>
                }
              />
              <BillingDialog people={people} />
              <RoleDialog people={people} />
              <RemoveDialog people={people} />
            </>
          )
        }}
      </Answered>
      <InviteDialog />
    </Page>
  )
}

export default PeoplePage
