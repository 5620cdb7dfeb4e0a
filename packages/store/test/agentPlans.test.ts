import { assert } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { AgentPlans } from "../src/AgentPlans.ts"
import { ProjectRecords } from "../src/ProjectRecords.ts"
import { pass } from "@portico/testing/store/Aging"
import { present, storiesOf } from "./stories.ts"

const lives = Duration.minutes(10)
const most = 3
const plan = { plan_id: "plan-1", project_id: "project-1", user_id: "user-1" }
const insert = present(Effect.flatMap(AgentPlans, (_) => _.insert({ ...plan, sealed: "sealed" }, lives, most)))

/** The same id as others spell it who may not carry it out. */
const foreign = [
  { ...plan, project_id: "project-2" },
  { ...plan, user_id: "user-2" },
  { ...plan, plan_id: "plan-2" },
  { ...plan, plan_id: "plan-1\0" }
]

storiesOf("a plan", (story) => {
  story("is visible to its agent alone", () =>
    Effect.gen(function* () {
      const plans = yield* AgentPlans
      const expires_at = yield* insert
      assert.deepStrictEqual(yield* plans.find(plan), {
        ...plan,
        sealed: "sealed",
        taken_at: null,
        ended: false,
        expires_at
      })
      for (const other of foreign) assert.isUndefined(yield* plans.find(other))
      for (const other of foreign.slice(0, 3)) {
        assert.isFalse(yield* plans.take(other))
        yield* plans.end(other)
      }
      assert.isTrue(yield* plans.take(plan))
    })
  )

  story("is taken once by many concurrent callers", () =>
    Effect.gen(function* () {
      const { find, take } = yield* AgentPlans
      yield* insert
      const taken = yield* Effect.all(
        Array.from({ length: 10 }, () => take(plan)),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        taken.filter((_) => _),
        1
      )
      assert.isNotNull((yield* find(plan))?.taken_at)
    })
  )

  story("is not taken after its end", () =>
    Effect.gen(function* () {
      const { end, find, take } = yield* AgentPlans
      yield* insert
      yield* end(plan)
      assert.isFalse(yield* take(plan))
      assert.isTrue((yield* find(plan))?.ended)
    })
  )

  story("expires, and is then pruned", () =>
    Effect.gen(function* () {
      const { find, prune, take } = yield* AgentPlans
      yield* insert
      assert.strictEqual(yield* prune, 0)
      yield* pass(lives)
      assert.isUndefined(yield* find(plan))
      assert.isFalse(yield* take(plan))
      assert.strictEqual(yield* prune, 1)
    })
  )

  story("is not stored when its agent has too many", () =>
    Effect.gen(function* () {
      const { insert: add } = yield* AgentPlans
      const isStored = (n: number, of: object = {}) =>
        Effect.map(add({ ...plan, ...of, plan_id: `plan-${n}`, sealed: "sealed" }, lives, most), (_) => _ !== undefined)
      for (const n of [1, 2, 3]) assert.isTrue(yield* isStored(n))
      assert.isFalse(yield* isStored(4))
      assert.isTrue(yield* isStored(5, { user_id: "user-2" }))
      assert.isTrue(yield* isStored(6, { project_id: "project-2" }))
      yield* pass(lives)
      assert.isTrue(yield* isStored(7))
    })
  )

  story("ends with its project", () =>
    Effect.gen(function* () {
      const { find, insert: add } = yield* AgentPlans
      const other = { ...plan, plan_id: "plan-2", project_id: "project-2" }
      yield* insert
      yield* add({ ...other, sealed: "sealed" }, lives, most)
      yield* (yield* ProjectRecords).end("project-1")
      assert.isUndefined(yield* find(plan))
      assert.isDefined(yield* find(other))
    })
  )
})
