import { sampled } from "@portico/testing/sample/sampled"
import type { AuditPage } from "@portico/contract/Audit"
import { serviceQuotas, type Tier } from "@portico/contract/Tiers"
import type { Fault } from "@portico/simulator/Fault"
import { mintLease } from "@portico/store/Credentials"
import { changeLease } from "@portico/store/Tenants"
import { assert } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { pass } from "@portico/testing/store/Aging"
import { eventually } from "./children.ts"
import { hang, killAt, killedOnboarding, removedByAnother, titleOf } from "./killed.ts"
import {
  calls,
  cloudState,
  fault,
  type Gateway,
  reached,
  startGateway,
  story,
  tables,
  tenantOf,
  twoGateways
} from "./harness.ts"

const places: ReadonlyArray<Fault> = [
  hang("keystone", "POST /v3/projects", "after"),
  hang("neutron", "POST /v2.0/networks", "before"),
  hang("zitadel", "PUT /management/v1/users/*/secret", "after"),
  hang("keystone", "PUT /v3/projects/*/tags/*", "after")
]

for (const place of sampled("onboardings", 2, places)) killedOnboarding(place)

for (const place of sampled("mints", 1, [
  hang("zitadel", "POST /management/v1/users/machine", "after"),
  hang("zitadel", "POST /management/v1/users/*/pats", "after")
])) {
  story(`a mint killed at ${titleOf(place)}`, () =>
    Effect.gen(function* () {
      const [first, second] = yield* twoGateways()
      const { token } = yield* tenantOf(first, "Acme GmbH")
      const before = { cloud: yield* cloudState, tables: yield* tables }

      yield* killAt(first, place, first.mint(token, "lost"))
      assert.notDeepEqual(yield* cloudState, before.cloud)

      yield* pass(mintLease)
      yield* eventually(
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* cloudState, before.cloud)
          assert.strictEqual((yield* tables)["credentials"]?.length, before.tables["credentials"]?.length)
        })
      )
      assert.strictEqual((yield* second.mint(token, "kept")).status, 201)
    })
  )
}

/** The tenant has this tier in the table, in its tag and in the quotas that compute enforces, and nothing is half done. */
const hasTier = Effect.fnUntraced(function* (gateway: Gateway, tier: Tier) {
  const [tenant] = (yield* gateway.tenants).body.tenants ?? []
  assert.deepStrictEqual([tenant?.tier, tenant?.pending_tier], [tier, null])
  const state = yield* cloudState
  const tags = JSON.stringify(state["keystone.projects"]).match(/tier:[a-z]+/g)
  assert.deepStrictEqual<unknown>(tags, [`tier:${tier}`])
  assert.deepStrictEqual(state["nova.quotas"], [serviceQuotas(tier).nova])
})

for (const place of sampled("tier moves", 1, [
  hang("cinder", "PUT /v3/*/os-quota-sets/*", "before"),
  hang("neutron", "PUT /v2.0/quotas/*", "after"),
  hang("keystone", "PUT /v3/projects/*/tags", "after")
])) {
  story(`a tier move killed at ${titleOf(place)}`, () =>
    Effect.gen(function* () {
      const [first, second] = yield* twoGateways()
      const { projectId } = yield* tenantOf(first, "Acme GmbH", "discovery")

      yield* killAt(first, place, first.moveTier(projectId, "standard"))
      const [tenant] = (yield* second.tenants).body.tenants ?? []
      assert.deepStrictEqual([tenant?.tier, tenant?.pending_tier], ["discovery", "standard"])
      const meanwhile = yield* second.moveTier(projectId, "standard")
      assert.deepStrictEqual([meanwhile.status, meanwhile.body.code], [409, "tier_move_in_progress"])

      yield* pass(changeLease)
      assert.strictEqual((yield* second.moveTier(projectId, "standard")).status, 200)
      yield* hasTier(second, "standard")
    })
  )
}

