import { assert, it } from "@effect/vitest"
import { serviceQuotas, tiers } from "@portico/contract/Tiers"
import { moveTier } from "@portico/domain/tenants/moveTier"
import type { Fault } from "@portico/simulator/Fault"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Clock, Effect, Exit } from "effect"
import { inTime } from "@portico/testing/clock"
import { callsOf, type NamedCall, titleOf, under } from "@portico/testing/faults/calls"
import { someFaultsOf } from "@portico/testing/faults/some"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { rowOf, tenantOf, tierTagsOf } from "@portico/testing/tenants/tenant"
import { quotasOf } from "@portico/testing/tenants/whole"

const calls = await Effect.runPromise(
  Effect.gen(function* () {
    const projectId = yield* tenantOf("standard")
    return yield* callsOf(moveTier(projectId, "extension"))
  }).pipe(Effect.provide(Simulated))
)

/** The writes in their order, and the service that each of them is. */
const writes = [
  ["compute", "nova"],
  ["block_storage", "cinder"],
  ["network", "neutron"],
  ["load_balancers", "octavia"],
  ["object_storage", "rgw"],
  ["dns", "designate"],
  ["databases", "kubernetes"],
  ["tier_tag", "keystone"]
] as const

/** Which of the writes a call belongs to; none for the read of the admission. */
const placeOf = ({ path, service }: NamedCall): number =>
  path === "/v3/projects" ? -1 : writes.findIndex(([, _]) => _ === service)

const mayPass = ({ as }: Fault): boolean =>
  as === "reset" || as === "hang" || (typeof as === "object" && "status" in as && as.status >= 500)

const moves = Effect.fnUntraced(function* (call: NamedCall, fault: Fault) {
  const because = titleOf(fault)
  const projectId = yield* tenantOf("standard")
  const place = placeOf(call)
  const before = yield* quotasOf(projectId)
  const exit = yield* Effect.exit(under({ ...fault, nth: 1 }, inTime(moveTier(projectId, "extension"))))

  if (Exit.isFailure(exit)) {
    const failure = yield* Effect.flip(exit)
    if (place < 0) {
      assert.deepInclude(failure, { _tag: "BadGateway", code: "upstream_failed", transient: mayPass(fault) }, because)
      assert.deepStrictEqual(yield* quotasOf(projectId), before, because)
      assert.deepInclude(yield* rowOf(projectId), { tier: "standard", pending_tier: null }, because)
    } else {
      const applied = writes.slice(0, place).map(([name]) => name)
      assert.deepInclude(
        failure,
        { _tag: "BadGateway", code: "quota_write_failed", transient: mayPass(fault), applied },
        because
      )
      assert.match(
        failure.detail,
        new RegExp(`^The quota write stopped at ${writes[place]?.[0]}: ${call.service} `),
        because
      )
      // What is said to be applied is, and what comes later is not.
      const now = yield* quotasOf(projectId)
      const wanted = serviceQuotas("extension")
      for (const [index, [, service]] of writes.entries()) {
        // Tags are looked at below; a tenant without databases has no namespace.
        if (service === "keystone" || service === "kubernetes" || index === place) continue
        if (service === "designate") {
          const { designate } = (yield* SimulatedCloud).world
          const zones = index < place ? tiers.extension.dns_zones : undefined
          assert.strictEqual(designate.quotas[projectId]?.limits["zones"], zones, because)
          continue
        }
        assert.deepStrictEqual(
          now[service],
          index < place ? wanted[service] : before[service],
          `${because}: ${service}`
        )
      }
      const tagged = call.path.endsWith("/tags") && fault.when === "after"
      assert.deepStrictEqual(yield* tierTagsOf(projectId), [tagged ? "tier:extension" : "tier:standard"], because)
      assert.deepInclude(
        yield* rowOf(projectId),
        { tier: "standard", pending_tier: "extension", change_lease: null },
        because
      )
    }
    yield* inTime(moveTier(projectId, "extension"))
  }
  assert.deepStrictEqual(yield* quotasOf(projectId), serviceQuotas("extension"), because)
  assert.deepStrictEqual(yield* tierTagsOf(projectId), ["tier:extension"], because)
  assert.deepInclude(yield* rowOf(projectId), { tier: "extension", pending_tier: null }, because)
}, Effect.provide(Simulated))

for (const call of calls) {
  it.effect(
    `a move has the applied ones when ${call.service} ${call.method} ${call.path} fails, and a repeat repairs`,
    () => Effect.forEach(someFaultsOf(call), (fault) => moves(call, fault), { discard: true })
  )
}

it.effect("a move that is slow at every call ends before its lease", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const projectId = yield* tenantOf("standard")
    const began = yield* Clock.currentTimeMillis
    for (const { method, nth: _, ...call } of calls.slice(1)) {
      if (method === "GET") yield* cloud.fault({ ...call, method, times: 2, when: "before", as: "hang" })
      yield* cloud.fault({ ...call, method, times: "always", when: "before", as: { delay_ms: 9500 } })
    }
    const failure = yield* Effect.flip(inTime(moveTier(projectId, "extension")))
    assert.isBelow((yield* Clock.currentTimeMillis) - began, 180_000)
    assert.deepInclude(failure, { _tag: "BadGateway", transient: true })
    assert.deepInclude(yield* rowOf(projectId), { pending_tier: "extension", change_lease: null })
    yield* cloud.clearFaults
    yield* inTime(moveTier(projectId, "extension"))
    assert.deepStrictEqual(yield* quotasOf(projectId), serviceQuotas("extension"))
  }).pipe(Effect.provide(Simulated))
)
