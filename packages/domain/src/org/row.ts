import type { OrgUser } from "@portico/contract/Org"
import type { CredentialRow } from "@portico/store/Credentials"
import type { TenantEntry } from "@portico/store/Tenants"
import { type Human, Humans } from "@portico/upstream/zitadel/Humans"
import { Effect } from "effect"

/** The identity provider's state of a deleted login. */
const gone = "USER_STATE_DELETED"

/** The names of a project: the platform's, which confirms a deletion, and the organisation's. */
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
export const toWire = (
  row: CredentialRow,
  { project_name, tenant_name }: ProjectNames,
  human: Human | undefined
): OrgUser => ({
  user_id: row.user_id,
  display_name: human?.displayName ?? row.display_name,
  email: row.email,
  roles: row.role === null ? [] : [row.role],
  state: human?.state ?? gone,
  // An owner has billing access without a grant.
  billing_access: row.billing_access || row.role === "customer-owner",
  project_id: row.project_id,
  project_name,
  tenant_name
})

/** A login as it is directly after its creation. */
export const newHuman = (row: CredentialRow, userId: string): Human => ({
  userId,
  userName: row.email.toLowerCase(),
  email: row.email,
  isEmailVerified: false,
  displayName: row.display_name,
  state: "USER_STATE_INITIAL",
  stamp: ""
})

/** How many logins are read by id at once. */
const concurrency = 8

/** The logins of these users. A search does not show new logins yet, so those that it misses are read by their ids. */
export const humansOf = Effect.fnUntraced(function* (userIds: ReadonlyArray<string>) {
  const humans = yield* Humans
  const found = new Map(yield* humans.list(userIds))
  const missing = userIds.filter((_) => !found.has(_))
  const late = yield* Effect.forEach(missing, humans.find, { concurrency })
  for (const human of late) if (human !== undefined) found.set(human.userId, human)
  return found
})
