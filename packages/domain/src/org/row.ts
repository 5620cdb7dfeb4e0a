import type { OrgUser } from "@portico/contract/Org"
import type { CredentialRow } from "@portico/store/Credentials"
import type { TenantEntry } from "@portico/store/Tenants"
import { type Human, Humans } from "@portico/upstream/zitadel/Humans"
import { Effect } from "effect"

/** As the identity provider calls a login that is gone. */
const gone = "USER_STATE_DELETED"

/** What a project is called: by the platform, as a deletion is confirmed with, and by its organisation. */
export interface ProjectNames {
  readonly project_name: string
  readonly tenant_name: string
}

/** Empty for a project of the static tenant map. */
export const namesOf = (tenant: TenantEntry | undefined): ProjectNames => ({
  project_name: tenant?.slug ?? "",
  tenant_name: tenant?.name ?? ""
})

/** A member as lists show it: our record, with the state of the login. */
export const userOf = (
  row: CredentialRow,
  { project_name, tenant_name }: ProjectNames,
  human: Human | undefined
): OrgUser => ({
  user_id: row.user_id,
  display_name: human?.displayName ?? row.display_name,
  email: row.email,
  roles: row.role === null ? [] : [row.role],
  state: human?.state ?? gone,
  // An owner sees it without being granted it.
  billing_access: row.billing_access || row.role === "customer-owner",
  project_id: row.project_id,
  project_name,
  tenant_name
})

/** What a login is that was made just now. */
export const newHuman = (row: CredentialRow, userId: string): Human => ({
  userId,
  userName: row.email.toLowerCase(),
  email: row.email,
  displayName: row.display_name,
  state: "USER_STATE_INITIAL",
  stamp: ""
})

/** How many logins are asked for one by one at once. */
const concurrency = 8

/** The logins of these users. Those that a search does not show yet, because they are new, are asked for by their ids. */
export const humansOf = Effect.fnUntraced(function* (userIds: ReadonlyArray<string>) {
  const humans = yield* Humans
  const found = new Map(yield* humans.list(userIds))
  const missing = userIds.filter((_) => !found.has(_))
  const late = yield* Effect.forEach(missing, humans.find, { concurrency })
  for (const human of late) if (human !== undefined) found.set(human.userId, human)
  return found
})