story("an onboarding that runs when the process stops is completed first", () =>
  Effect.gen(function* () {
    const gateway = yield* startGateway()
    const slow: Fault = {
      service: "neutron",
      method: "POST",
      path: "/v2.0/networks",
      when: "before",
      as: { delay_ms: 1000 }
    }
    yield* fault(slow)
    const onboarding = yield* Effect.forkScoped(gateway.onboard("Acme GmbH"))
    yield* reached(slow)
    const stopped = yield* Effect.forkScoped(gateway.stop)
    assert.strictEqual((yield* Fiber.join(onboarding)).status, 201)
    // At once, although the client would keep its connection open.
    assert.strictEqual(yield* Effect.timeout(Fiber.join(stopped), "15 seconds"), 0)

    const successor = yield* startGateway()
    assert.strictEqual((yield* successor.tenants).body.tenants?.length, 1)
    assert.strictEqual((yield* successor.journal).body.onboardings?.length, 0)
  })
)

/** Writes over and over on several connections, and notes the id of every answer that has come; whatever breaks ends it. */
const writing = (gateway: Gateway, token: string, answered: Array<string>) => {
  const writes = [
    { path: "/v1/credentials", body: JSON.stringify({ kind: "none" }) },
    { path: "/v1/iaas/compute/servers/absent/action", body: JSON.stringify({ "os-stop": null }) },
    { path: "/v1/iaas/compute/servers/absent/metadata", body: JSON.stringify({ metadata: { a: "b" } }) }
  ]
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
  const lane = async (signal: AbortSignal) => {
    for (let nth = 0; ; nth++) {
      const { body, path } = writes[nth % writes.length]!
      const response = await fetch(`${gateway.url}${path}`, { method: "POST", headers, body, signal })
      await response.arrayBuffer()
      answered.push(response.headers.get("x-request-id")!)
    }
  }
  return Effect.forEach(Array.from({ length: 8 }), () => Effect.ignore(Effect.tryPromise(lane)), {
    concurrency: "unbounded",
    discard: true
  })
}

const recordedIds = Effect.fnUntraced(function* (gateway: Gateway, token: string) {
  const ids = new Set<string>()
  for (let cursor = ""; ;) {
    const { body, status } = yield* gateway.customer<AuditPage>(token, "GET", `/v1/audit?limit=1000${cursor}`)
    assert.strictEqual(status, 200)
    for (const { request_id } of body.records ?? []) ids.add(request_id)
    if ((body.next_cursor ?? null) === null) return ids
    cursor = `&cursor=${body.next_cursor}`
  }
})

story("every answered call is in the audit when its gateway is killed", () =>
  Effect.gen(function* () {
    const [first, second] = yield* twoGateways({ RATE_LIMIT: "off" })
    const { token } = yield* tenantOf(first, "Acme GmbH")
    const answered: Array<string> = []
    const calling = yield* Effect.forkScoped(writing(first, token, answered))
    yield* eventually(Effect.sync(() => assert.isAbove(answered.length, 300)))
    yield* first.kill
    yield* Fiber.join(calling)

    const recorded = yield* recordedIds(second, token)
    assert.deepStrictEqual(
      answered.filter((_) => !recorded.has(_)),
      []
    )
  })
)

story("leftovers of a killed gateway are removed once, by one of the others", () =>
  Effect.gen(function* () {
    const doomed = yield* startGateway()
    yield* killAt(doomed, hang("neutron", "POST /v2.0/networks", "after"), doomed.onboard("Acme GmbH"))
    yield* twoGateways()
    yield* removedByAnother
    const removals = [
      { service: "keystone", method: "DELETE", path: "/v3/projects/*" },
      { service: "neutron", method: "DELETE", path: "/v2.0/networks/*" }
    ] as const
    for (const removal of removals) assert.lengthOf(yield* calls(removal), 1, removal.path)
  })
)
