import { assert, describe, it } from "@effect/vitest"
import { positionOf } from "@portico/contract/Page"
import { drift } from "@portico/domain/drift/show"
import { repair } from "@portico/domain/drift/repair"
import { moveTier } from "@portico/domain/tenants/moveTier"
import { suspend } from "@portico/domain/tenants/suspend"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { serviceQuotas, zeroQuotas } from "@portico/contract/Tiers"
import { Clock, Effect } from "effect"
import { inTime } from "@portico/testing/clock"
import { dimensions, disturb, driftOf, notEqual, setQuota } from "./people.ts"
import { callsOf } from "@portico/testing/faults/calls"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { tenantOf, volumes } from "@portico/testing/tenants/tenant"
import { quotasOf } from "@portico/testing/tenants/whole"

const first = { limit: 100, after: undefined }

describe("drift", () => {
  it.effect("a tenant as it was onboarded has none", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("standard")
      const { count, next_cursor, tenants } = yield* drift(undefined, first)
      assert.deepStrictEqual([count, next_cursor, tenants.length], [1, null, 1])
      const [shown] = tenants
      assert.deepInclude(shown, { drifted: false, complete: true })
      assert.deepStrictEqual(shown?.tag, {
        tiers: ["standard"],
        suspended: false,
        state: "equal",
        message: null,
        words: null
      })
      assert.deepInclude(shown?.tenant, { project_id: projectId, tier: "standard", suspended: false })
      assert.deepStrictEqual(
        shown?.dimensions.map(({ dimension, service, wanted }) => ({ service, dimension, wanted })),
        dimensions("standard")
      )
      assert.isTrue(shown?.dimensions.every((_) => _.actual === _.wanted && _.state === "equal"))
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("each changed quota is reported, and no other", () =>
    Effect.gen(function* () {
      const { world } = yield* SimulatedCloud
      const projectId = yield* tenantOf("standard")
      for (const { dimension, service, wanted } of dimensions("standard")) {
        for (const limit of [wanted + 1, wanted - 1, -7]) {
          setQuota(world, projectId, service, dimension, limit)
          const name = `${service}.${dimension}`
          assert.deepStrictEqual(yield* notEqual(projectId), { [name]: "drifted" }, `${name} of ${limit}`)
          const { dimensions, drifted } = yield* driftOf(projectId)
          assert.isTrue(drifted)
          const row = dimensions.find((_) => _.service === service && _.dimension === dimension)
          assert.deepInclude(row, { wanted, actual: limit })
        }
        setQuota(world, projectId, service, dimension, wanted)
      }
      assert.deepStrictEqual(yield* notEqual(projectId), {})
    }).pipe(Effect.provide(Simulated))
  )

  const tags: ReadonlyArray<
    readonly [tags: ReadonlyArray<string>, tiers: ReadonlyArray<string>, suspended: boolean, state: string]
  > = [
    [["tier:standard"], ["standard"], false, "equal"],
    [["tier:standard", "anything"], ["standard"], false, "equal"],
    [["tier:extension"], ["extension"], false, "drifted"],
    [["tier:discovery", "tier:standard"], ["discovery", "standard"], false, "drifted"],
    [["tier:standard", "suspended"], ["standard"], true, "drifted"],
    [[], [], false, "drifted"]
  ]
  it.effect.each(tags)("tags %j", ([tags, tiers, suspended, state]) =>
    Effect.gen(function* () {
      const { world } = yield* SimulatedCloud
      const projectId = yield* tenantOf("standard")
      const project = world.keystone.projects[projectId]
      assert.isDefined(project)
      project.tags = [...tags]
      const { drifted, tag } = yield* driftOf(projectId)
      assert.deepStrictEqual<unknown>(tag, { tiers, suspended, state, message: null, words: null })
      assert.strictEqual(drifted, state !== "equal")
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("a missing quota is absent, not zero", () =>
    Effect.gen(function* () {
      const { world } = yield* SimulatedCloud
      const projectId = yield* tenantOf("standard")
      delete world.rgw.users[`tenant$${projectId}`]
      assert.deepStrictEqual(yield* notEqual(projectId), {
        "rgw.max_buckets": "absent",
        "rgw.max_size": "absent",
        "rgw.max_objects": "absent"
      })
      const { dimensions, drifted } = yield* driftOf(projectId)
      assert.isTrue(drifted)
      assert.isTrue(dimensions.filter((_) => _.service === "rgw").every((_) => _.actual === null))
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("a removed project has no tags, even if services hold quotas", () =>
    Effect.gen(function* () {
      const { world } = yield* SimulatedCloud
      const projectId = yield* tenantOf("standard")
      delete world.keystone.projects[projectId]
      assert.deepInclude((yield* driftOf(projectId)).tag, { state: "absent", tiers: [] })
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("a disabled quota of object storage limits nothing", () =>
    Effect.gen(function* () {
      const { world } = yield* SimulatedCloud
      const projectId = yield* tenantOf("standard")
      const user = world.rgw.users[`tenant$${projectId}`]
      assert.isDefined(user)
      user.user_quota = { ...user.user_quota, enabled: false }
      assert.deepStrictEqual(yield* notEqual(projectId), { "rgw.max_size": "drifted" })
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("block storage held at its usage is not drift, until its usage shrinks", () =>
    Effect.gen(function* () {
      const { world } = yield* SimulatedCloud
      const projectId = yield* tenantOf("standard")
      yield* volumes(projectId, [100, 100])
      yield* inTime(moveTier(projectId, "discovery"))
      assert.deepStrictEqual(yield* notEqual(projectId), { "cinder.gigabytes": "held" })
      const { complete, dimensions, drifted } = yield* driftOf(projectId)
      assert.deepStrictEqual([drifted, complete], [false, true])
      assert.deepInclude(
        dimensions.find((_) => _.dimension === "gigabytes"),
        { wanted: 80, actual: 200 }
      )

      delete world.cinder.volumes[`volume-0-of-${projectId}`]
      assert.deepStrictEqual(yield* notEqual(projectId), { "cinder.gigabytes": "drifted" })
      yield* inTime(repair(projectId))
      assert.deepStrictEqual(yield* notEqual(projectId), { "cinder.gigabytes": "held" })
      delete world.cinder.volumes[`volume-1-of-${projectId}`]
      yield* inTime(repair(projectId))
      assert.deepStrictEqual(yield* notEqual(projectId), {})
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("a suspended tenant should have zero quotas", () =>
    Effect.gen(function* () {
      const { world } = yield* SimulatedCloud
      const projectId = yield* tenantOf("standard")
      yield* inTime(suspend(projectId))
      assert.deepStrictEqual(yield* notEqual(projectId), {})
      const { tag } = yield* driftOf(projectId)
      assert.deepStrictEqual(tag, { tiers: ["standard"], suspended: true, state: "equal", message: null, words: null })
      setQuota(world, projectId, "nova", "cores", 32)
      assert.deepStrictEqual(yield* notEqual(projectId), { "nova.cores": "drifted" })
    }).pipe(Effect.provide(Simulated))
  )

  const services = ["nova", "cinder", "neutron", "octavia", "rgw", "keystone"] as const
  const faults = [{ status: 500 }, { status: 403 }, "reset", "hang", "garbage"] as const
  it.effect.each(services)("when %s cannot be read, that is reported, and the others are compared", (service) =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const projectId = yield* tenantOf("standard")
      for (const as of faults) {
        yield* cloud.fault({ service, method: "GET", path: "**", times: "always", when: "before", as })
        const { complete, dimensions: rows, drifted, tag } = yield* inTime(driftOf(projectId))
        yield* cloud.clearFaults
        assert.deepStrictEqual([drifted, complete], [false, false])
        const own = rows.filter((_) => _.service === service)
        for (const row of service === "keystone" ? [tag] : own) {
          assert.strictEqual(row.state, "unreadable")
          assert.match(row.message ?? "", new RegExp(`^${service} `))
          assert.strictEqual(row.words, row.message)
        }
        assert.isTrue(own.every((_) => _.actual === null && _.wanted !== null))
        assert.isTrue(rows.filter((_) => _.service !== service).every((_) => _.state === "equal"))
      }
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("a tenant costs one call to each service, and four tenants are read at once", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      for (let n = 0; n < 12; n++) yield* tenantOf("discovery", `Tenant ${n}`)
      const calls = yield* callsOf(drift(undefined, first))
      const count = (service: (typeof services)[number]) => calls.filter((_) => _.service === service).length
      assert.deepStrictEqual(services.map(count), [12, 12, 12, 12, 12, 12])
      assert.lengthOf(calls, 72)

      yield* cloud.fault({
        service: "nova",
        method: "GET",
        path: "**",
        times: "always",
        when: "before",
        as: { delay_ms: 5000 }
      })
      const began = yield* Clock.currentTimeMillis
      yield* inTime(drift(undefined, first))
      assert.closeTo((yield* Clock.currentTimeMillis) - began, 15_000, 2000)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("pages have every tenant once, and the total", () =>
    Effect.gen(function* () {
      const made: Array<string> = []
      for (let n = 0; n < 5; n++) made.push(yield* tenantOf("discovery", `Tenant ${n}`))
      const one = yield* drift(undefined, { limit: 3, after: undefined })
      assert.deepStrictEqual([one.count, one.tenants.length], [5, 3])
      assert.isNotNull(one.next_cursor)
      const two = yield* drift(undefined, { limit: 3, after: positionOf(one.next_cursor ?? "") })
      assert.deepStrictEqual([two.count, two.tenants.length, two.next_cursor], [5, 2, null])
      assert.sameMembers(
        [...one.tenants, ...two.tenants].map((_) => _.tenant.project_id),
        made
      )
      assert.strictEqual((yield* Effect.flip(drift("nobody", first))).detail, "Tenant 'nobody' not found")
    }).pipe(Effect.provide(Simulated))
  )
})

describe("a repair", () => {
  it.effect("writes all that the table and the catalogue require, like a tier move", () =>
    Effect.gen(function* () {
      const { world } = yield* SimulatedCloud
      const projectId = yield* tenantOf("standard")
      yield* disturb(projectId, "standard")
      assert.lengthOf(Object.keys(yield* notEqual(projectId)), dimensions("standard").length + 1)
      const { applied, tenant } = yield* inTime(repair(projectId))
      assert.deepInclude(tenant, { project_id: projectId, tier: "standard", suspended: false, pending_tier: null })
      assert.deepStrictEqual(applied.nova, serviceQuotas("standard").nova)
      assert.deepStrictEqual(yield* notEqual(projectId), {})
      assert.sameMembers(world.keystone.projects[projectId]?.tags ?? [], ["their own", "tier:standard"])

      const own = yield* callsOf(inTime(repair(projectId)))
      const move = yield* callsOf(inTime(moveTier(projectId, "standard")))
      assert.deepStrictEqual(own, move.slice(1), "but for the admission")
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("leaves a suspended tenant suspended", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("standard")
      yield* inTime(suspend(projectId))
      yield* disturb(projectId, "standard")
      const { tenant } = yield* inTime(repair(projectId))
      assert.deepInclude(tenant, { tier: "standard", suspended: true, pending_tier: null })
      assert.deepStrictEqual(yield* notEqual(projectId), {})
      assert.deepStrictEqual(yield* quotasOf(projectId), zeroQuotas)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("equals a move to the same tier", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("standard")
      yield* disturb(projectId, "standard")
      yield* inTime(moveTier(projectId, "standard"))
      assert.deepStrictEqual(yield* notEqual(projectId), {})
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("applies to tenants alone", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(repair("nobody"))).detail, "Tenant 'nobody' not found")
    }).pipe(Effect.provide(Simulated))
  )
})
