import { assert, it } from "@effect/vitest"
import type { AlarmRule } from "@portico/contract/Alarms"
import { AlarmEvent } from "@portico/contract/Events"
import { reconcileAlarms } from "@portico/domain/alarms/reconcile"
import { createAlarm, mostAlarms, removeAlarm, updateAlarm } from "@portico/domain/alarms/change"
import { type Verdict, verdictOf } from "@portico/domain/alarms/evaluate"
import { listAlarms, showAlarm } from "@portico/domain/alarms/read"
import { showContents } from "@portico/domain/projects/show"
import { holdProject } from "@portico/domain/projects/hold"
import { suspend } from "@portico/domain/tenants/suspend"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Alarms } from "@portico/store/Alarms"
import { Memory } from "@portico/testing/store/Memory"
import { Effect, Schema } from "effect"
import { converged, groupOf, serversOf } from "../autoscaling/autoscaling.ts"
import { callerOf } from "@portico/testing/tenants/caller"
import { inTime } from "@portico/testing/clock"
import { alarmOf, asking, blind, cpuIs, hot, minutes, serverOf, times, transitions } from "../monitoring/monitoring.ts"
import { carriedOut, condemned } from "../projects/purged.ts"
import { from, seedOf } from "@portico/testing/cloud/seeded"
import { simulatedWith } from "@portico/testing/cloud/Simulated"
import { tenantOf } from "@portico/testing/tenants/tenant"

const tenants = await seedOf(
  Effect.gen(function* () {
    const acme = yield* tenantOf("discovery")
    const globex = yield* tenantOf("discovery", "Globex")
    return { acme, globex, mine: yield* serverOf(acme, 1), theirs: yield* serverOf(globex, 2) }
  })
)
const live = from(tenants)

const states = Effect.map(transitions, (all) =>
  all.map((_) => {
    const { data } = Schema.decodeUnknownSync(AlarmEvent)(_)
    return `${data.previous} -> ${data.current}`
  })
)

it.effect("an alarm's event is published when its state changes, and only then", () =>
  live(({ acme, mine }) =>
    Effect.gen(function* () {
      yield* cpuIs(mine, 10)
      const id = yield* alarmOf(acme, { rule: hot(mine), severity: "critical" })
      assert.deepInclude(yield* showAlarm(acme, id), {
        state: "insufficient_data",
        reason: "Not evaluated yet",
        last_transition_at: null,
        evaluated_at: null
      })
      yield* minutes(3)
      assert.deepStrictEqual(yield* states, ["insufficient_data -> ok"])
      yield* cpuIs(mine, 95.5)
      yield* minutes(5)
      assert.deepStrictEqual(yield* states, ["insufficient_data -> ok", "ok -> alarm"])
      yield* cpuIs(mine, 80)
      yield* minutes(5)
      assert.deepStrictEqual(yield* states, ["insufficient_data -> ok", "ok -> alarm", "alarm -> ok"])

      const [, event] = yield* transitions
      const reason = "cpu was greater than 80 percent in 1 of the last 1 periods of 60 s; the last value is 95.5"
      const { at, data, id: eventId, ...envelope } = Schema.decodeUnknownSync(AlarmEvent)(event)
      assert.deepStrictEqual(envelope, { topic: "alarms", kind: "alarm.state_changed", key: id, project_id: acme })
      assert.deepStrictEqual(data, {
        alarm_id: id,
        alarm_name: "hot",
        severity: "critical",
        previous: "ok",
        current: "alarm",
        reason,
        metric: "cpu",
        instance_id: mine,
        group_id: null
      })
      assert.notStrictEqual(eventId, (yield* transitions)[0]?.["id"])
      assert.isString(at)
      const alarm = yield* showAlarm(acme, id)
      assert.deepInclude(alarm, { state: "ok" })
      assert.strictEqual(alarm.last_transition_at, String((yield* transitions)[2]?.["at"]))
    })
  )
)

