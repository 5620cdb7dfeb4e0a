import { assert, it } from "@effect/vitest"
import { withWords } from "@portico/contract/formerWords"
import { listJournal } from "@portico/domain/onboarding/journal"
import { onboard } from "@portico/domain/onboarding/onboard"
import { retry, sweep } from "@portico/domain/onboarding/withdraw"
import { listSignups } from "@portico/domain/signups/list"
import { rejectSignup } from "@portico/domain/signups/approve"
import { capacity } from "@portico/domain/tenants/admission"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Members } from "@portico/store/Members"
import { Humans } from "@portico/upstream/zitadel/Humans"
import { Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { administrator } from "@portico/testing/tenants/caller"
import { everything } from "@portico/testing/cloud/cleanSlate"
import { inTime, settle } from "@portico/testing/clock"
import { ann, approve, onlyQueued, owned, people, queued, request, stateOf } from "./signup.ts"
import { Simulated, simulatedWith } from "@portico/testing/cloud/Simulated"

const reject = (signupId: string) => rejectSignup(administrator, signupId)

/** Nobody can decide about the signup right now. */
const isBusy = Effect.fnUntraced(function* (signupId: string) {
  assert.strictEqual((yield* Effect.flip(approve(signupId))).code, "signup_busy")
  assert.strictEqual((yield* Effect.flip(reject(signupId))).code, "signup_busy")
})

const told = (failure: { readonly _tag: string; readonly code: string; readonly detail: unknown }) => [
  failure._tag,
  failure.code,
  failure.detail
]

it.effect("an approved signup is a tenant, owned by the person who signed up", () =>
  Effect.gen(function* () {
    const id = yield* queued()
    const approved = yield* inTime(approve(id))
    yield* owned(approved, "an approval")
    assert.strictEqual(approved.tenant.slug, "acme-gmbh")
    assert.deepInclude(approved.admission, { tier: "standard", admitted: true })
    assert.deepInclude(approved.signup, { signup_id: id, email: ann, org_name: "Acme GmbH", decided_by: "operator" })
    assert.isNotNull(approved.signup.decided_at)
    assert.deepStrictEqual((yield* listJournal()).onboardings, [])
    assert.deepStrictEqual((yield* listSignups("onboarded", { limit: 9, after: undefined })).signups, [approved.signup])
  }).pipe(Effect.provide(Simulated))
)

it.effect("a login is the address in lower case, and the mail goes to the address as entered", () =>
  Effect.gen(function* () {
    const email = "Ann.Lee@acme.example"
    yield* owned(yield* inTime(approve(yield* queued(email))), "an address with capitals", email)
  }).pipe(Effect.provide(Simulated))
)

it.effect("an approval beyond the budget stays pending, and the refusal has the numbers", () =>
  Effect.gen(function* () {
    const id = yield* queued()
    const full = yield* Effect.flip(inTime(approve(id, { tier: "extension" })))
    assert.deepInclude(full, { _tag: "Conflict", code: "budget_exceeded" })
    const expected = (yield* inTime(capacity())).tiers.find((_) => _.tier === "extension")
    assert.deepStrictEqual(full._tag === "Conflict" ? full.admission : undefined, expected)
    yield* onlyQueued("a full budget")
    yield* owned(yield* inTime(approve(id, { tier: "discovery" })), "a smaller tier")
  }).pipe(Effect.provide(simulatedWith({ SELLABLE_CORES: "100" })))
)

it.effect("a taken name is refused before any call, and tenant_name resolves it", () =>
  Effect.gen(function* () {
    yield* inTime(onboard({ name: "Acme GmbH", tier: "discovery" }))
    const id = yield* queued()
    const before = (yield* everything).cloud
    assert.deepStrictEqual(told(yield* Effect.flip(inTime(approve(id)))), [
      "Conflict",
      "organisation_name_taken",
      "Organisation name 'Acme GmbH' is taken; send the request again with tenant_name set to a free name"
    ])
    assert.deepStrictEqual((yield* everything).cloud, before)
    assert.strictEqual(yield* stateOf(id), "pending")
    const approved = yield* inTime(approve(id, { tenant_name: "Acme Berlin" }))
    assert.deepStrictEqual([approved.tenant.slug, approved.signup.org_name], ["acme-berlin", "Acme GmbH"])
    yield* owned(approved, "another name")
  }).pipe(Effect.provide(Simulated))
)

it.effect("a name without a slug is refused, and tenant_name resolves it", () =>
  Effect.gen(function* () {
    const id = yield* queued(ann, "株式会社")
    assert.strictEqual((yield* Effect.flip(approve(id))).code, "unusable_name")
    yield* onlyQueued("no slug")
    yield* owned(yield* inTime(approve(id, { tenant_name: "Kabushiki" })), "a name with a slug")
  }).pipe(Effect.provide(Simulated))
)

const loginTaken = [
  "Conflict",
  "login_taken",
  `The address '${ann}' is the login of another account; reject the signup, and have another address sign up`
]

it.effect("an address of another account's member is refused, without a call", () =>
  Effect.gen(function* () {
    yield* inTime(approve(yield* queued(ann, "Globex")))
    const id = yield* queued(ann.toUpperCase().replace("ACME.EXAMPLE", "acme.example"))
    const before = yield* everything
    const { 2: words, ...tag } = told(yield* Effect.flip(inTime(approve(id))))
    assert.deepStrictEqual([tag[0], tag[1]], ["Conflict", "login_taken"])
    assert.include(String(words), "ANN@acme.example")
    assert.deepStrictEqual(yield* everything, before)
  }).pipe(Effect.provide(Simulated))
)

it.effect("an address that the identity provider has otherwise is refused, and nothing is made", () =>
  Effect.gen(function* () {
    const id = yield* queued()
    yield* (yield* Humans).create({ email: ann, displayName: "Ann", stamp: "somebody else's", role: "admin" })
    yield* TestClock.adjust("5 seconds")
    const before = yield* everything
    assert.deepStrictEqual(told(yield* Effect.flip(inTime(approve(id)))), loginTaken)
    assert.deepStrictEqual(yield* everything, before)
  }).pipe(Effect.provide(Simulated))
)

it.effect("a login created meanwhile by another stays, and the approval is rolled back", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const id = yield* queued()
    const slow = { service: "neutron", method: "POST", path: "/v2.0/networks", when: "before" } as const
    yield* cloud.fault({ ...slow, as: { delay_ms: 5000 } })
    const approving = yield* Effect.forkChild(Effect.flip(approve(id)))
    yield* settle
    const theirs = yield* (yield* Humans).create({ email: ann, displayName: "Ann", stamp: "theirs", role: "admin" })
    assert.deepStrictEqual(told(yield* inTime(Fiber.join(approving))), loginTaken)
    assert.deepStrictEqual(
      (yield* people).map((_) => [_.id, _.nickName]),
      [[theirs.userId, "theirs"]]
    )
    yield* (yield* Humans).remove(theirs.userId, "theirs")
    yield* onlyQueued("a login made meanwhile")
  }).pipe(Effect.provide(Simulated))
)

