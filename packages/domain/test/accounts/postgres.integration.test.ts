import { assert, it } from "@effect/vitest"
import { onboard } from "@portico/domain/onboarding/onboard"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Accounts } from "@portico/store/Accounts"
import { Holds } from "@portico/store/Holds"
import { TimeLimit } from "@portico/upstream/System"
import { Context, Duration, Effect, Exit, Layer, Schedule, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { pass } from "@portico/testing/store/Aging"
import { close, finalize, member, reopen, rowOf, working } from "./account.ts"
import { replica, Shared } from "@portico/testing/cloud/postgres"

type Replica = Effect.Success<ReturnType<typeof replica>>

const story = (title: string, tell: Effect.Effect<void, unknown, Layer.Success<typeof Shared> | Scope.Scope>) =>
  it.live(title, () => Effect.provide(Effect.scoped(tell), Shared))

/** A tenant with its owner and its first credential. */
const account = Effect.fnUntraced(function* (name = "Acme GmbH") {
  const { tenant } = yield* onboard({ name, tier: "discovery" })
  const owner = yield* member(tenant.project_id, "customer-owner", `owner-of-${tenant.slug}`)
  const entry = yield* (yield* Accounts).findByProject(tenant.project_id)
  if (entry === undefined) return yield* Effect.die("onboarding has made no account")
  return { name, owner, number: entry.number, path: String(entry.number), projectId: tenant.project_id }
})

type Acme = Effect.Success<ReturnType<typeof account>>

/** Everything that a change of an account changes. */
const rows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    accounts: yield* sql`SELECT * FROM accounts ORDER BY number`,
    tenants: yield* sql`SELECT project_id, closing FROM tenants ORDER BY project_id`,
    credentials: yield* sql`SELECT credential_id, state, held FROM credentials ORDER BY credential_id`
  }
})

/** The services of which this one dies at the method, before its statement or after it. */
const dyingAt = (step: string, when: "before" | "after", replica: Replica): Replica => {
  const [service, method] = step.split(" ")
  const dying = <S extends object>(of: S): S =>
    new Proxy(of, {
      get: (target, name, self) => {
        const held: unknown = Reflect.get(target, name, self)
        if (name !== method || typeof held !== "function") return held
        return (...args: ReadonlyArray<unknown>) =>
          when === "before"
            ? Effect.die("the process is gone")
            : Effect.andThen(Reflect.apply(held, target, args), Effect.die("the process is gone"))
      }
    })
  if (service === "Accounts") return Context.add(replica, Accounts, dying(Context.get(replica, Accounts)))
  return Context.add(replica, Holds, dying(Context.get(replica, Holds)))
}

type Change = (acme: Acme, replica: Replica) => Effect.Effect<unknown, { readonly code: string }>

const changes: ReadonlyArray<readonly [what: string, change: Change, steps: ReadonlyArray<string>]> = [
  [
    "closing",
    (acme, replica) => Effect.provideContext(close(acme), replica),
    ["Accounts lock", "Holds hold", "Accounts close"]
  ],
  [
    "reopening",
    (acme, replica) => Effect.provideContext(reopen(acme), replica),
    ["Accounts lock", "Accounts reopen", "Holds release"]
  ],
  [
    "finalizing",
    (acme, replica) => Effect.provideContext(finalize(acme, "because"), replica),
    ["Accounts lock", "Accounts condemn"]
  ]
]

for (const [what, change, steps] of changes) {
  story(
    `a ${what} that dies at any of its steps has changed nothing, and works afterwards`,
    Effect.gen(function* () {
      const own = yield* replica()
      const acme = yield* Effect.provideContext(account(), own)
      if (what !== "closing") yield* Effect.provideContext(close(acme), own)
      const before = yield* Effect.provideContext(rows, own)
      for (const step of steps) {
        for (const when of ["before", "after"] as const) {
          const dying = dyingAt(step, when, own)
          const exit = yield* Effect.exit(change(acme, dying))
          assert.isTrue(Exit.isFailure(exit), `${step}, ${when}`)
          assert.deepStrictEqual(yield* Effect.provideContext(rows, own), before, `${step}, ${when}`)
        }
      }
      yield* change(acme, own)
      assert.notDeepEqual(yield* Effect.provideContext(rows, own), before)
    })
  )
}

/** What the row says is what holds of the project and its credentials. */
const consistent = Effect.fnUntraced(function* (acme: Acme, because: string) {
  const sql = yield* SqlClient.SqlClient
  const { state } = yield* rowOf(acme)
  const [tenant] = yield* sql<{ closing: unknown }>`SELECT closing FROM tenants WHERE project_id = ${acme.projectId}`
  const held = yield* sql<{ state: string; held: unknown }>`
    SELECT state, held FROM credentials WHERE project_id = ${acme.projectId} AND kind <> 'member'`
  const reasons = state === "open" ? [] : ["account_closure"]
  assert.deepStrictEqual(tenant?.closing, reasons, because)
  for (const row of held) {
    assert.deepStrictEqual(row, { state: state === "open" ? "active" : "suspended", held: reasons }, because)
  }
})

