import { assert, it } from "@effect/vitest"
import { updateGroup } from "@portico/domain/autoscaling/change"
import { reconcileGroups } from "@portico/domain/autoscaling/reconcile"
import { showGroup } from "@portico/domain/autoscaling/read"
import { onAlarm, triggerPolicy } from "@portico/domain/autoscaling/trigger"
import { holdProject } from "@portico/domain/projects/hold"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { converged, exactly, groupOf, serversOf } from "./autoscaling.ts"
import { callerOf } from "@portico/testing/tenants/caller"
import { inTime, pass } from "@portico/testing/clock"
import { from, seedOf } from "@portico/testing/cloud/seeded"
import { tenantOf } from "@portico/testing/tenants/tenant"

const policies = [
  { name: "up", adjustment: 2, alarm_id: "busy", cooldown_seconds: 120 },
  { name: "down", adjustment: -1, alarm_id: "busy", on: "ok", cooldown_seconds: 0 },
  { name: "by-hand", adjustment: 1 }
] as const

const seed = await seedOf(
  Effect.gen(function* () {
    const acme = yield* tenantOf("discovery")
    const globex = yield* tenantOf("discovery", "Globex")
    return { acme, globex, groupId: yield* groupOf(acme, { min: 1, max: 4, desired: 1, policies }) }
  })
)
const live = from(seed)

const desiredOf = Effect.fnUntraced(function* (projectId: string, groupId: string) {
  return (yield* showGroup(projectId, groupId)).desired
})

it.effect("an alarm scales once per transition, despite repeated notifications", () =>
  live(({ acme: projectId, groupId }) =>
    Effect.gen(function* () {
      const alarm = { projectId, alarmId: "busy" }
      // Nobody has heard of it before, and nothing has turned.
      yield* onAlarm({ ...alarm, state: "ok" })
      assert.strictEqual(yield* desiredOf(projectId, groupId), 1)
      const told = Array.from({ length: 8 }, () => onAlarm({ ...alarm, state: "alarm" }))
      yield* inTime(Effect.all(told, { concurrency: "unbounded" }))
      assert.strictEqual(yield* desiredOf(projectId, groupId), 3)
      yield* TestClock.adjust("10 minutes")
      yield* onAlarm({ ...alarm, state: "alarm" })
      assert.strictEqual(yield* desiredOf(projectId, groupId), 3)
      yield* converged(projectId, groupId)
      yield* exactly(projectId, groupId, 3, "in alarm")

      yield* onAlarm({ ...alarm, state: "insufficient_data" })
      assert.strictEqual(yield* desiredOf(projectId, groupId), 3)
      yield* onAlarm({ ...alarm, state: "ok" })
      assert.strictEqual(yield* desiredOf(projectId, groupId), 2)
    })
  )
)

it.effect("after a policy has acted, none acts until its cooldown is over", () =>
  live(({ acme: projectId, groupId }) =>
    Effect.gen(function* () {
      const alarm = { projectId, alarmId: "busy" }
      yield* onAlarm({ ...alarm, state: "alarm" })
      const { cooldown_until } = yield* showGroup(projectId, groupId)
      assert.isNotNull(cooldown_until)
      yield* TestClock.adjust("119 seconds")
      yield* onAlarm({ ...alarm, state: "ok" })
      const early = yield* triggerPolicy(callerOf(projectId), projectId, groupId, "by-hand")
      assert.deepInclude(early, { applied: false, reason: "cooldown" })
      assert.strictEqual(early.group.desired, 3)
      yield* TestClock.adjust("1 second")
      const late = yield* triggerPolicy(callerOf(projectId), projectId, groupId, "by-hand")
      assert.deepInclude(late, { applied: true, reason: null })
      assert.strictEqual(late.group.desired, 4)
      // The group's own cooldown holds behind it.
      yield* TestClock.adjust("299 seconds")
      assert.strictEqual((yield* triggerPolicy(callerOf(projectId), projectId, groupId, "down")).reason, "cooldown")
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* triggerPolicy(callerOf(projectId), projectId, groupId, "up")).reason, "at_limit")
      // What came to nothing holds up nobody.
      assert.strictEqual((yield* triggerPolicy(callerOf(projectId), projectId, groupId, "down")).group.desired, 3)
    })
  )
)

it.effect("concurrent triggers count each, within the group's limits", () =>
  live(({ acme: projectId, groupId }) =>
    Effect.gen(function* () {
      const free = [{ name: "one-more", adjustment: 1, cooldown_seconds: 0 }]
      yield* inTime(updateGroup(callerOf(projectId), projectId, groupId, { policies: free }))
      const asked = Array.from({ length: 6 }, () => triggerPolicy(callerOf(projectId), projectId, groupId, "one-more"))
      const results = yield* inTime(Effect.all(asked, { concurrency: "unbounded" }))
      assert.strictEqual(results.filter((_) => _.applied).length, 3)
      assert.strictEqual(yield* desiredOf(projectId, groupId), 4)
    })
  )
)

it.effect("another tenant's alarm of the same name, and an unknown alarm or policy, scale nothing", () =>
  live(({ acme, globex, groupId }) =>
    Effect.gen(function* () {
      yield* onAlarm({ projectId: globex, alarmId: "busy", state: "alarm" })
      for (const alarmId of ["idle", "__proto__", ""]) yield* onAlarm({ projectId: acme, alarmId, state: "alarm" })
      assert.strictEqual(yield* desiredOf(acme, groupId), 1)
      assert.deepInclude(yield* Effect.flip(triggerPolicy(callerOf(acme), acme, groupId, "sideways")), {
        code: "autoscaling_policy_not_found",
        detail: "Autoscaling policy 'sideways' not found"
      })
    })
  )
)

it.effect("an alarm in a closing project changes nothing", () =>
  live(({ acme: projectId, groupId }) =>
    Effect.gen(function* () {
      yield* holdProject(projectId, "project_deletion")
      yield* onAlarm({ projectId, alarmId: "busy", state: "alarm" })
      assert.strictEqual(yield* desiredOf(projectId, groupId), 1)
    })
  )
)

it.effect("a change during a step takes effect at its end", () =>
  live(({ acme: projectId, groupId }) =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      yield* inTime(updateGroup(callerOf(projectId), projectId, groupId, { desired: 2 }))
      // The look is slow, and meanwhile fewer are wanted: nobody asks for the second one.
      const look = { service: "nova", method: "GET", path: "/v2.1/servers/detail", when: "before" } as const
      yield* cloud.fault({ ...look, as: { delay_ms: 3000 } })
      const less = Effect.delay(updateGroup(callerOf(projectId), projectId, groupId, { desired: 1 }), "2 seconds")
      yield* inTime(Effect.all([reconcileGroups, less], { concurrency: 2 }))
      assert.lengthOf(yield* serversOf(projectId), 1)
      yield* converged(projectId, groupId)

      // And here more are wanted, when the look is over already.
      yield* pass(60)
      yield* cloud.fault({ ...look, as: { delay_ms: 3000 } })
      const more = Effect.delay(updateGroup(callerOf(projectId), projectId, groupId, { desired: 3 }), "2 seconds")
      yield* inTime(Effect.all([reconcileGroups, more], { concurrency: 2 }))
      assert.lengthOf(yield* serversOf(projectId), 3)
      yield* inTime(updateGroup(callerOf(projectId), projectId, groupId, { desired: 1 }))
      yield* converged(projectId, groupId)
      yield* exactly(projectId, groupId, 1, "shrunk again")
    })
  )
)