it.effect("each alarm is evaluated once in an interval, by many concurrent rounds", () =>
  live(({ acme, mine }) =>
    Effect.gen(function* () {
      for (let n = 0; n < 40; n++) yield* alarmOf(acme, { rule: hot(mine) })
      const once = yield* asking(
        Effect.all([inTime(reconcileAlarms(times)), inTime(reconcileAlarms(times)), inTime(reconcileAlarms(times))], {
          concurrency: "unbounded"
        })
      )
      assert.deepStrictEqual(once, { prometheus: 40 })
      assert.deepStrictEqual(yield* asking(inTime(reconcileAlarms(times))), {})
      assert.deepStrictEqual(yield* asking(minutes(1)), { prometheus: 40 })
    })
  )
)

for (const as of ["reset", "hang", "garbage", { status: 500 }, { status: 400 }] as const) {
  it.effect(`unreadable monitoring (${JSON.stringify(as)}) changes no state until it lasts, then once`, () =>
    live(({ acme, mine }) =>
      Effect.gen(function* () {
        const cloud = yield* SimulatedCloud
        yield* cpuIs(mine, 95)
        const id = yield* alarmOf(acme, { rule: hot(mine) })
        yield* minutes(1)
        yield* blind(as)
        yield* minutes(3)
        assert.deepStrictEqual(yield* states, ["insufficient_data -> alarm"])
        assert.strictEqual((yield* showAlarm(acme, id)).state, "alarm")
        // It could be read in between: the time begins anew.
        yield* cloud.clearFaults
        yield* minutes(1)
        yield* blind(as)
        yield* minutes(3)
        assert.deepStrictEqual(yield* states, ["insufficient_data -> alarm"])
        yield* minutes(10)
        assert.deepStrictEqual(yield* states, ["insufficient_data -> alarm", "alarm -> insufficient_data"])
        assert.strictEqual((yield* showAlarm(acme, id)).reason, "The measurements cannot be read")
        yield* cloud.clearFaults
        yield* minutes(2)
        assert.strictEqual((yield* states).at(-1), "insufficient_data -> alarm")
        assert.lengthOf(yield* states, 3)
      })
    )
  )
}

it.effect("a hanging monitoring is not awaited by every alarm", () =>
  live(({ acme, mine }) =>
    Effect.gen(function* () {
      for (let n = 0; n < 60; n++) yield* alarmOf(acme, { rule: hot(mine) })
      yield* blind("hang")
      const asked = yield* asking(inTime(reconcileAlarms(times)))
      assert.isAtMost(asked["prometheus"] ?? 0, 24)
      const { alarms } = yield* Memory
      for (const alarm of alarms.values()) assert.isNotNull(alarm.evaluated_at)
    })
  )
)

it.effect("a removed instance, and one without samples, becomes insufficient_data after a while", () =>
  live(({ acme, mine }) =>
    Effect.gen(function* () {
      const { world } = yield* SimulatedCloud
      yield* cpuIs(mine, 10)
      yield* alarmOf(acme, { rule: hot(mine) })
      yield* minutes(2)
      delete world.nova.servers[mine]
      yield* minutes(10)
      assert.deepStrictEqual(yield* states, ["insufficient_data -> ok", "ok -> insufficient_data"])
    })
  )
)

const rule = (more: Partial<AlarmRule> = {}): AlarmRule => ({
  ...hot("i"),
  period_seconds: 60,
  evaluation_periods: 3,
  ...more
})

const verdicts: ReadonlyArray<
  readonly [ReadonlyArray<number | undefined>, "ok" | "alarm" | "insufficient_data", Verdict["is"]]
> = [
  [[90, 91, 92], "ok", "alarm"],
  [[1, 2, 3], "alarm", "ok"],
  [[1, 90, 90], "ok", "undecided"],
  [[90, 90, 1], "alarm", "undecided"],
  [[1, 90, 90], "insufficient_data", "alarm"],
  [[90, 90, 1], "insufficient_data", "ok"],
  [[90, undefined, 90], "ok", "unknown"],
  [[undefined, undefined, undefined], "alarm", "unknown"]
]

for (const [values, state, is] of verdicts) {
  it(`samples ${values.map((_) => _ ?? "nothing").join(", ")} with threshold 80 change ${state} to ${is}`, () => {
    assert.strictEqual(verdictOf({ rule: rule(), state }, values).is, is)
  })
}