/** The word for its success, or the code of its refusal. */
const outcomeOf = <E extends { readonly code: string }, R>(
  call: Effect.Effect<unknown, E, R>,
  word: string,
  replica: Context.Context<R>
) => Effect.match(Effect.provideContext(call, replica), { onFailure: (_): string => _.code, onSuccess: () => word })

story(
  "concurrent closings, reopenings and finalizings on two replicas are complete or refused",
  Effect.gen(function* () {
    const [one, other] = yield* Effect.all([replica(), replica()])
    const acme = yield* Effect.provideContext(account(), one)
    const outcomes = new Set<string>()
    for (let round = 0; round < 15; round++) {
      const calls = [one, other].flatMap((_) => [
        outcomeOf(close(acme), "closed", _),
        outcomeOf(reopen(acme), "reopened", _)
      ])
      const before = (yield* Effect.provideContext(rowOf(acme), one)).state
      const done = yield* Effect.all(calls, { concurrency: "unbounded" })
      const because = `${before}: ${done.join(", ")}`
      const { state } = yield* Effect.provideContext(rowOf(acme), one)
      const turns = done.filter((_) => _ === "closed").length - done.filter((_) => _ === "reopened").length
      assert.strictEqual(turns, Number(state === "closing") - Number(before === "closing"), because)
      yield* Effect.provideContext(consistent(acme, because), other)
      for (const outcome of done) outcomes.add(outcome)
    }
    assert.deepStrictEqual(
      outcomes,
      new Set(["closed", "reopened", "concurrent_deletion_state", "account_not_closing"])
    )

    if ((yield* Effect.provideContext(rowOf(acme), one)).state === "open") {
      yield* Effect.provideContext(close(acme), one)
    }
    const last = yield* Effect.forEach(
      Array.from({ length: 8 }, (_, index) => index),
      (index) =>
        index % 2 === 0
          ? outcomeOf(reopen(acme), "reopened", index % 4 < 2 ? one : other)
          : outcomeOf(finalize(acme, "because"), "condemned", index % 4 < 2 ? one : other),
      { concurrency: "unbounded" }
    )
    const { destroyer, state } = yield* Effect.provideContext(rowOf(acme), one)
    const decided = state === "open" ? "reopened" : "condemned"
    assert.strictEqual(destroyer === null, state === "open")
    assert.include(last, decided)
    assert.notInclude(last, decided === "reopened" ? "condemned" : "reopened", last.join(", "))
    if (decided === "reopened")
      assert.lengthOf(
        last.filter((_) => _ === decided),
        1
      )
    yield* Effect.provideContext(consistent(acme, last.join(", ")), one)
  })
)

const deletions = Effect.map(
  Effect.flatMap(SimulatedCloud, (_) => _.calls),
  (calls) => calls.filter((_) => _.method === "DELETE" && _.route === "/v3/projects/*").length
)

const until = <A, E, R>(look: Effect.Effect<A, E, R>, enough: (found: A) => boolean) =>
  Effect.repeat(look, { until: enough, schedule: Schedule.spaced("50 millis") })

story(
  "two replicas destroy an account once",
  Effect.gen(function* () {
    const replicas = yield* Effect.all([replica({ ACCOUNT_CLOSURE_DAYS: "0" }), replica({ ACCOUNT_CLOSURE_DAYS: "0" })])
    const [one] = replicas
    for (const each of replicas) yield* Effect.provideContext(Effect.replicateEffect(working, 2), each)
    const acme = yield* Effect.provideContext(account(), one)
    yield* Effect.provideContext(close(acme), one)
    yield* until(Effect.provideContext(rowOf(acme), one), (_) => _.state === "destroyed")
    assert.deepInclude(yield* Effect.provideContext(rowOf(acme), one), {
      attempts: 1,
      destroyed_projects: [acme.projectId]
    })
    assert.strictEqual(yield* deletions, 1)
  })
)

story(
  "when a replica dies during a destruction, another one completes it",
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const [one, other] = yield* Effect.all([
      replica({ ACCOUNT_CLOSURE_DAYS: "0" }),
      replica({ ACCOUNT_CLOSURE_DAYS: "0" })
    ])
    const acme = yield* Effect.provideContext(account(), one)
    yield* cloud.fault({ service: "keystone", method: "DELETE", path: "/v3/projects/*", when: "before", as: "hang" })
    // The first replica waits for an answer that never comes. The second one sees the same as if the first were dead.
    yield* Effect.provideContext(working, Context.add(one, TimeLimit, Duration.hours(1)))
    yield* Effect.provideContext(close(acme), one)
    yield* until(deletions, (_) => _ === 1)
    yield* Effect.provideContext(working, other)
    yield* Effect.sleep("2500 millis")
    const held = yield* Effect.provideContext(rowOf(acme), other)
    assert.deepInclude(held, { state: "closing", attempts: 1 })
    assert.isNotNull(held.lease)
    yield* pass("3 minutes")
    yield* until(Effect.provideContext(rowOf(acme), other), (_) => _.state === "destroyed")
    assert.strictEqual((yield* Effect.provideContext(rowOf(acme), other)).attempts, 2)
    assert.strictEqual(yield* deletions, 2)
  })
)
