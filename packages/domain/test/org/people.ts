import type { Caller } from "@portico/contract/Access"
import type { InvitedRole } from "@portico/contract/Org"
import type { Tier } from "@portico/contract/Tiers"
import { mint } from "@portico/domain/credentials/mint"
import { inviteUser } from "@portico/domain/org/invite"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { issueAccessToken } from "@portico/simulator/zitadel/tokens"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { administrator, resolve } from "@portico/testing/tenants/caller"
import { tenantOf } from "@portico/testing/tenants/tenant"

/** Who has the address, as the identity provider knows them. */
export const loginOf = Effect.fnUntraced(function* (email: string) {
  const { zitadel } = (yield* SimulatedCloud).world
  const user = Object.values(zitadel.users).find((_) => _.type === "TYPE_HUMAN" && _.userName === email.toLowerCase())
  return user?.type === "TYPE_HUMAN" ? user : undefined
})

/** The roles that the identity provider's grants give. */
export const grantsOf = Effect.fnUntraced(function* (userId: string) {
  const { zitadel } = (yield* SimulatedCloud).world
  return Object.values(zitadel.grants).flatMap((_) => (_.userId === userId ? _.roleKeys : []))
})

/** Follows the link of the mail and logs in, as often as it is asked. */
export const tokenOf = Effect.fnUntraced(function* (userId: string) {
  const { world } = yield* SimulatedCloud
  const user = world.zitadel.users[userId]
  if (user?.type === "TYPE_HUMAN" && user.state === "USER_STATE_INITIAL") {
    Object.assign(user, { state: "USER_STATE_ACTIVE", isEmailVerified: true })
  }
  const token = issueAccessToken(world, userId, yield* Clock.currentTimeMillis)
  return token ?? (yield* Effect.die(`${userId} cannot log in`))
})

/** Somebody of the account who has logged in. */
export const person = Effect.fnUntraced(function* (
  projectId: string,
  role: Exclude<InvitedRole, "admin">,
  email = `${role}@acme.example`
) {
  const { user_id } = yield* inviteUser(administrator, { email, role, project_id: projectId })
  // What comes next is later.
  yield* TestClock.adjust("1 second")
  const token = yield* tokenOf(user_id)
  return { userId: user_id, email, token, caller: yield* resolve(token) }
})

/** An account with an owner who has logged in. */
export const account = Effect.fnUntraced(function* (name = "Acme GmbH", tier: Tier = "standard") {
  const projectId = yield* tenantOf(tier, name)
  const slug = name.split(" ", 1).join("").toLowerCase()
  return { projectId, owner: yield* person(projectId, "customer-owner", `owner@${slug}.example`) }
})

/** A machine credential that the caller mints for its account. */
export const minted = Effect.fnUntraced(function* (caller: Caller, label = "CI") {
  if (caller.tenant === null) return yield* Effect.die("a platform administrator has no tenant")
  return yield* mint(caller, caller.tenant, { kind: "api-key", tier: 0, label })
})