it.effect("an address that becomes a member's meanwhile rolls everything back, the login too", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const id = yield* queued()
    const role = { service: "zitadel", method: "POST", path: "/management/v1/users/*/grants", nth: 2 } as const
    yield* cloud.fault({ ...role, when: "after", as: { delay_ms: 5000 } })
    const approving = yield* Effect.forkChild(Effect.flip(approve(id)))
    yield* settle
    const theirs = { projectId: "p", email: ann, role: "customer", displayName: "", invitedBy: "" } as const
    const row = yield* (yield* Members).begin(theirs, 5)
    assert.deepStrictEqual(told(yield* inTime(Fiber.join(approving))), loginTaken)
    assert.deepStrictEqual(yield* people, [])
    if ("row" in row) yield* (yield* Members).drop(row.row)
    yield* onlyQueued("a member made meanwhile")
  }).pipe(Effect.provide(Simulated))
)

it.effect("a decision about an unknown signup is a 404, with any id", () =>
  Effect.gen(function* () {
    for (const id of ["signup-1", "", "\0", "x".repeat(8000)]) {
      const unknown = ["NotFound", "signup_not_found", `Signup '${id}' not found`]
      assert.deepStrictEqual(told(yield* Effect.flip(approve(id))), unknown)
      assert.deepStrictEqual(told(yield* Effect.flip(reject(id))), unknown)
    }
  }).pipe(Effect.provide(Simulated))
)

it.effect("a decision is final; a rejection may be repeated", () =>
  Effect.gen(function* () {
    const onboarded = yield* queued()
    yield* inTime(approve(onboarded))
    const rejected = yield* queued("bob@globex.example", "Globex")
    const row = yield* reject(rejected)
    assert.deepInclude(row, { state: "rejected", decided_by: "operator" })
    assert.deepStrictEqual(yield* reject(rejected), row)
    for (const [id, state] of [
      [onboarded, "onboarded"],
      [rejected, "rejected"]
    ] as const) {
      const decided = ["Conflict", "signup_decided", `Signup '${id}' is ${state} already`]
      assert.deepStrictEqual(told(yield* Effect.flip(approve(id))), decided)
      if (state === "onboarded") assert.deepStrictEqual(told(yield* Effect.flip(reject(id))), decided)
    }
    yield* request("bob@globex.example", "Globex")
    assert.strictEqual((yield* listSignups("pending", { limit: 9, after: undefined })).count, 1)
  }).pipe(Effect.provide(Simulated))
)

