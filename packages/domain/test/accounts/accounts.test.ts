import { assert, it } from "@effect/vitest"
import { Caller } from "@portico/contract/Access"
import { closeAccount } from "@portico/domain/accounts/close"
import { finalizeAccount } from "@portico/domain/accounts/finalize"
import { listAccounts } from "@portico/domain/accounts/list"
import { reopenAccount } from "@portico/domain/accounts/reopen"
import { showAccount } from "@portico/domain/accounts/show"
import { revoke } from "@portico/domain/credentials/revoke"
import { Bus } from "@portico/domain/events/Bus"
import { onboard } from "@portico/domain/onboarding/onboard"
import { MemberRole } from "@portico/store/Credentials"
import { Holds } from "@portico/store/Holds"
import { Tenants } from "@portico/store/Tenants"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import {
  account,
  type Account,
  close,
  finalize,
  member,
  reopen,
  rowOf,
  Whole,
  working,
  workingEvery
} from "./account.ts"
import { administrator, callerOf, refused } from "@portico/testing/tenants/caller"
import { everything } from "@portico/testing/cloud/cleanSlate"
import { inTime, settle } from "@portico/testing/clock"
import { Cloud, Process } from "@portico/testing/cloud/Simulated"

const day = 24 * 60 * 60 * 1000

/** A window of a day, because every second of a longer one would have to pass. */
const Short = Whole({ ACCOUNT_CLOSURE_DAYS: "1" })

/** Lets the clock pass, and everything that is due. */
const later = Effect.fnUntraced(function* (millis: number) {
  yield* TestClock.adjust(millis)
  for (let turn = 0; turn < 5; turn++) yield* settle
})

const told = <A, E extends { readonly _tag: string; readonly code: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (_) => `${_._tag} ${_.code}`)

/** Waits until it is, whatever the calls take. */
const destroyed = Effect.fnUntraced(function* (acme: Account) {
  yield* inTime(Effect.repeat(rowOf(acme).pipe(Effect.delay("1 second")), { until: (_) => _.state === "destroyed" }))
})

it.effect("an account shows its number, its projects and its members", () =>
  Effect.gen(function* () {
    const acme = yield* account
    yield* member(acme.projectId, "customer-viewer")
    const wanted = {
      number: 1,
      name: "Acme GmbH",
      state: "open",
      created_at: "1970-01-01T00:00:00.000Z",
      window_days: 30,
      closed_at: null,
      closed_by: null,
      reason: null,
      closes_at: null,
      destroying: false,
      projects: [{ project_id: acme.projectId, name: "Acme GmbH", slug: "acme-gmbh", tier: "standard" }],
      members: 2
    } as const
    assert.deepStrictEqual(yield* showAccount(acme.owner, undefined), wanted)
    assert.deepStrictEqual(yield* showAccount(acme.caller, undefined), wanted)
    assert.deepStrictEqual(yield* showAccount(administrator, acme.projectId), wanted)
  }).pipe(Effect.provide(Whole()))
)

it.effect("?project= is refused alike for the own, another and no project, to show and to close", () =>
  Effect.gen(function* () {
    const acme = yield* account
    const { tenant } = yield* inTime(onboard({ name: "Globex", tier: "discovery" }))
    for (const project of [acme.projectId, tenant.project_id, "none", ""]) {
      for (const call of [
        Effect.asVoid(showAccount(acme.owner, project)),
        Effect.asVoid(closeAccount(acme.owner, project, { confirm: "Acme GmbH" }))
      ]) {
        const refusal = yield* Effect.flip(call)
        assert.deepInclude(refusal, {
          code: "project_override_refused",
          detail: "The project parameter is for platform administrators"
        })
      }
    }
    assert.strictEqual(yield* told(showAccount(administrator, undefined)), "Conflict tenant_required")
    assert.strictEqual(yield* told(showAccount(administrator, "none")), "NotFound project_not_found")
    assert.strictEqual(yield* told(showAccount(callerOf("mapped"), undefined)), "NotFound project_not_found")
  }).pipe(Effect.provide(Whole()))
)

