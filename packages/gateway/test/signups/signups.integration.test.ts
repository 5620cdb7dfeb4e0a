import { sampled } from "@portico/testing/sample/sampled"
import type { Approved, SignupReceived, SignupRow } from "@portico/contract/Signups"
import { tiers } from "@portico/contract/Tiers"
import type { Fault } from "@portico/simulator/Fault"
import { lease } from "@portico/store/Journal"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { pass } from "@portico/testing/store/Aging"
import { eventually } from "../processes/children.ts"
import {
  ask,
  Cloud,
  cloudState,
  fault,
  type Gateway,
  quiet,
  reached,
  story,
  tables,
  twoGateways
} from "../processes/harness.ts"

const unbounded = { concurrency: "unbounded" } as const

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

const signUp = (gateway: Gateway, email: string, org_name: string) =>
  ask<SignupReceived>("POST", `${gateway.url}/v1/signup`, { body: { email, org_name } })

const list = (gateway: Gateway, state: string) =>
  Effect.map(
    gateway.operator<{ readonly signups: ReadonlyArray<SignupRow> }>("GET", `/v1/signups?state=${state}`),
    (_) => _.body.signups ?? []
  )

/** A signup that waits, and its id. */
const queued = Effect.fnUntraced(function* (gateway: Gateway, name = "Acme") {
  yield* signUp(gateway, `ann@${name.toLowerCase()}.example`, name)
  const row = (yield* list(gateway, "pending")).find((_) => _.org_name === name)
  return row?.signup_id ?? (yield* Effect.die(`${name} is not queued`))
})

const approve = (gateway: Gateway, id: string) =>
  gateway.operator<Approved>("POST", `/v1/signups/${id}/approve`, { tier: "discovery" })

const reject = (gateway: Gateway, id: string) => gateway.operator<SignupRow>("POST", `/v1/signups/${id}/reject`)