const comparisons = { lt: "100", le: "110", eq: "010", ne: "101", ge: "011", gt: "001" } as const

for (const [name, beyond] of Object.entries(comparisons)) {
  const comparison = (["lt", "le", "eq", "ne", "ge", "gt"] as const).find((_) => _ === name)
  it(`${name} is ${beyond} of less, equal and more`, () => {
    const found = [79, 80, 81].map((value) => {
      const one = rule({ evaluation_periods: 1, ...(comparison === undefined ? {} : { comparison }) })
      return verdictOf({ rule: one, state: "ok" }, [value]).is === "alarm" ? 1 : 0
    })
    assert.strictEqual(found.join(""), beyond)
  })
}

it.effect("several periods are evaluated together, each by its mean", () =>
  live(({ acme, mine }) =>
    Effect.gen(function* () {
      yield* cpuIs(mine, 10)
      const three = { ...hot(mine), period_seconds: 120, evaluation_periods: 3 }
      const id = yield* alarmOf(acme, { rule: three })
      yield* minutes(8)
      yield* cpuIs(mine, 95)
      yield* minutes(5)
      assert.strictEqual((yield* showAlarm(acme, id)).state, "ok")
      yield* minutes(2)
      const alarm = yield* showAlarm(acme, id)
      assert.strictEqual(alarm.state, "alarm")
      assert.strictEqual(
        alarm.reason,
        "cpu was greater than 80 percent in 3 of the last 3 periods of 120 s; the last value is 95"
      )
    })
  )
)

it.effect("an alarm of a group evaluates its servers' mean, and a transition scales it once", () =>
  live(({ acme }) =>
    Effect.gen(function* () {
      const groupId = yield* groupOf(acme, { desired: 2, max: 5 })
      yield* converged(acme, groupId)
      const [one, two] = yield* serversOf(acme).pipe(
        Effect.map((_) => _.filter((server) => server.name.startsWith("web-")).map((server) => server.id))
      )
      yield* cpuIs(one ?? "", 100)
      yield* cpuIs(two ?? "", 50)
      const id = yield* alarmOf(acme, {
        rule: { metric: "cpu", group_id: groupId, comparison: "ge", threshold: 75 }
      })
      const { autoscalingGroups } = yield* Memory
      const entry = autoscalingGroups.get(groupId)
      if (entry !== undefined) {
        const policies = [{ name: "up", adjustment: 1, alarm_id: id, cooldown_seconds: 0 }]
        autoscalingGroups.set(groupId, { ...entry, policies })
      }
      yield* minutes(5)
      const alarm = yield* showAlarm(acme, id)
      assert.strictEqual(alarm.state, "alarm", alarm.reason)
      assert.strictEqual(autoscalingGroups.get(groupId)?.desired, 3)
      yield* cpuIs(two ?? "", 10)
      yield* minutes(5)
      yield* cpuIs(two ?? "", 60)
      yield* minutes(5)
      assert.strictEqual(autoscalingGroups.get(groupId)?.desired, 4)
      assert.deepStrictEqual(yield* states, ["insufficient_data -> alarm", "alarm -> ok", "ok -> alarm"])
    })
  )
)

it.effect("a group without servers has no data", () =>
  live(({ acme }) =>
    Effect.gen(function* () {
      const groupId = yield* groupOf(acme, { desired: 0, min: 0 })
      const id = yield* alarmOf(acme, { rule: { metric: "cpu", group_id: groupId, comparison: "ge", threshold: 75 } })
      yield* minutes(10)
      assert.deepInclude(yield* showAlarm(acme, id), { state: "insufficient_data", reason: "The group has no servers" })
      assert.deepStrictEqual(yield* states, [])
    })
  )
)