it.effect("closing marks and holds all projects, and destroys nothing", () =>
  Effect.gen(function* () {
    const acme = yield* account
    const { pat } = yield* acme.mint("CI")
    assert.strictEqual(yield* refused(pat), "accepted")
    yield* TestClock.adjust("5 seconds")
    const { cloud } = yield* everything

    const closed = yield* closeAccount(acme.owner, undefined, { confirm: "Acme GmbH", reason: "moving out" })

    assert.deepInclude(closed, {
      number: 1,
      state: "closing",
      closed_at: "1970-01-01T00:00:05.000Z",
      closed_by: "olivia",
      reason: "moving out",
      closes_at: "1970-01-31T00:00:05.000Z",
      window_days: 30,
      destroying: false,
      members: 1
    })
    assert.deepStrictEqual((yield* everything).cloud, cloud)
    assert.deepStrictEqual((yield* (yield* Tenants).find(acme.projectId))?.closing, ["account_closure"])
    for (const token of [pat, acme.token]) {
      assert.strictEqual(yield* refused(token), "Unauthorized: Credential is suspended")
    }
    assert.deepStrictEqual(yield* showAccount(acme.owner, undefined), closed, "members can read")
    assert.strictEqual(
      yield* told(closeAccount(administrator, acme.projectId, { confirm: "Acme GmbH" })),
      "Conflict concurrent_deletion_state"
    )
    assert.deepStrictEqual(yield* showAccount(acme.owner, undefined), closed)
  }).pipe(Effect.provide(Whole()))
)

it.effect("only an owner or platform administrator can close it, and only with its name", () =>
  Effect.gen(function* () {
    const acme = yield* account
    const closing = (caller: Caller, confirm = acme.name) => closeAccount(caller, undefined, { confirm })
    const before = yield* everything
    for (const role of [...MemberRole.literals.filter((_) => _ !== "customer-owner"), null]) {
      const caller = new Caller({ ...acme.owner, role })
      assert.strictEqual(yield* told(closing(caller)), "Forbidden owner_required", String(role))
      assert.strictEqual(yield* told(closing(caller, "")), "Forbidden owner_required", String(role))
    }
    for (const confirm of ["", "acme", "acme gmbh", "Acme GmbH ", "acme-gmbh"]) {
      const refusal = yield* Effect.flip(closing(acme.owner, confirm))
      assert.deepInclude(refusal, {
        code: "closing_not_confirmed",
        detail: "Nothing was closed: confirm must be the name of the account, 'Acme GmbH'"
      })
    }
    assert.strictEqual(yield* told(closing(administrator)), "Conflict tenant_required")
    assert.deepStrictEqual(yield* everything, before)

    const { closed_by, state } = yield* closeAccount(administrator, acme.projectId, { confirm: acme.name })
    assert.deepStrictEqual([state, closed_by], ["closing", "operator"])
  }).pipe(Effect.provide(Whole()))
)

it.effect("a closing during a write of quotas is a conflict and changes nothing", () =>
  Effect.gen(function* () {
    const acme = yield* account
    yield* (yield* Tenants).beginChange(acme.projectId, "extension")
    const before = yield* everything
    assert.strictEqual(yield* told(close(acme)), "Conflict tier_move_in_progress")
    assert.deepStrictEqual(yield* everything, before)
    yield* TestClock.adjust("4 minutes")
    assert.strictEqual((yield* close(acme)).state, "closing")
  }).pipe(Effect.provide(Whole()))
)

it.effect("reopening restores all projects, and lists the restored credentials", () =>
  Effect.gen(function* () {
    const acme = yield* account
    yield* TestClock.adjust("1 second")
    const ci = yield* acme.mint("CI")
    const before = yield* everything
    yield* close(acme)
    yield* later(day - 1)

    const { account: reopened, projects } = yield* reopen(acme)

    assert.deepInclude(reopened, { number: 1, state: "open", closes_at: null, closed_by: null, attempts: 0 })
    assert.deepStrictEqual(projects, [
      { project_id: acme.projectId, restored_credentials: [acme.credentialId, ci.credential_id] }
    ])
    assert.strictEqual(yield* refused(ci.pat), "accepted")
    // What was told of it stays told.
    const { events = [], ...tables } = (yield* everything).tables
    const { events: earlier = [], ...others } = before.tables
    assert.deepStrictEqual(tables, others)
    assert.deepStrictEqual(
      events.slice(earlier.length).map((_) => ("envelope" in _ ? _.envelope["kind"] : undefined)),
      ["credential.suspended", "credential.suspended", "credential.restored", "credential.restored"]
    )
    assert.strictEqual(yield* told(reopen(acme)), "Conflict account_not_closing")
  }).pipe(Effect.provide(Short))
)

