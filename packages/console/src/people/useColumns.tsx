import { useLocation } from "wouter"
import { useMe } from "../app/me.ts"
import { Badge } from "../ui/Badge.tsx"
import { Muted } from "../ui/layout.tsx"
import { MenuItem, RowMenu } from "../ui/Menu.tsx"
import type { Column } from "../ui/Table.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import type { Person } from "./person.ts"
import { setsBilling } from "./roles.ts"
import { words } from "./words.ts"

const PersonState = ({ state }: { readonly state: string }) => {
  const t = useWords(words)
  if (state === "USER_STATE_ACTIVE") return <Badge tone="good">{t.stateActive}</Badge>
  if (state === "USER_STATE_INITIAL") return <Badge tone="busy">{t.stateInitial}</Badge>
  if (state === "USER_STATE_DELETED") return <Badge tone="bad">{t.stateDeleted}</Badge>
  return <Badge>{state}</Badge>
}

const PersonActs = ({
  person: { billing_access, display_name, project_id, roles, user_id }
}: {
  readonly person: Person
}) => {
  const t = useWords(words)
  const me = useMe()
  const [, navigate] = useLocation()
  const role = useDialog("role")
  const remove = useDialog("remove")
  const billing = useDialog("billing")
  const isOwner = roles.includes("customer-owner")
  const ofProject = me.tenant === null && project_id !== null ? `&project_id=${project_id}` : ""
  return (
    <RowMenu of={display_name}>
      {project_id === null ? null : (
        <MenuItem onSelect={() => navigate(`/policy/effective?user_id=${user_id}${ofProject}`)}>{t.whyNot}</MenuItem>
      )}
      <MenuItem onSelect={() => navigate(`/audit?user_id=${user_id}`)}>{t.whatTheyDid}</MenuItem>
      <MenuItem onSelect={() => navigate(`/credentials?made_by=${user_id}`)}>{t.theirCredentials}</MenuItem>
      {user_id === me.user_id ? null : <MenuItem onSelect={() => role.show(user_id)}>{t.changeRole}</MenuItem>}
      {isOwner || project_id === null || !setsBilling(me) ? null : (
        <MenuItem onSelect={() => billing.show(user_id)}>{billing_access ? t.hideCosts : t.showCosts}</MenuItem>
      )}
      {me.tier < 2 ? null : (
        <MenuItem danger onSelect={() => remove.show(user_id)}>
          {t.remove}
        </MenuItem>
      )}
    </RowMenu>
  )
}

export const useColumns = (): ReadonlyArray<Column<Person>> => {
  const t = useWords(words)
  const me = useMe()
  return [
    {
      title: t.name,
      sort: (_) => _.display_name,
      cell: ({ display_name, email, user_id }) => (
        <>
          {display_name} {user_id === me.user_id ? <Badge>{t.you}</Badge> : null}
          <br />
          <Muted small>{email}</Muted>
        </>
      )
    },
    ...(me.tenant === null
      ? [{ title: t.account, sort: (_: Person) => _.tenant_name, cell: (_: Person) => _.tenant_name }]
      : []),
    { title: t.role, sort: (_) => _.roles.join(" "), cell: (_) => _.roles.join(", ") },
    { title: t.state, sort: (_) => _.state, cell: (_) => <PersonState state={_.state} /> },
    {
      title: t.costs,
      cell: (_) => (_.billing_access ? <Badge tone="good">{t.seesCosts}</Badge> : <Muted>{t.noCosts}</Muted>)
    },
    { title: "", end: true, cell: (_) => <PersonActs person={_} /> }
  ]
}