it.effect("of two concurrent approvals one makes a tenant, and the other is signup_busy", () =>
  Effect.gen(function* () {
    const id = yield* queued()
    const both = yield* inTime(
      Effect.all([Effect.result(approve(id)), Effect.result(approve(id, { tenant_name: "Acme Two" }))], {
        concurrency: 2
      })
    )
    const [approved, ...rest] = both.filter(Result.isSuccess)
    assert.deepStrictEqual(rest, [])
    const refused = both.filter(Result.isFailure).map((_) => _.failure)
    assert.deepStrictEqual(refused.map(told), [
      [
        "Conflict",
        "signup_busy",
        `Signup '${id}' is being approved, or an approval of it is being rolled back; GET /v1/journal shows it`
      ]
    ])
    assert.isDefined(approved)
    if (approved !== undefined) yield* owned(approved.success, "two approvals")
    assert.deepStrictEqual((yield* listJournal()).onboardings, [])
  }).pipe(Effect.provide(Simulated))
)

it.effect("a signup under approval is shown as such and cannot be decided", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const id = yield* queued()
    const slow = { service: "nova", method: "PUT", path: "/v2.1/os-quota-sets/*", when: "before" } as const
    yield* cloud.fault({ ...slow, as: { delay_ms: 5000 } })
    const approving = yield* Effect.forkChild(approve(id))
    yield* settle
    const { signups } = yield* listSignups("approving", { limit: 9, after: undefined })
    const [entry] = (yield* listJournal()).onboardings
    assert.deepStrictEqual(
      signups.map((_) => [_.signup_id, _.state, _.attempt_id]),
      [[id, "approving", entry?.attempt_id ?? ""]]
    )
    yield* isBusy(id)
    yield* owned(yield* inTime(Fiber.join(approving)), "the first approval")
  }).pipe(Effect.provide(Simulated))
)

it.effect("an approval with a stuck rollback is signup_busy until a retry has removed the rest", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const id = yield* queued()
    const fails = { when: "before", times: "always", as: { status: 500 } } as const
    yield* cloud.fault({ service: "neutron", method: "POST", path: "/v2.0/routers", ...fails })
    yield* cloud.fault({ service: "rgw", method: "DELETE", path: "/admin/user", ...fails })
    assert.strictEqual((yield* Effect.flip(inTime(approve(id)))).code, "onboarding_failed")
    yield* cloud.clearFaults
    yield* isBusy(id)
    const [entry] = (yield* listJournal()).onboardings
    assert.strictEqual(entry?.state, "stuck")
    yield* inTime(retry(entry?.attempt_id ?? ""))
    yield* onlyQueued("the retry")
    yield* owned(yield* inTime(approve(id)), "after the retry")
    assert.strictEqual(yield* inTime(sweep), 0)
  }).pipe(Effect.provide(Simulated))
)

it.effect("a login that cannot be removed is named, blocks no other step, and is removed by a retry", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const id = yield* queued()
    const role = { service: "zitadel", method: "POST", path: "/management/v1/users/*/grants", nth: 2 } as const
    yield* cloud.fault({ ...role, when: "before", as: { status: 403 } })
    const removal = { service: "zitadel", method: "DELETE", path: "/management/v1/users/*", nth: 2 } as const
    yield* cloud.fault({ ...removal, when: "before", times: "always", as: { status: 403 } })
    const failure = yield* Effect.flip(inTime(approve(id)))
    assert.deepInclude(failure, {
      detail: "Onboarding stopped at owner: zitadel grant role: simulated 403. Not yet removed: owner",
      left: ["owner"]
    })
    yield* isBusy(id)
    assert.lengthOf(yield* people, 1)
    yield* cloud.clearFaults
    const [entry] = (yield* listJournal()).onboardings
    assert.deepStrictEqual(entry?.left, [withWords({ step: "owner", message: "zitadel remove human: simulated 403" })])
    assert.isTrue((yield* inTime(retry(entry?.attempt_id ?? ""))).removed)
    yield* onlyQueued("the retry")
  }).pipe(Effect.provide(Simulated))
)

it.effect("the list has a page, the total, and a cursor", () =>
  Effect.gen(function* () {
    for (const n of [1, 2, 3]) {
      yield* queued(`ann@org-${n}.example`, `Org ${n}`)
      yield* TestClock.adjust("1 second")
    }
    const first = yield* listSignups(undefined, { limit: 2, after: undefined })
    assert.deepStrictEqual([first.count, first.signups.map((_) => _.org_name)], [3, ["Org 1", "Org 2"]])
    assert.isNotNull(first.next_cursor)
    assert.deepStrictEqual(yield* listSignups("rejected", { limit: 2, after: undefined }), {
      count: 0,
      next_cursor: null,
      signups: []
    })
  }).pipe(Effect.provide(Simulated))
)