it.effect("credentials that expired or were revoked, before or meanwhile, stay so after a reopening", () =>
  Effect.gen(function* () {
    const acme = yield* account
    const expired = yield* acme.mint("expired", 1)
    const expiring = yield* acme.mint("expiring", 2)
    const revoked = yield* acme.mint("revoked")
    const good = yield* acme.mint("good", 100)
    yield* later(day + 1)
    yield* revoke(acme.caller, revoked.credential_id)
    yield* close(acme)
    yield* later(day - 1)
    const { projects } = yield* reopen(acme)

    assert.strictEqual(yield* refused(expired.pat), "Unauthorized: Credential has expired")
    assert.strictEqual(yield* refused(expiring.pat), "Unauthorized: Credential has expired")
    assert.strictEqual(yield* refused(revoked.pat), "Unauthorized: Credential has been revoked")
    assert.strictEqual(yield* refused(good.pat), "accepted")
    const restored = projects[0]?.restored_credentials ?? []
    assert.notInclude(restored, revoked.credential_id)
    assert.include(restored, good.credential_id)
  }).pipe(Effect.provide(Short))
)

it.effect("a project that is also being deleted stays held for that", () =>
  Effect.gen(function* () {
    const acme = yield* account
    const ci = yield* acme.mint("CI")
    const holds = yield* Holds
    yield* holds.hold(acme.projectId, "project_deletion")
    yield* close(acme)
    assert.deepStrictEqual((yield* reopen(acme)).projects, [{ project_id: acme.projectId, restored_credentials: [] }])
    assert.deepStrictEqual((yield* (yield* Tenants).find(acme.projectId))?.closing, ["project_deletion"])
    assert.strictEqual(yield* refused(ci.pat), "Unauthorized: Credential is suspended")
    yield* holds.release(acme.projectId, "project_deletion")
    assert.strictEqual(yield* refused(ci.pat), "accepted")
  }).pipe(Effect.provide(Whole()))
)

/** One process after another. */
const inProcess = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.scoped(Effect.provide(effect, Layer.fresh(Process)))

const edges = Effect.fnUntraced(function* (window: number) {
  yield* workingEvery("1 minute")
  const acme = yield* account
  yield* close(acme)
  yield* later(window - 1)
  assert.strictEqual((yield* rowOf(acme)).state, "closing")
  assert.strictEqual((yield* reopen(acme)).account.state, "open")

  yield* close(acme)
  yield* later(window - 1)
  assert.deepInclude(yield* rowOf(acme), { state: "closing", attempts: 0 })
  yield* later(1)
  yield* destroyed(acme)
  assert.deepInclude(yield* rowOf(acme), { finalized_by: null, finalize_reason: null })
}, Effect.scoped)

it.effect("the window is as long as the setting, to the millisecond", () => Effect.provide(edges(day), Short))

it.effect("the window is 30 days by default, and survives a restart", () =>
  Effect.gen(function* () {
    const acme = yield* inProcess(Effect.tap(account, close))
    yield* TestClock.adjust(30 * day - 1)
    yield* inProcess(Effect.andThen(working, settle))
    assert.deepInclude(yield* rowOf(acme), { state: "closing", attempts: 0 })
    yield* TestClock.adjust(1)
    yield* inProcess(Effect.andThen(working, destroyed(acme)))
  }).pipe(Effect.provide(Layer.provideMerge(Bus.layer, Cloud)))
)

it.effect("after the window it cannot be reopened, even before its destruction", () =>
  Effect.gen(function* () {
    const acme = yield* account
    yield* close(acme)
    yield* later(day)
    const refusal = yield* Effect.flip(reopen(acme))
    assert.deepInclude(refusal, {
      code: "account_window_over",
      detail: "Account '1' cannot be reopened: its closing window was over at 1970-01-02T00:00:00.000Z"
    })
  }).pipe(Effect.provide(Short))
)

