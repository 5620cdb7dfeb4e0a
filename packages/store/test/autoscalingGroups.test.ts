import { assert } from "@effect/vitest"
import { DateTime, Duration, Effect } from "effect"
import { AutoscalingGroups, groupLease } from "../src/AutoscalingGroups.ts"
import { margin, pass } from "@portico/testing/store/Aging"
import { present, storiesOf } from "./stories.ts"

const web = {
  group_id: "asg-1",
  project_id: "project-1",
  name: "web",
  min: 0,
  max: 5,
  desired: 2,
  template: { flavor_id: "2", image_id: "image-1", user_data: "#!/bin/sh" },
  cooldown_seconds: 300,
  policies: [{ name: "up", adjustment: 1, alarm_id: "busy" }],
  created_by: "user-1"
} as const

const member = { slot: "slot-1", server_id: "server-1", status: "ACTIVE", leaving: null, doubt_until: 5 } as const

const claimed = Effect.gen(function* () {
  const groups = yield* AutoscalingGroups
  yield* groups.insert(web)
  return { groups, entry: yield* present(groups.claim) }
})

storiesOf("Autoscaling groups", (story) => {
  story(
    "belong to their tenant, under a unique name, and are read as written",
    Effect.fnUntraced(function* () {
      const groups = yield* AutoscalingGroups
      const entry = yield* present(groups.insert(web))
      assert.deepInclude(entry, { ...web, state: "scaling", members: [], alarms: {}, revision: 0, deleting: false })
      assert.isUndefined(yield* groups.insert({ ...web, group_id: "asg-2" }))
      yield* present(groups.insert({ ...web, group_id: "asg-3", project_id: "project-2" }))
      yield* present(groups.insert({ ...web, group_id: "asg-4", name: "api" }))
      assert.deepStrictEqual(
        (yield* groups.list("project-1")).map((_) => _.group_id),
        ["asg-1", "asg-4"]
      )
      assert.deepStrictEqual(yield* groups.find("project-1", "asg-1"), entry)
      for (const [project, id] of [
        ["project-2", "asg-1"],
        ["project-1", "asg-9"],
        ["project-1", "\0"]
      ] as const) {
        assert.isUndefined(yield* groups.find(project, id))
      }
    })
  )

  story(
    "a due group is claimed by one process, and not again while that one works on it",
    Effect.fnUntraced(function* () {
      const groups = yield* AutoscalingGroups
      yield* groups.insert(web)
      yield* groups.insert({ ...web, group_id: "asg-2", name: "api" })
      const claims = yield* Effect.all(
        Array.from({ length: 8 }, () => groups.claim),
        { concurrency: "unbounded" }
      )
      const ids = claims.flatMap((_) => _?.group_id ?? [])
      assert.sameMembers(ids, ["asg-1", "asg-2"])
      yield* pass(Duration.sum(groupLease, margin))
      const again = yield* present(groups.claim)
      assert.notStrictEqual(again.lease, claims[0]?.lease)
    })
  )

  story(
    "the lease's holder writes the state, others the wish, and neither undoes the other's",
    Effect.fnUntraced(function* () {
      const { entry, groups } = yield* claimed
      const at = DateTime.makeUnsafe(1_000)
      const changed = yield* present(groups.change(entry, { desired: 4, template: { flavor_id: "3", image_id: "i" } }))
      assert.deepInclude(changed, { desired: 4, revision: 1, lease: entry.lease })
      assert.deepStrictEqual(changed.template, { flavor_id: "3", image_id: "i" })
      assert.isUndefined(yield* groups.change(entry, { desired: 1 }))

      const kept = yield* present(
        groups.keep(entry, { members: [member], state: "limited", reason: "no room", limits: 1, observed_at: at })
      )
      assert.deepInclude(kept, { desired: 4, members: [member], state: "limited", reason: "no room", limits: 1 })
      assert.deepStrictEqual(kept.observed_at, at)
      assert.isUndefined(yield* groups.keep({ ...entry, lease: crypto.randomUUID() }, { reason: null }))

      // By the old revision: something else is wanted since, and it is due at once.
      assert.isTrue(yield* groups.release(entry, { reason: null, errors: 1, failures: 2 }, Duration.hours(1)))
      assert.isFalse(yield* groups.release(entry, {}, Duration.zero))
      const next = yield* present(groups.claim)
      assert.deepInclude(next, { reason: null, errors: 1, failures: 2, state: "limited", members: [member] })
      assert.isTrue(yield* groups.release(next, {}, Duration.hours(1)))
      assert.isUndefined(yield* groups.claim)
      yield* present(groups.change(next, { cooldown_until: at, policies: [], deleting: true, state: "deleting" }))
      const due = yield* present(groups.claim)
      assert.deepInclude(due, { policies: [], deleting: true, state: "deleting" })
      assert.deepStrictEqual(due.cooldown_until, at)
    })
  )

  story(
    "an alarm without a change is stored, and makes no group due",
    Effect.fnUntraced(function* () {
      const { entry, groups } = yield* claimed
      assert.isTrue(yield* groups.release(entry, {}, Duration.hours(1)))
      const heard = yield* present(groups.hear(entry, { busy: "ok" }))
      assert.deepStrictEqual(heard.alarms, { busy: "ok" })
      assert.isUndefined(yield* groups.hear(entry, { busy: "alarm" }))
      assert.isUndefined(yield* groups.claim)
    })
  )

  story(
    "a group is removed by its holder, or with its project while no lease is held",
    Effect.fnUntraced(function* () {
      const { entry, groups } = yield* claimed
      assert.isFalse(yield* groups.removeIdle("project-1", "asg-1"))
      assert.isFalse(yield* groups.drop({ ...entry, lease: crypto.randomUUID() }))
      assert.isTrue(yield* groups.drop(entry))
      assert.isUndefined(yield* groups.find("project-1", "asg-1"))
      assert.isTrue(yield* groups.removeIdle("project-1", "asg-1"))

      yield* groups.insert(web)
      yield* present(groups.claim)
      // Of another project there is nothing to be removed.
      assert.isTrue(yield* groups.removeIdle("project-2", "asg-1"))
      yield* pass(Duration.sum(groupLease, margin))
      assert.isTrue(yield* groups.removeIdle("project-2", "asg-1"))
      assert.lengthOf(yield* groups.list("project-1"), 1)
      assert.isTrue(yield* groups.removeIdle("project-1", "asg-1"))
      assert.deepStrictEqual(yield* groups.list("project-1"), [])
    })
  )
})