/** How many there are of each that an approval makes. */
const made = Effect.gen(function* () {
  const { "keystone.projects": projects = [], "zitadel.users": users = [] } = yield* cloudState
  const { accounts, onboardings, tenants } = yield* tables
  const { untouched } = yield* Cloud
  return {
    projects: projects.length - (untouched["keystone.projects"]?.length ?? 0),
    owners: JSON.stringify(users).match(/"nickName":"portico-attempt:/g)?.length ?? 0,
    accounts: accounts?.length,
    tenants: tenants?.length,
    onboardings: onboardings?.length
  }
})

const tenants = (count: number) => ({
  projects: count,
  owners: count,
  accounts: count,
  tenants: count,
  onboardings: 0
})

story("of twenty concurrent approvals of one signup, over two gateways, one makes a tenant", () =>
  Effect.gen(function* () {
    const gateways = yield* twoGateways()
    const id = yield* queued(gateways[0])
    const answers = yield* Effect.forEach(numbers(20), (n) => approve(gateways[n % 2 === 0 ? 0 : 1], id), unbounded)
    assert.deepStrictEqual(answers.map((_) => _.status).toSorted(), [200, ...numbers(19).map(() => 409)])
    for (const { body } of answers.filter((_) => _.status === 409)) {
      assert.include(["signup_busy", "signup_decided"], body.code)
    }
    assert.deepStrictEqual(yield* made, tenants(1))
  })
)

story("a concurrent approval and rejection, over two gateways, have one outcome", () =>
  Effect.gen(function* () {
    const [first, second] = yield* twoGateways()
    const ids = yield* Effect.forEach(numbers(8), (n) => queued(first, `Org${n}`))
    const outcomes = yield* Effect.forEach(
      ids,
      (id, n) =>
        Effect.all([approve(n % 2 === 0 ? first : second, id), reject(n % 2 === 0 ? second : first, id)], unbounded),
      unbounded
    )
    const onboarded = yield* list(second, "onboarded")
    const rejected = yield* list(first, "rejected")
    for (const [n, [approval, rejection]] of outcomes.entries()) {
      assert.deepStrictEqual([approval.status, rejection.status].toSorted(), [200, 409])
      const kept = approval.status === 200 ? onboarded : rejected
      assert.include(
        kept.map((_) => _.signup_id),
        ids[n]
      )
    }
    assert.strictEqual(onboarded.length + rejected.length, ids.length)
    assert.deepStrictEqual(yield* made, tenants(onboarded.length))
  })
)

story("concurrent approvals for the last slots never exceed the budget, and refused ones stay pending", () =>
  Effect.gen(function* () {
    const gateways = yield* twoGateways({ SELLABLE_CORES: String(2 * tiers.discovery.cores + 1) })
    const ids = yield* Effect.forEach(numbers(6), (n) => queued(gateways[0], `Org${n}`))
    const answers = yield* Effect.forEach(ids, (id, n) => approve(gateways[n % 2 === 0 ? 0 : 1], id), unbounded)
    for (const { body, status } of answers.filter((_) => _.status !== 200)) {
      assert.deepStrictEqual([status, body.code, body.admission?.admitted], [409, "budget_exceeded", false])
    }
    assert.lengthOf(yield* list(gateways[1], "onboarded"), 2)
    assert.lengthOf(yield* list(gateways[1], "pending"), 4)
    assert.deepStrictEqual(yield* made, tenants(2))
  })
)

story("concurrent signups over two gateways are accepted up to the limit, and one is queued once", () =>
  Effect.gen(function* () {
    const gateways = yield* twoGateways({ SIGNUPS_PER_SOURCE: "10" })
    const answers = yield* Effect.forEach(
      numbers(40),
      (n) => signUp(gateways[n % 2 === 0 ? 0 : 1], "ann@acme.example", n % 4 < 2 ? "Acme" : "ACME"),
      unbounded
    )
    assert.strictEqual(answers.filter((_) => _.status === 202).length, 10)
    assert.strictEqual(answers.filter((_) => _.status === 429).length, 30)
    assert.lengthOf(yield* list(gateways[0], "pending"), 1)
    assert.lengthOf((yield* tables)["signup_requests"] ?? [], 10)
  })
)

const hang = (service: Fault["service"], call: string, when: Fault["when"], nth = 1): Fault => {
  const [method = "", path = ""] = call.split(" ")
  return { service, method, path, when, nth, as: "hang" }
}

for (const place of sampled("approvals", 2, [
  hang("neutron", "POST /v2.0/networks", "after"),
  hang("keystone", "PUT /v3/projects/*/tags/*", "after"),
  hang("zitadel", "POST /management/v1/users/human/_import", "before"),
  hang("zitadel", "POST /management/v1/users/human/_import", "after"),
  hang("zitadel", "POST /management/v1/users/*/grants", "after", 2)
])) {
  story(`an approval killed at ${place.service} ${place.method} ${place.path}, ${place.when} its effect`, () =>
    Effect.gen(function* () {
      const [first, second] = yield* twoGateways()
      const id = yield* queued(first)
      yield* fault(place)
      yield* Effect.forkScoped(approve(first, id))
      yield* reached(place)
      yield* first.kill
      yield* quiet

      assert.lengthOf(yield* list(second, "approving"), 1)
      for (const decide of [approve, reject]) {
        const meanwhile = yield* decide(second, id)
        assert.deepStrictEqual([meanwhile.status, meanwhile.body.code], [409, "signup_busy"])
      }

      yield* pass(lease)
      yield* eventually(
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* cloudState, (yield* Cloud).untouched)
          assert.lengthOf(yield* list(second, "pending"), 1)
        })
      )
      // The attempt rests, because a process that only stood still might have made more.
      yield* pass(lease)
      yield* eventually(Effect.map(made, (_) => assert.deepStrictEqual(_, tenants(0))))
      const again = yield* approve(second, id)
      assert.strictEqual(again.status, 200, again.body.detail)
      assert.deepStrictEqual(yield* made, tenants(1))
    })
  )
}