it.effect("a window of 0 days destroys at once", () =>
  Effect.gen(function* () {
    yield* working
    const acme = yield* account
    const { closed_at, closes_at, state, window_days } = yield* close(acme)
    assert.deepStrictEqual([state, window_days, closes_at], ["closing", 0, closed_at])
    yield* destroyed(acme)
  }).pipe(Effect.scoped, Effect.provide(Whole({ ACCOUNT_CLOSURE_DAYS: "0" })))
)

it.effect("a reopening cancels the deadline, and a later closing has its own", () =>
  Effect.gen(function* () {
    yield* workingEvery("1 minute")
    const acme = yield* account
    yield* close(acme)
    yield* later(day / 2)
    yield* reopen(acme)
    yield* later(day / 4)
    yield* close(acme)
    yield* later(day - 1)
    assert.deepInclude(yield* rowOf(acme), { state: "closing", attempts: 0 })
    yield* later(1)
    yield* destroyed(acme)
  }).pipe(Effect.scoped, Effect.provide(Short))
)

it.effect("it is finalized after the window, earlier only for a stated reason", () =>
  Effect.gen(function* () {
    const acme = yield* account
    assert.strictEqual(yield* told(finalize(acme)), "Conflict account_not_closing")
    yield* close(acme)
    yield* later(day - 1)
    const refusal = yield* Effect.flip(finalize(acme))
    assert.deepInclude(refusal, {
      code: "account_in_window",
      detail:
        "The closing window of account '1' is over at 1970-01-02T00:00:00.000Z: state a reason to destroy it earlier"
    })
    const condemned = yield* finalize(acme, "a court wants it")
    const why = { finalized_by: "operator", finalize_reason: "a court wants it" }
    assert.deepInclude(condemned, { state: "closing", destroying: true, attempts: 0, ...why })
    assert.strictEqual(yield* told(reopen(acme)), "Conflict account_destroying")
    assert.deepStrictEqual(yield* finalize(acme), condemned, "the same again")
    yield* working
    yield* destroyed(acme)
    assert.deepInclude(yield* rowOf(acme), { attempts: 1 })
    const over = [yield* told(reopen(acme)), yield* told(finalize(acme)), yield* told(finalize(acme, "again"))]
    assert.deepStrictEqual(new Set(over), new Set(["Conflict account_not_closing"]))
  }).pipe(Effect.scoped, Effect.provide(Short))
)

it.effect("a malformed or unknown account number is 404 with the same detail", () =>
  Effect.gen(function* () {
    yield* account
    for (const path of ["0", "2", "01", "-1", "1.0", "1e0", " 1", "x", "9".repeat(30), ""]) {
      const refusals = [
        yield* Effect.flip(reopenAccount(path)),
        yield* Effect.flip(finalizeAccount(administrator, path, {}))
      ]
      for (const refusal of refusals) {
        assert.deepInclude(refusal, { code: "account_not_found", detail: `Account '${path}' not found` })
      }
    }
  }).pipe(Effect.provide(Whole()))
)

it.effect("the operators' list has pages, counts all, and filters by state", () =>
  Effect.gen(function* () {
    yield* working
    const acme = yield* account
    for (const name of ["Globex", "Initech"]) yield* inTime(onboard({ name, tier: "discovery" }))
    yield* close(acme)
    const first = yield* listAccounts(undefined, { limit: 2, after: undefined })
    assert.deepStrictEqual([first.count, first.accounts.map((_) => _.number)], [3, [1, 2]])
    assert.isNotNull(first.next_cursor)
    const closing = yield* listAccounts("closing", { limit: 2, after: undefined })
    assert.deepStrictEqual([closing.count, closing.next_cursor], [1, null])
    assert.deepInclude(closing.accounts[0], { number: 1, projects: [{ project_id: acme.projectId }], refusal: null })
    yield* finalize(acme, "now")
    yield* destroyed(acme)
    const [gone] = (yield* listAccounts("destroyed", { limit: 2, after: undefined })).accounts
    assert.deepInclude(gone, {
      number: 1,
      state: "destroyed",
      destroying: false,
      projects: [{ project_id: acme.projectId }]
    })
    assert.isNotNull(gone?.destroyed_at)
  }).pipe(Effect.scoped, Effect.provide(Whole()))
)
