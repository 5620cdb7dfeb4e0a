import { assert, it } from "@effect/vitest"
import { reconcileAlarms } from "@portico/domain/alarms/reconcile"
import { showCapacity } from "@portico/domain/monitoring/capacity"
import { showFleet } from "@portico/domain/monitoring/fleet"
import { showOverview } from "@portico/domain/monitoring/overview"
import { createIncident } from "@portico/domain/status/incidents"
import { capacity } from "@portico/domain/tenants/admission"
import { suspend } from "@portico/domain/tenants/suspend"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { administrator } from "@portico/testing/tenants/caller"
import { inTime } from "@portico/testing/clock"
import { callsOf, faultsOf, titleOf, under } from "@portico/testing/faults/calls"
import { alarmOf, asking, blind, cpuIs, hot, serverOf, times } from "./monitoring.ts"
import { from, seedOf } from "@portico/testing/cloud/seeded"
import { simulatedWith } from "@portico/testing/cloud/Simulated"
import { tenantOf, volumes } from "@portico/testing/tenants/tenant"

const tenants = await seedOf(
  Effect.gen(function* () {
    const acme = yield* tenantOf("standard")
    const globex = yield* tenantOf("discovery", "Globex")
    const one = yield* serverOf(acme, 1)
    return { acme, globex, one, two: yield* serverOf(acme, 2), other: yield* serverOf("no-tenant", 3) }
  })
)
const live = from(tenants)

/** Everything is measured, and nothing was looked at yet. */
const measured = ({ one, other, two }: (typeof tenants)["made"]) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(3_600_000)
    yield* cpuIs(one, 20)
    yield* cpuIs(two, 40.25)
    yield* cpuIs(other, 90)
    const { world } = yield* SimulatedCloud
    const metric = "portico:node_cpu:percent"
    for (const [node, value] of [
      ["compute-1", 10],
      ["compute-2", 20],
      ["compute-3", 33]
    ] as const) {
      world.monitoring.readings[node] = { metric, labels: { node }, value }
    }
  })

it.effect("the overview has the platform's key numbers", () =>
  live((made) =>
    Effect.gen(function* () {
      yield* measured(made)
      const { world } = yield* SimulatedCloud
      yield* alarmOf(made.acme, { rule: { ...hot(made.one), threshold: 10 } })
      yield* alarmOf(made.acme, { rule: hot(made.two) })
      yield* inTime(reconcileAlarms(times))
      yield* alarmOf(made.acme, { rule: hot(made.two) })
      yield* inTime(suspend(made.globex))
      yield* createIncident(administrator, { services: ["compute"] })
      const node = world.monitoring.nodes["compute-3"]
      if (node !== undefined) node.up = false

      const { generated_at, services, ...numbers } = yield* inTime(showOverview())
      assert.isString(generated_at)
      assert.lengthOf(services, 9)
      assert.isString(services[0]?.probe)
      assert.isNotNull(numbers.nodes.memory_percent)
      assert.deepInclude(numbers, {
        overall: "degraded",
        incidents: 1,
        tenants: { total: 2, suspended: 1 },
        alarms: { ok: 1, alarm: 1, insufficient_data: 1 }
      })
      assert.deepInclude(numbers.nodes, { total: 3, up: 2, cpu_percent: 15 })
      assert.deepInclude(numbers.instances, { measured: 3, cpu_percent: 50.1 })
    })
  )
)

it.effect("the fleet has every node and tenant, also idle ones", () =>
  live((made) =>
    Effect.gen(function* () {
      yield* measured(made)
      yield* alarmOf(made.acme, { rule: hot(made.one) })
      const { nodes, services, tenants: rows } = yield* inTime(showFleet())
      assert.lengthOf(services, 9)
      assert.deepStrictEqual(
        nodes.map((_) => [_.node, _.up, _.cpu_percent]),
        [
          ["compute-1", true, 10],
          ["compute-2", true, 20],
          ["compute-3", true, 33]
        ]
      )
      const brief = rows.map(({ memory_percent, ..._ }) => ({ ..._, memory: memory_percent !== null }))
      const none = { ok: 0, alarm: 0, insufficient_data: 0 }
      assert.deepStrictEqual(brief, [
        {
          project_id: made.acme,
          name: "Acme GmbH",
          tier: "standard",
          suspended: false,
          instances: 2,
          cpu_percent: 30.1,
          memory: true,
          alarms: { ...none, insufficient_data: 1 }
        },
        {
          project_id: made.globex,
          name: "Globex",
          tier: "discovery",
          suspended: false,
          instances: 0,
          cpu_percent: null,
          memory: false,
          alarms: none
        },
        {
          project_id: "no-tenant",
          name: null,
          tier: null,
          suspended: false,
          instances: 1,
          cpu_percent: 90,
          memory: true,
          alarms: none
        }
      ])
    })
  )
)

