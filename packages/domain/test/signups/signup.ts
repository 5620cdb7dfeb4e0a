import { assert } from "@effect/vitest"
import type { Approved, ApproveRequest } from "@portico/contract/Signups"
import { approveSignup } from "@portico/domain/signups/approve"
import { requestSignup } from "@portico/domain/signups/request"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Memory } from "@portico/testing/store/Memory"
import { Signups } from "@portico/store/Signups"
import { Effect } from "effect"
import { administrator } from "@portico/testing/tenants/caller"
import { cleanCloud, empty, tables } from "@portico/testing/cloud/cleanSlate"
import { whole } from "@portico/testing/tenants/whole"

export const ann = "ann@acme.example"

export const request = (email = ann, org_name = "Acme GmbH", source = "192.0.2.1") =>
  requestSignup({ email, org_name }, source)

/** A signup that waits, and its id. */
export const queued = Effect.fnUntraced(function* (email = ann, org_name = "Acme GmbH") {
  yield* request(email, org_name)
  const found = [...(yield* Memory).signups.values()].findLast((_) => _.email === email && _.org_name === org_name)
  return found?.signup_id ?? (yield* Effect.die("the signup is not queued"))
})

export const approve = (signupId: string, change: Partial<ApproveRequest> = {}) =>
  approveSignup(administrator, signupId, { tier: "standard", ...change })

/** What operators see of it. */
export const stateOf = (signupId: string) =>
  Effect.map(
    Effect.flatMap(Signups, (_) => _.find(signupId)),
    (_) => _?.state
  )

/** The people whom the identity provider knows beyond those of an empty cloud. */
export const people = Effect.map(SimulatedCloud, ({ world }) =>
  Object.values(world.zitadel.users).flatMap((_) => (_.type === "TYPE_HUMAN" && _.nickName !== "" ? [_] : []))
)

/** The tenant is there with all that a tenant has, and belongs to whoever signed up, who was written to once. */
export const owned = Effect.fnUntraced(function* (approved: Approved, because: string, email = ann) {
  yield* whole(approved, because)
  const { tenant, owner, signup } = approved
  const { world } = yield* SimulatedCloud
  const { credentials, signups } = yield* Memory

  const login = (yield* people).filter((_) => _.userName === email.toLowerCase())
  assert.deepStrictEqual(
    login.map((_) => [_.id, _.email, _.state, _.mails]),
    [[owner.user_id, email, "USER_STATE_INITIAL", 1]],
    because
  )
  const grants = Object.values(world.zitadel.grants).filter((_) => _.userId === owner.user_id)
  assert.deepStrictEqual(
    grants.map((_) => _.roleKeys),
    [["customer-owner"]],
    because
  )
  const members = [...credentials.values()].filter((_) => _.kind === "member" && _.project_id === tenant.project_id)
  assert.deepStrictEqual(
    members.map((_) => [_.user_id, _.email, _.role, _.tier, _.state, _.billing_access, _.ou]),
    [[owner.user_id, email, "customer-owner", 2, "active", true, null]],
    because
  )
  const row = signups.get(signup.signup_id)
  assert.deepInclude(row, { state: "onboarded", project_id: tenant.project_id, decided_by: "operator" }, because)
  assert.strictEqual(signup.state, "onboarded", because)
})

/** But for pending signups, and attempts that rest, everything is as in the beginning. */
export const onlyQueued = Effect.fnUntraced(function* (because: string, count = 1) {
  yield* cleanCloud(because)
  const { onboardings, signups, ...others } = yield* tables
  const rest = { onboardings: [], signups: [] }
  assert.deepStrictEqual<unknown>({ ...others, ...rest }, empty, because)
  const { count: pending } = yield* (yield* Signups).page({ state: "pending", limit: 10, after: undefined })
  assert.deepStrictEqual([signups?.length, pending], [count, count], because)
  const states = [...(yield* Memory).onboardings.values()].map((_) => _.state)
  assert.deepStrictEqual(new Set([...states, "resting"]), new Set(["resting"]), because)
  return onboardings?.length ?? 0
})
