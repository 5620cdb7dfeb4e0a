import { assert, it } from "@effect/vitest"
import { reconcileAlarms } from "@portico/domain/alarms/reconcile"
import { createAlarm, mostAlarms, removeAlarm, updateAlarm } from "@portico/domain/alarms/change"
import { listAlarms, showAlarm } from "@portico/domain/alarms/read"
import { Bus } from "@portico/domain/events/Bus"
import { onboard } from "@portico/domain/onboarding/onboard"
import { createIncident, removeIncident } from "@portico/domain/status/incidents"
import { showStatus } from "@portico/domain/status/show"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Alarms } from "@portico/store/Alarms"
import { EventLog } from "@portico/store/EventLog"
import { Duration, Effect, Layer } from "effect"
import { administrator, callerOf } from "@portico/testing/tenants/caller"
import { hot, serverOf } from "../monitoring/monitoring.ts"
import { OnPostgres } from "@portico/testing/cloud/postgres"
import { Aging, pass } from "@portico/testing/store/Aging"

const times = { interval: Duration.millis(1), grace: Duration.zero }

const told = Effect.flatMap(EventLog, (_) => _.page("alarms", 0, 1000))

const story = <E>(title: string, test: Effect.Effect<void, E, Aging | Layer.Success<typeof OnPostgres>>) =>
  it.live(title, () => Effect.provide(test, Aging.layer.pipe(Layer.provideMerge(OnPostgres))))

const acme = Effect.gen(function* () {
  const { tenant } = yield* onboard({ name: "Acme GmbH", tier: "discovery" })
  const projectId = tenant.project_id
  const server = yield* serverOf(projectId, 1)
  return { projectId, server }
})

const busy = Effect.fnUntraced(function* (instance_id: string) {
  const { world } = yield* SimulatedCloud
  const metric = "portico:instance_cpu:percent"
  world.monitoring.readings["busy"] = { metric, labels: { instance_id }, value: 95 }
})

const alarm = Effect.fnUntraced(function* (projectId: string, server: string) {
  const request = { name: "hot", rule: hot(server) }
  return (yield* createAlarm(callerOf(projectId), projectId, request)).alarm_id
})

story(
  "six replicas evaluate thirty alarms once each and publish each transition once, on PostgreSQL",
  Effect.gen(function* () {
    const { projectId, server } = yield* acme
    const cloud = yield* SimulatedCloud
    yield* busy(server)
    for (let n = 0; n < 30; n++) yield* alarm(projectId, server)
    yield* cloud.clearCalls
    const once = { ...times, interval: Duration.minutes(10) }
    yield* Effect.all(
      Array.from({ length: 6 }, () => reconcileAlarms(once)),
      { concurrency: "unbounded" }
    )
    assert.lengthOf(yield* cloud.calls, 30)
    const events = yield* told
    assert.lengthOf(events, 30)
    assert.lengthOf([...new Set(events.map((_) => _.key))], 30)
    const alarms = yield* listAlarms(projectId, "alarm")
    assert.strictEqual(alarms.count, 30)
    const counts = yield* (yield* Alarms).counts
    assert.deepStrictEqual(counts, [{ project_id: projectId, state: "alarm", count: 30 }])
  })
)

story(
  "an alarm that one replica has claimed is not claimed by another",
  Effect.gen(function* () {
    const { projectId, server } = yield* acme
    for (let n = 0; n < 60; n++) yield* alarm(projectId, server)
    const { claim } = yield* Alarms
    const claimed = yield* Effect.all(
      Array.from({ length: 30 }, () => claim(2)),
      { concurrency: "unbounded" }
    )
    const ids = claimed.flat().map((_) => _.alarm_id)
    assert.lengthOf([...new Set(ids)], ids.length)
    assert.lengthOf(ids, 60)
  })
)

story(
  "row and event of a transition are written together, or neither is",
  Effect.gen(function* () {
    const { projectId, server } = yield* acme
    yield* busy(server)
    const id = yield* alarm(projectId, server)
    const broken = Bus.of({ publish: () => Effect.die("no room") })
    yield* Effect.provideService(reconcileAlarms(times), Bus, broken)
    assert.deepInclude(yield* showAlarm(projectId, id), { state: "insufficient_data", last_transition_at: null })
    assert.lengthOf(yield* told, 0)
    yield* pass("1 minute")
    yield* reconcileAlarms(times)
    assert.deepInclude(yield* showAlarm(projectId, id), { state: "alarm" })
    assert.lengthOf(yield* told, 1)
  })
)

story(
  "of concurrent creates for the last place one succeeds, over all replicas",
  Effect.gen(function* () {
    const { projectId, server } = yield* acme
    const create = Effect.result(createAlarm(callerOf(projectId), projectId, { name: "hot", rule: hot(server) }))
    yield* Effect.replicateEffect(create, mostAlarms - 1, { concurrency: 4, discard: true })
    const results = yield* Effect.replicateEffect(create, 8, { concurrency: "unbounded" })
    assert.lengthOf(
      results.filter((_) => _._tag === "Success"),
      1
    )
    assert.strictEqual((yield* listAlarms(projectId, undefined)).count, mostAlarms)
  })
)

story(
  "an alarm is changed, hidden from others, and removed",
  Effect.gen(function* () {
    const { projectId, server } = yield* acme
    const id = yield* alarm(projectId, server)
    const changed = yield* updateAlarm(callerOf(projectId), projectId, id, {
      name: "n",
      description: "d",
      severity: "critical",
      enabled: false,
      rule: { ...hot(server), threshold: -0.5, evaluation_periods: 2 }
    })
    assert.deepInclude(changed, { name: "n", description: "d", severity: "critical", enabled: false })
    assert.deepInclude(changed.rule, { threshold: -0.5, period_seconds: 60, evaluation_periods: 2 })
    assert.deepStrictEqual(yield* showAlarm(projectId, id), changed)
    yield* reconcileAlarms(times)
    assert.isNull((yield* showAlarm(projectId, id)).evaluated_at)
    for (const other of [id, "a\0", "x"]) {
      assert.strictEqual((yield* Effect.flip(showAlarm("globex", other))).code, "alarm_not_found")
      assert.strictEqual((yield* Effect.flip(removeAlarm("globex", other))).code, "alarm_not_found")
    }
    assert.deepStrictEqual(yield* removeAlarm(projectId, id), changed)
    assert.deepStrictEqual(yield* listAlarms(projectId, undefined), { count: 0, alarms: [] })
  })
)

story(
  "incidents are stored, published and removed",
  Effect.gen(function* () {
    const made = yield* createIncident(administrator, { title: "Slow", services: ["storage", "api"], message: "m" })
    const coming = yield* createIncident(administrator, {
      kind: "maintenance",
      starts_at: "2999-01-01T00:00:00Z",
      ends_at: "2999-01-02T00:00:00+01:00"
    })
    yield* createIncident(administrator, { starts_at: "2000-01-01T00:00:00Z", ends_at: "2000-01-02T00:00:00Z" })
    const { incidents, maintenance } = yield* showStatus("operator")
    assert.deepStrictEqual([incidents, maintenance], [[made], [coming]])
    assert.strictEqual(coming.ends_at, "2999-01-01T23:00:00.000Z")
    assert.deepStrictEqual(yield* removeIncident(made.incident_id), made)
    for (const id of [made.incident_id, "a\0"]) {
      assert.strictEqual((yield* Effect.flip(removeIncident(id))).code, "incident_not_found")
    }
    assert.deepStrictEqual((yield* showStatus("operator")).incidents, [])
  })
)
