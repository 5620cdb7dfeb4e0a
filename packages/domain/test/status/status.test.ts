import { assert, it } from "@effect/vitest"
import type { ServiceStatus, StatusService } from "@portico/contract/Status"
import { Components } from "@portico/domain/health/Components"
import { createIncident, removeIncident } from "@portico/domain/status/incidents"
import { showStatus } from "@portico/domain/status/show"
import type { Fault } from "@portico/simulator/Fault"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Incidents } from "@portico/store/Incidents"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { administrator } from "@portico/testing/tenants/caller"
import { inTime } from "@portico/testing/clock"
import { blind } from "../monitoring/monitoring.ts"
import { Simulated, simulatedWith } from "@portico/testing/cloud/Simulated"

const story = <E>(title: string, test: Effect.Effect<void, E, Layer.Success<typeof Simulated>>) =>
  it.effect(title, () => Effect.provide(Effect.andThen(round, test), Simulated))

/** Everything is looked at once, as the background job does. */
const round = Effect.suspend(() =>
  inTime(
    Effect.flatMap(Components, (_) => _.round),
    "1 second"
  )
)

const services = [
  "compute",
  "storage",
  "network",
  "portal",
  "api",
  "billing",
  "events",
  "object-storage",
  "databases"
] as const

const status = (plane: "customer" | "operator" = "customer") => inTime(showStatus(plane), "100 millis")

const stateOf = Effect.map(status("operator"), (_) => Object.fromEntries(_.services.map((_) => [_.service, _.status])))

const all = (but: Partial<Record<StatusService, ServiceStatus>> = {}) => ({
  ...Object.fromEntries(services.map((_) => [_, "ok"])),
  ...but
})

story(
  "a healthy platform is ok in all nine services, and only operators see the probes",
  Effect.gen(function* () {
    const customer = yield* status()
    assert.deepStrictEqual(customer, {
      generated_at: "1970-01-01T00:00:00.000Z",
      overall: "ok",
      services: services.map((service) => ({ service, status: "ok" as const, detail: "Operating normally." })),
      incidents: [],
      maintenance: []
    })
    const operator = yield* status("operator")
    for (const row of operator.services) assert.isString(row.probe, row.service)
    assert.strictEqual(
      operator.services.find((_) => _.service === "storage")?.probe,
      "volume ok, image ok, 100 percent of it works"
    )
  })
)

const every = (service: Fault["service"], as: Fault["as"], path = "/**"): Fault => ({
  service,
  method: "GET",
  path,
  times: "always",
  when: "before",
  as
})

const failures: ReadonlyArray<readonly [string, Fault, Partial<Record<StatusService, ServiceStatus>>]> = [
  ["Nova resets connections", every("nova", "reset"), { compute: "down" }],
  ["Nova hangs", every("nova", "hang"), { compute: "down" }],
  ["Nova answers 503", every("nova", { status: 503 }), { compute: "down" }],
  ["Nova answers 401", every("nova", { status: 401 }), { compute: "down" }],
  ["Nova answers 404", every("nova", { status: 404 }), { compute: "down" }],
  ["Nova answers garbage", every("nova", "garbage"), { compute: "down" }],
  ["Cinder resets connections", every("cinder", "reset"), { storage: "degraded" }],
  ["Cinder refuses the token", every("cinder", { status: 403 }), { storage: "degraded" }],
  ["Neutron answers 500", every("neutron", { status: 500 }), { network: "degraded" }],
  ["Zitadel hangs", every("zitadel", "hang"), { portal: "down" }],
  ["Keystone resets connections", every("keystone", "reset"), { api: "degraded" }],
  ["billing hangs", every("billing", "hang"), { billing: "down" }],
  ["RGW resets connections", every("rgw", "reset"), { "object-storage": "down" }],
  ["Kubernetes resets connections", every("kubernetes", "reset"), { databases: "down" }],
  ["Kubernetes answers 503", every("kubernetes", { status: 503 }), { databases: "down" }],
  ["Kubernetes answers 403", every("kubernetes", { status: 403 }), { databases: "down" }],
  ["Kubernetes hangs", every("kubernetes", "hang"), { databases: "down" }]
]

for (const [what, fault, wanted] of failures) {
  story(
    `when ${what} that service alone is impaired, in neutral text`,
    Effect.gen(function* () {
      yield* (yield* SimulatedCloud).fault(fault)
      yield* round
      yield* round
      assert.deepStrictEqual(yield* stateOf, all(wanted))
      const customer = yield* status()
      const words = ["Operating normally.", "Partly impaired.", "Not available at the moment."]
      for (const row of customer.services) assert.include(words, row.detail)
      assert.notMatch(JSON.stringify(customer), /nova|cinder|keystone|kubernetes|probe|unauthorized|answer/i)
    })
  )
}

for (const as of ["reset", "hang", "garbage", { status: 500 }, { status: 400 }] as const) {
  story(
    `unreadable monitoring (${JSON.stringify(as)}) makes the API degraded, in neutral text`,
    Effect.gen(function* () {
      yield* blind(as)
      yield* round
      const { overall, services: rows } = yield* status()
      const detail = "Partly impaired: measurements cannot be read at the moment."
      assert.strictEqual(overall, "degraded")
      assert.deepStrictEqual(
        rows.filter((_) => _.status !== "ok"),
        [{ service: "api", status: "degraded", detail }]
      )
    })
  )
}