it.effect("the next process scales the group when one dies after storing the transition", () =>
  live(({ acme, mine }) =>
    Effect.gen(function* () {
      const groupId = yield* groupOf(acme, { desired: 1, max: 5 })
      yield* cpuIs(mine, 95)
      const id = yield* alarmOf(acme, { rule: hot(mine) })
      const { alarms, autoscalingGroups } = yield* Memory
      const entry = autoscalingGroups.get(groupId)
      if (entry === undefined) return assert.fail("no group")
      autoscalingGroups.set(groupId, {
        ...entry,
        policies: [{ name: "up", adjustment: 1, alarm_id: id, cooldown_seconds: 0 }]
      })
      const store = yield* Alarms
      const [claimed] = yield* store.claim(1)
      if (claimed === undefined) return assert.fail("nothing to claim")
      yield* store.conclude(claimed, { ...claimed, state: "alarm", transitions: 1, untold: true })
      assert.strictEqual(autoscalingGroups.get(groupId)?.desired, 1)
      yield* minutes(4)
      assert.strictEqual(autoscalingGroups.get(groupId)?.desired, 2)
      assert.isFalse(alarms.get(id)?.untold)
    })
  )
)

it.effect("a changed alarm is evaluated at once, and a disabled one keeps its state", () =>
  live(({ acme, mine }) =>
    Effect.gen(function* () {
      yield* cpuIs(mine, 95)
      const id = yield* alarmOf(acme, { rule: hot(mine) })
      yield* minutes(1)
      const changed = yield* inTime(
        updateAlarm(callerOf(acme), acme, id, {
          name: "warm",
          description: "of noon",
          rule: { ...hot(mine), threshold: 99 }
        })
      )
      assert.deepInclude(changed, { name: "warm", description: "of noon", state: "alarm", severity: "low" })
      yield* inTime(reconcileAlarms(times))
      assert.strictEqual((yield* showAlarm(acme, id)).state, "ok")
      yield* inTime(updateAlarm(callerOf(acme), acme, id, { enabled: false, rule: hot(mine) }))
      yield* minutes(5)
      assert.strictEqual((yield* showAlarm(acme, id)).state, "ok")
      yield* inTime(updateAlarm(callerOf(acme), acme, id, { enabled: true }))
      yield* inTime(reconcileAlarms(times))
      assert.strictEqual((yield* showAlarm(acme, id)).state, "alarm")
      const { alarms } = yield* listAlarms(acme, "alarm")
      assert.deepStrictEqual(
        alarms.map((_) => _.alarm_id),
        [id]
      )
      assert.deepStrictEqual(yield* listAlarms(acme, "ok"), { count: 0, alarms: [] })
    })
  )
)

it.effect("a change during an evaluation discards that evaluation's result", () =>
  live(({ acme, mine }) =>
    Effect.gen(function* () {
      const id = yield* alarmOf(acme, { rule: hot(mine) })
      const store = yield* Alarms
      const [claimed] = yield* store.claim(1)
      if (claimed === undefined) return assert.fail("nothing to claim")
      yield* inTime(updateAlarm(callerOf(acme), acme, id, { name: "new" }))
      assert.isUndefined(yield* store.conclude(claimed, { ...claimed, state: "alarm", transitions: 1 }))
      yield* store.release(claimed, false, times.interval)
      assert.deepInclude(yield* showAlarm(acme, id), { name: "new", state: "insufficient_data" })
      assert.lengthOf(yield* store.claim(1), 1)
    })
  )
)

it.effect("another tenant's alarm, an unknown one and a malformed id are 404 with the same detail", () =>
  live(({ acme, globex, mine }) =>
    Effect.gen(function* () {
      const id = yield* alarmOf(acme, { rule: hot(mine) })
      for (const other of [id, "alm-000000000000", "", "..", "a\0", "x".repeat(1000)]) {
        for (const attempt of [
          showAlarm(globex, other),
          updateAlarm(callerOf(globex), globex, other, { enabled: false }),
          updateAlarm(callerOf(globex), globex, other, { rule: hot(mine) }),
          removeAlarm(globex, other)
        ]) {
          const error = yield* Effect.flip(inTime(attempt))
          assert.deepStrictEqual([error.code, error.detail], ["alarm_not_found", `Alarm '${other}' not found`])
        }
      }
      assert.deepStrictEqual(yield* listAlarms(globex, undefined), { count: 0, alarms: [] })
      assert.isTrue((yield* showAlarm(acme, id)).enabled)
      assert.strictEqual((yield* removeAlarm(acme, id)).alarm_id, id)
      assert.strictEqual((yield* Effect.flip(removeAlarm(acme, id))).code, "alarm_not_found")
    })
  )
)

