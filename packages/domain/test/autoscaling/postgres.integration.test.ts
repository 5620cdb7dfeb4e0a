import { assert, it } from "@effect/vitest"
import { removeGroup, updateGroup } from "@portico/domain/autoscaling/change"
import { reconcileGroups } from "@portico/domain/autoscaling/reconcile"
import { createGroup } from "@portico/domain/autoscaling/create"
import { showGroup } from "@portico/domain/autoscaling/read"
import { onAlarm } from "@portico/domain/autoscaling/trigger"
import { onboard } from "@portico/domain/onboarding/onboard"
import { AutoscalingGroups } from "@portico/store/AutoscalingGroups"
import { Effect, Schedule } from "effect"
import { serversOf, template } from "./autoscaling.ts"
import { callerOf } from "@portico/testing/tenants/caller"
import { OnPostgres } from "@portico/testing/cloud/postgres"

/** Every group is due, whatever its last step said. */
const hurried = Effect.fnUntraced(function* (projectId: string) {
  const groups = yield* AutoscalingGroups
  for (const entry of yield* groups.list(projectId)) yield* groups.change(entry, {})
})

it.live("four concurrent replicas create no server too many, on PostgreSQL", () =>
  Effect.gen(function* () {
    const { tenant } = yield* onboard({ name: "Acme GmbH", tier: "standard" })
    const projectId = tenant.project_id
    const policies = [{ name: "up", adjustment: 3, alarm_id: "busy", cooldown_seconds: 3600 }]
    const wanted = { name: "web", min: 0, max: 10, desired: 4, template, policies }
    const { group_id } = yield* createGroup(callerOf(projectId), projectId, wanted)
    const replica = Effect.repeat(reconcileGroups, Schedule.spaced("20 millis"))
    let most = 0
    const watched = Effect.repeat(
      Effect.andThen(
        hurried(projectId),
        Effect.map(serversOf(projectId), (_) => {
          most = Math.max(most, _.length)
        })
      ),
      Schedule.spaced("50 millis")
    )
    yield* Effect.all([...Array.from({ length: 4 }, () => Effect.forkScoped(replica)), Effect.forkScoped(watched)])
    const until = (count: number) =>
      Effect.repeat(serversOf(projectId), {
        while: (_) => _.length !== count || _.some((server) => server.due !== null),
        schedule: Schedule.spaced("100 millis"),
        times: 1_000
      })

    yield* until(4)
    assert.strictEqual(most, 4)
    yield* Effect.all(
      Array.from({ length: 6 }, () => onAlarm({ projectId, alarmId: "busy", state: "alarm" })),
      { concurrency: "unbounded" }
    )
    yield* until(7)
    assert.strictEqual(most, 7)
    assert.strictEqual((yield* showGroup(projectId, group_id)).desired, 7)
    yield* Effect.retry(updateGroup(callerOf(projectId), projectId, group_id, { desired: 1 }), { times: 5 })
    yield* until(1)
    yield* removeGroup(projectId, group_id)
    yield* until(0)
    const groups = yield* AutoscalingGroups
    yield* Effect.repeat(groups.list(projectId), {
      while: (_) => _.length > 0,
      schedule: Schedule.spaced("100 millis"),
      times: 1_000
    })
    assert.deepStrictEqual(yield* groups.list(projectId), [])
    assert.strictEqual(most, 7)
  }).pipe(Effect.scoped, Effect.provide(OnPostgres))
)