it.effect("the capacity has what may be sold, Nova's count and the storage cluster", () =>
  live((made) =>
    Effect.gen(function* () {
      yield* measured(made)
      yield* volumes(made.acme, [10, 20])
      const found = yield* inTime(showCapacity())
      assert.deepStrictEqual(found.sellable, yield* inTime(capacity()))
      assert.deepStrictEqual(found.physical, {
        hypervisors: 3,
        vcpus: { total: 192, used: 3 },
        memory_mib: { total: 786_432, used: 3 * 512 + 3 * 2048 },
        disk_gib: { total: 6000, used: 60 },
        running_instances: 3,
        storage_bytes: { total: 100 * 1024 ** 4, used: 90 * 1024 ** 3 }
      })
    })
  )
)

it.effect("the number of calls is constant for any number of tenants, servers and nodes", () =>
  live((made) =>
    Effect.gen(function* () {
      yield* measured(made)
      const questions = Effect.all([
        asking(inTime(showOverview())),
        asking(inTime(showFleet())),
        asking(inTime(showCapacity()))
      ])
      // The session of the gateway's own is there from now on.
      yield* questions
      yield* TestClock.adjust("6 seconds")
      const few = yield* questions
      const { world } = yield* SimulatedCloud
      for (let n = 10; n < 500; n++) yield* serverOf(`project-${n % 100}`, n)
      for (let n = 4; n < 100; n++) {
        const name = `compute-${n}`
        world.monitoring.nodes[name] = { name, vcpus: 64, memory_mb: 262_144, disk_gb: 2000, up: true }
      }
      yield* TestClock.adjust("6 seconds")
      const many = yield* questions
      assert.deepStrictEqual(many, few)
      assert.strictEqual(many[1]?.["prometheus"], 3)
    })
  )
)

type Refused = { readonly _tag: string; readonly detail: unknown }

const refusal = <A, R>(route: Effect.Effect<A, Refused, R>) =>
  Effect.map(Effect.flip(inTime(route)), (_): readonly [string, string] => [_._tag, String(_.detail)])

const routes = { overview: refusal(showOverview()), fleet: refusal(showFleet()), capacity: refusal(showCapacity()) }

for (const [name, route] of Object.entries(routes)) {
  it.effect(`the ${name} is a 502 with the upstream's message when monitoring cannot be read`, () =>
    live((made) =>
      Effect.forEach(["reset", "hang", "garbage", { status: 503 }, { status: 400 }] as const, (as) =>
        Effect.gen(function* () {
          yield* measured(made)
          yield* blind(as)
          const [tag, detail] = yield* route
          assert.strictEqual(tag, "BadGateway")
          assert.match(detail, /^monitoring /)
          yield* (yield* SimulatedCloud).clearFaults
        })
      )
    )
  )
}

it.effect("502 when any source of the capacity fails, never a number", () =>
  live(() =>
    Effect.gen(function* () {
      const calls = yield* callsOf(inTime(showCapacity()))
      const sources = calls.filter((_) => _.service !== "keystone" || _.path.endsWith("/projects"))
      assert.sameMembers(
        sources.map((_) => _.service),
        ["keystone", "nova", "prometheus"]
      )
      for (const call of sources) {
        for (const fault of faultsOf(call)) {
          const found = yield* under({ ...fault, times: "always" }, Effect.result(inTime(showCapacity())))
          assert.strictEqual(found._tag === "Failure" && found.failure._tag, "BadGateway", titleOf(fault))
        }
      }
    })
  )
)

it.effect("without monitoring the overview and fleet are 404, and the capacity lacks storage", () =>
  Effect.gen(function* () {
    const none: readonly [string, string] = ["NotFound", "No platform service at 'monitoring'"]
    assert.deepStrictEqual(yield* routes.overview, none)
    assert.deepStrictEqual(yield* routes.fleet, none)
    const { physical } = yield* inTime(showCapacity())
    assert.deepInclude(physical, { hypervisors: 3, storage_bytes: null })
  }).pipe(Effect.provide(simulatedWith({ MONITORING_URL: "" })))
)