it.effect("an alarm cannot read another tenant's instance", () =>
  live(({ acme, globex, mine, theirs }) =>
    Effect.gen(function* () {
      const groupId = yield* groupOf(globex)
      const create = (target: object) =>
        createAlarm(callerOf(acme), acme, {
          name: "hot",
          rule: { metric: "cpu", comparison: "gt", threshold: 1, ...target }
        })
      const absent = [theirs, "00000000-0000-4000-8000-00000000ffff", `${mine}"} or x{y="`, ".."]
      for (const id of absent) {
        const error = yield* Effect.flip(inTime(create({ instance_id: id })))
        assert.deepStrictEqual([error.code, error.detail], ["instance_not_found", `Instance '${id}' not found`])
      }
      for (const id of [groupId, "asg-none"]) {
        const error = yield* Effect.flip(inTime(create({ group_id: id })))
        assert.strictEqual(error.code, "autoscaling_group_not_found")
      }
      const own = yield* alarmOf(acme, { rule: hot(mine) })
      const error = yield* Effect.flip(inTime(updateAlarm(callerOf(acme), acme, own, { rule: hot(theirs) })))
      assert.strictEqual(error.code, "instance_not_found")
      assert.strictEqual((yield* showAlarm(acme, own)).rule.instance_id, mine)
    })
  )
)

it.effect("of concurrent creates for the last place one succeeds, and others get the numbers", () =>
  live(({ acme, mine }) =>
    Effect.gen(function* () {
      for (let n = 0; n < mostAlarms - 1; n++) yield* alarmOf(acme, { rule: hot(mine) })
      const exits = yield* inTime(
        Effect.all(
          Array.from({ length: 8 }, () =>
            Effect.result(createAlarm(callerOf(acme), acme, { name: "last", rule: hot(mine) }))
          ),
          { concurrency: "unbounded" }
        )
      )
      const refused = exits.flatMap((_) => (_._tag === "Failure" ? [_.failure] : []))
      assert.lengthOf(refused, 7)
      for (const failure of refused) {
        assert.strictEqual(
          failure.detail,
          "The tenant's ceiling of alarms is reached: requested 1, used 100, limit 100, remaining 0"
        )
      }
      assert.strictEqual((yield* listAlarms(acme, undefined)).count, mostAlarms)
    })
  )
)

it.effect("a suspended tenant cannot create alarms, and a closing tenant's are not evaluated", () =>
  live(({ acme, globex, mine, theirs }) =>
    Effect.gen(function* () {
      yield* inTime(suspend(acme))
      const error = yield* Effect.flip(inTime(createAlarm(callerOf(acme), acme, { name: "hot", rule: hot(mine) })))
      assert.strictEqual(error.code, "ceiling_reached")
      yield* alarmOf(globex, { rule: hot(theirs) })
      yield* holdProject(globex, "project_deletion")
      assert.deepStrictEqual(yield* asking(minutes(3)), {})
    })
  )
)

it.effect("an alarm needs a target in its project, and is removed with it", () =>
  live(({ globex, theirs }) =>
    Effect.gen(function* () {
      yield* alarmOf(globex, { rule: hot(theirs) })
      const { alarms } = yield* Memory
      const contents = yield* inTime(showContents(callerOf(globex), globex))
      const found = contents.contents.find((_) => _.service === "monitoring")
      assert.deepInclude(found, { service: "monitoring", kind: "alarms", count: 1 })
      yield* condemned(globex, "globex")
      yield* carriedOut(globex)
      assert.deepStrictEqual([...alarms.values()], [])
    })
  )
)

it.effect("without monitoring no alarm can be created, and none is evaluated", () =>
  Effect.gen(function* () {
    const id = yield* serverOf("acme", 1)
    const error = yield* Effect.flip(inTime(createAlarm(callerOf("acme"), "acme", { name: "hot", rule: hot(id) })))
    assert.strictEqual(error.code, "service_not_found")
    yield* inTime(reconcileAlarms(times))
  }).pipe(Effect.provide(simulatedWith({ MONITORING_URL: "" })))
)
