import type { AdmissionNumbers } from "@portico/contract/Admission"
import type { Capacity } from "@portico/contract/Signups"
import { serviceQuotas, tiers } from "@portico/contract/Tiers"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { cloudState, fault, type Gateway, story, tables, tenantOf, twoGateways } from "./harness.ts"

const unbounded = { concurrency: "unbounded" } as const

/** So many requests at once, half of them at each gateway. */
const atOnce = <A>(
  gateways: ReadonlyArray<Gateway>,
  count: number,
  request: (gateway: Gateway, index: number) => Effect.Effect<A>
) =>
  Effect.forEach(
    Array.from({ length: count }, (_, index) => index),
    (index) => request(gateways[index % gateways.length]!, index),
    unbounded
  )

/** The tiers of all projects of the cloud, by their tags. */
const tags = Effect.map(cloudState, (_) => JSON.stringify(_["keystone.projects"]).match(/tier:[a-z]+/g) ?? [])

const projects = Effect.map(cloudState, (_) => _["keystone.projects"]?.length ?? 0)

story("of twenty concurrent onboardings of one name, over two gateways, one succeeds", () =>
  Effect.gen(function* () {
    const gateways = yield* twoGateways()
    const before = yield* projects
    const answers = yield* atOnce(gateways, 20, (gateway) => gateway.onboard("Acme GmbH"))

    assert.deepStrictEqual(answers.map((_) => _.status).toSorted(), [201, ...Array.from({ length: 19 }, () => 409)])
    const refusals = new Set(answers.filter((_) => _.status === 409).map((_) => _.body.code))
    refusals.delete("organisation_name_taken")
    refusals.delete("onboarding_in_progress")
    assert.deepStrictEqual([...refusals], [])
    assert.strictEqual(yield* projects, before + 1)
    const { onboardings, tenants } = yield* tables
    assert.deepStrictEqual([onboardings?.length, tenants?.length], [0, 1])
  })
)

/** A budget in which three of the smallest tier fit. */
const threeSlots = { SELLABLE_CORES: String(3 * tiers.discovery.cores + 1) }

const cores = (numbers: AdmissionNumbers | undefined) => {
  const found = numbers?.dimensions.find((_) => _.dimension === "cores")
  return found && { requested: found.requested, used: found.used, limit: found.limit, remaining: found.remaining }
}

story("concurrent onboardings for the last slots never exceed the budget, over two gateways", () =>
  Effect.gen(function* () {
    const gateways = yield* twoGateways(threeSlots)
    const answers = yield* atOnce(gateways, 12, (gateway, index) => gateway.onboard(`Tenant ${index}`))

    const granted = answers.filter((_) => _.status === 201)
    const refused = answers.filter((_) => _.status !== 201)
    assert.strictEqual(granted.length, 3)
    for (const { body, status } of refused) {
      assert.deepStrictEqual([status, body.code], [409, "budget_exceeded"])
      assert.deepStrictEqual(cores(body.admission), { requested: 8, used: 24, limit: 25, remaining: 1 })
      assert.strictEqual(
        body.detail,
        "Tier discovery does not fit into the sellable budget: cores requested 8, used 24, limit 25, remaining 1"
      )
    }
    assert.deepStrictEqual(granted.map((_) => cores(_.body.admission)?.used).toSorted(), [0, 16, 8])
    assert.deepStrictEqual(yield* tags, ["tier:discovery", "tier:discovery", "tier:discovery"])

    const capacity = yield* gateways[1].operator<Capacity>("GET", "/v1/signups/capacity")
    assert.strictEqual(capacity.body.tenants?.discovery, 3)
    assert.deepStrictEqual(cores(capacity.body.tiers?.[0]), { requested: 8, used: 24, limit: 25, remaining: 1 })
  })
)

story("a full budget stays full while an onboarding becomes a tenant", () =>
  Effect.gen(function* () {
    const gateways = yield* twoGateways(threeSlots)
    const end = performance.now() + 2000
    const granted: Array<string> = []
    const keepAsking = Effect.fnUntraced(function* (gateway: Gateway, index: number) {
      for (let round = 0; performance.now() < end; round++) {
        const name = `Tenant ${index} ${round}`
        if ((yield* gateway.onboard(name)).status === 201) granted.push(name)
      }
    })
    yield* atOnce(gateways, 8, keepAsking)
    assert.lengthOf(granted, 3)
    assert.deepStrictEqual(yield* tags, ["tier:discovery", "tier:discovery", "tier:discovery"])
  })
)

story("of two concurrent moves up into the last slot one succeeds", () =>
  Effect.gen(function* () {
    const gateways = yield* twoGateways({ SELLABLE_CORES: String(tiers.discovery.cores + tiers.standard.cores) })
    const acme = yield* tenantOf(gateways[0], "Acme GmbH")
    const globex = yield* tenantOf(gateways[0], "Globex")
    const moves = yield* Effect.all(
      [gateways[0].moveTier(acme.projectId, "standard"), gateways[1].moveTier(globex.projectId, "standard")],
      unbounded
    )
    assert.deepStrictEqual(moves.map((_) => [_.status, _.body.code]).toSorted(), [
      [200, undefined],
      [409, "budget_exceeded"]
    ])
    assert.deepStrictEqual((yield* tags).toSorted(), ["tier:discovery", "tier:standard"])
  })
)

story("of two concurrent moves of one tenant one is refused, and the other is complete", () =>
  Effect.gen(function* () {
    const gateways = yield* twoGateways()
    const { projectId } = yield* tenantOf(gateways[0], "Acme GmbH")
    yield* fault({
      service: "nova",
      method: "PUT",
      path: "**",
      times: "always",
      when: "before",
      as: { delay_ms: 4000 }
    })
    const moves = yield* Effect.all(
      [gateways[0].moveTier(projectId, "standard"), gateways[1].moveTier(projectId, "extension")],
      unbounded
    )
    assert.deepStrictEqual(moves.map((_) => [_.status, _.body.code]).toSorted(), [
      [200, undefined],
      [409, "tier_move_in_progress"]
    ])
    const won = moves[0].status === 200 ? "standard" : "extension"
    const [tenant] = (yield* gateways[0].tenants).body.tenants ?? []
    assert.deepStrictEqual([tenant?.tier, tenant?.pending_tier], [won, null])
    assert.deepStrictEqual<unknown>(yield* tags, [`tier:${won}`])
    assert.deepStrictEqual((yield* cloudState)["nova.quotas"], [serviceQuotas(won).nova])
  })
)

story("concurrent mints never exceed the allowance, over two gateways", () =>
  Effect.gen(function* () {
    const gateways = yield* twoGateways()
    const { token } = yield* tenantOf(gateways[0], "Acme GmbH")
    const free = tiers.discovery.credentials - 1
    const answers = yield* atOnce(gateways, free + 6, (gateway, index) => gateway.mint(token, `key ${index}`))
    assert.strictEqual(answers.filter((_) => _.status === 201).length, free)
    const refused = new Set(answers.filter((_) => _.status !== 201).map((_) => `${_.status} ${_.body.code}`))
    assert.deepStrictEqual([...refused], ["409 credential_allowance_reached"])
  })
)