story(
  "samples override a probe: half of a service is degraded, none of it is down",
  Effect.gen(function* () {
    const { world } = yield* SimulatedCloud
    world.monitoring.services["compute"] = 0.5
    world.monitoring.services["network"] = 0
    yield* round
    assert.deepStrictEqual(yield* stateOf, all({ compute: "degraded", network: "down" }))
    world.monitoring.services["compute"] = 1
    delete world.monitoring.services["network"]
    assert.deepStrictEqual(yield* stateOf, all({ compute: "degraded", network: "down" }))
    yield* round
    assert.deepStrictEqual(yield* stateOf, all())
  })
)

story(
  "status requests make no upstream calls, in any number",
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    yield* cloud.clearCalls
    yield* inTime(
      Effect.all(
        Array.from({ length: 50 }, () => showStatus("customer")),
        { concurrency: "unbounded" }
      )
    )
    assert.deepStrictEqual(yield* cloud.calls, [])
  })
)

story(
  "one failure makes a service degraded, a second one down, and it recovers after a while",
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const seen: Array<string | undefined> = []
    const look = Effect.gen(function* () {
      yield* round
      seen.push((yield* stateOf)["compute"])
    })
    yield* cloud.fault(every("nova", { status: 503 }))
    yield* look
    yield* look
    yield* cloud.clearFaults
    yield* Effect.repeat(look, { times: 3 })
    assert.deepStrictEqual(seen, ["degraded", "down", "degraded", "degraded", "degraded", "ok"])
  })
)

story(
  "an incident is shown at once, affects its services, and ends by removal or time",
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.parse("2026-01-31T12:00:00Z"))
    const made = yield* createIncident(administrator, {
      title: "Slow disks",
      services: ["storage"],
      severity: "major",
      message: "We look at it.",
      ends_at: "2026-01-31T13:00:00+00:00"
    })
    assert.match(made.incident_id, /^inc-[0-9a-f]{12}$/)
    const { created_by, ...told } = made
    assert.strictEqual(created_by, "operator")
    const customer = yield* status()
    assert.deepStrictEqual(customer.incidents, [told])
    assert.deepStrictEqual([customer.overall, (yield* stateOf)["storage"]], ["degraded", "degraded"])
    assert.deepStrictEqual((yield* status("operator")).incidents, [made])

    const all = yield* createIncident(administrator, { severity: "critical" })
    assert.deepInclude(all, { kind: "incident", title: "Incident", services: [], ends_at: null, message: "" })
    assert.strictEqual((yield* status()).overall, "down")
    assert.deepStrictEqual(yield* removeIncident(all.incident_id), all)
    assert.strictEqual((yield* status()).overall, "degraded")

    yield* TestClock.setTime(Date.parse("2026-01-31T13:00:00Z"))
    assert.deepInclude(yield* status(), { overall: "ok", incidents: [] })
    for (const id of [all.incident_id, "inc-000000000000", "", "../incidents", "a\0"]) {
      const error = yield* Effect.flip(removeIncident(id))
      assert.deepStrictEqual([error.code, error.detail], ["incident_not_found", `Incident '${id}' not found`])
    }
  })
)

story(
  "maintenance is announced in advance and changes no status; a future incident is hidden",
  Effect.gen(function* () {
    const at = (starts_at: string, title: string, kind: "incident" | "maintenance" = "maintenance") =>
      createIncident(administrator, { kind, title, starts_at, severity: "critical", services: ["compute"] })
    yield* at("1970-01-03T00:00:00Z", "second")
    yield* at("1970-01-02T00:00:00Z", "first")
    yield* at("1970-01-02T00:00:00Z", "later", "incident")
    const { incidents, maintenance, overall } = yield* status()
    assert.deepStrictEqual(
      maintenance.map((_) => _.title),
      ["first", "second"]
    )
    assert.deepStrictEqual([incidents, overall], [[], "ok"])
    yield* TestClock.setTime(Date.parse("1970-01-02T00:00:00Z"))
    assert.deepStrictEqual(
      (yield* status()).incidents.map((_) => _.title),
      ["later"]
    )
  })
)

story(
  "an end before the beginning is refused",
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.parse("2026-01-31T12:00:00Z"))
    for (const request of [
      { ends_at: "2026-01-31T12:00:00Z" },
      { starts_at: "2026-02-01T00:00:00Z", ends_at: "2026-01-31T23:59:59Z" }
    ]) {
      const error = yield* Effect.flip(createIncident(administrator, request))
      assert.strictEqual(error.code, "incident_span_refused")
    }
  })
)

it.effect("a dead or hanging database is shown as events being down, and the status still answers", () =>
  Effect.forEach([Effect.die("no database"), Effect.never], (list) =>
    Effect.gen(function* () {
      yield* round
      const { incidents, overall, services: rows } = yield* status()
      assert.deepStrictEqual([overall, incidents], ["down", []])
      assert.deepStrictEqual(
        rows.filter((_) => _.status !== "ok").map((_) => _.service),
        ["events"]
      )
    }).pipe(
      Effect.provideServiceEffect(
        Incidents,
        Effect.map(Incidents, (_) => Incidents.of({ ..._, list: () => list }))
      ),
      Effect.provide(Simulated)
    )
  )
)

it.effect("a cloud without billing, cluster and monitoring has no rows for them, and is ok", () =>
  Effect.gen(function* () {
    yield* round
    const { overall, services: rows } = yield* status()
    assert.strictEqual(overall, "ok")
    assert.notIncludeMembers(
      rows.map((_) => _.service),
      ["billing", "databases"]
    )
    assert.isDefined((yield* Components).availability())
  }).pipe(Effect.provide(simulatedWith({ BILLING_URL: "", KUBERNETES_URL: "", MONITORING_URL: "" })))
)
