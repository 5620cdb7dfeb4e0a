import { Caller } from "@portico/contract/Access"
import { Credentials, type MemberRole, unless } from "@portico/store/Credentials"
import { Tenants } from "@portico/store/Tenants"
import { Effect } from "effect"
import { callerOf } from "@portico/testing/tenants/caller"

/** A person with a role in the account, as a caller out of nothing but a project's id. */
export const personOf = (projectId: string, role: MemberRole): Caller =>
  new Caller({ ...callerOf(projectId), human: true, role })

/** A member's row, without a login. */
export const memberOf = Effect.fnUntraced(function* (projectId: string, userId: string) {
  yield* (yield* Credentials).insert({
    ...unless,
    credential_id: `member-${userId}`,
    project_id: projectId,
    user_id: userId,
    kind: "member",
    tier: 2,
    label: userId,
    state: "active",
    client_id: "",
    pat_hash: null,
    created_by: "test",
    expires_at: null,
    role: "customer"
  })
})

/** A tenant's row and nothing in the cloud. */
export const tenantRowOf = Effect.fnUntraced(function* (projectId: string) {
  const tenants = yield* Tenants
  yield* tenants.insert({ project_id: projectId, slug: projectId, name: projectId, tier: "standard", stamp: projectId })
})
