import { assert } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { purgeLease, Purges } from "../src/Purges.ts"
import { margin, pass } from "@portico/testing/store/Aging"
import { present, storiesOf } from "./stories.ts"

const acme = {
  project_id: "project-1",
  reason: "project_deletion",
  requested_by: "user-1",
  request_id: "request-1"
} as const
const globex = { ...acme, project_id: "project-2", reason: "account_closure" } as const
const due = { reason: "project_deletion" } as const

const begun = Effect.gen(function* () {
  const purges = yield* Purges
  yield* purges.open(acme)
  return { purges, entry: yield* present(purges.claim(due)) }
})

storiesOf("Purges", (story) => {
  story(
    "a new purge is due at once, for one process, and only for its holder",
    Effect.fnUntraced(function* () {
      const purges = yield* Purges
      const opened = yield* present(purges.open(acme))
      yield* purges.open(globex)
      assert.deepInclude(opened, { state: "purging", cancelled: false, lease: null, progress: [], failures: 0 })

      const claims = yield* Effect.all(
        Array.from({ length: 8 }, () => purges.claim(due)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        claims.flatMap((_) => (_ === undefined ? [] : [_.project_id])),
        ["project-1"]
      )
      assert.deepInclude(yield* purges.claim({ projectId: "project-2" }), { project_id: "project-2" })
      assert.isUndefined(yield* purges.claim({ projectId: "project-1" }))
      assert.isUndefined(yield* purges.claim({ projectId: "project-9" }))
    })
  )

  story(
    "of two at once one is opened, and a finished one makes room",
    Effect.fnUntraced(function* () {
      const purges = yield* Purges
      const opened = yield* Effect.all(
        Array.from({ length: 8 }, () => purges.open(acme)),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        opened.filter((_) => _ !== undefined),
        1
      )
      const entry = yield* present(purges.claim(due))
      assert.isUndefined(yield* purges.open(acme))
      const refusal = { step: "image/images", message: "it is protected" }
      assert.isNull(entry.nat_off)
      assert.deepInclude(yield* purges.keep(entry, { nat_off: true }), { nat_off: true })
      assert.isTrue(yield* purges.release(entry, { state: "refused", refusal, restored: ["1"] }, undefined))
      assert.deepInclude(yield* purges.find("project-1"), {
        state: "refused",
        refusal,
        restored: ["1"],
        lease_ends: null
      })

      const again = yield* present(purges.open({ ...acme, requested_by: "user-2" }))
      assert.deepInclude(again, {
        state: "purging",
        nat_off: null,
        refusal: null,
        restored: [],
        requested_by: "user-2"
      })
    })
  )

  story(
    "the lease's holder writes, and each write renews the lease",
    Effect.fnUntraced(function* () {
      const { entry, purges } = yield* begun
      const progress = [{ step: "compute/servers", state: "running", done: 1, left: 2 }] as const
      const ending = [{ step: "compute/servers", id: "server-1" }]
      yield* pass(Duration.subtract(purgeLease, margin))
      const kept = yield* present(purges.keep(entry, { progress, ending }))
      assert.deepInclude(kept, { progress, ending, state: "purging", lease: entry.lease })
      assert.deepInclude(yield* purges.keep(kept, { failure: "compute/servers: no answer" }), { progress, ending })

      yield* pass(Duration.subtract(purgeLease, margin))
      assert.isUndefined(yield* purges.claim(due))
      yield* pass(margin)
      const taken = yield* present(purges.claim(due))
      assert.deepInclude(taken, { progress, ending, failure: "compute/servers: no answer" })
      assert.isUndefined(yield* purges.keep(kept, { progress: [] }))
      assert.isUndefined(yield* purges.passReturn(kept))
      assert.isFalse(yield* purges.release(kept, { state: "refused" }, undefined))
      assert.isFalse(yield* purges.close(kept))
      assert.deepInclude(yield* purges.find("project-1"), { state: "purging", lease: taken.lease })
    })
  )

  story(
    "a paused purge is due after its pause, or at once when it is cancelled",
    Effect.fnUntraced(function* () {
      const { entry, purges } = yield* begun
      yield* purges.release(entry, { failures: 1, failure: "nova: no answer" }, Duration.minutes(5))
      assert.isUndefined(yield* purges.claim(due))
      yield* pass("5 minutes")
      const again = yield* present(purges.claim(due))
      yield* purges.release(again, {}, Duration.minutes(5))
      assert.isUndefined(yield* purges.claim(due))

      assert.deepInclude(yield* purges.cancel("project-1"), { cancelled: true })
      assert.deepInclude(yield* purges.claim(due), { cancelled: true, failures: 1 })
    })
  )

  story(
    "it can be cancelled before the point of no return and not afterwards, never both",
    Effect.fnUntraced(function* () {
      const { entry, purges } = yield* begun
      const [cancelled, past] = yield* Effect.all([purges.cancel("project-1"), purges.passReturn(entry)], {
        concurrency: "unbounded"
      })
      assert.strictEqual(cancelled === undefined, past !== undefined)

      yield* purges.open(globex)
      // A closure is taken back elsewhere.
      assert.isUndefined(yield* purges.cancel("project-2"))
      assert.isUndefined(yield* purges.cancel("project-9"))
      const other = yield* present(purges.claim({ projectId: "project-2" }))
      assert.deepInclude(yield* purges.passReturn(other), { state: "finishing" })
    })
  )

  story(
    "a finished purge cannot be cancelled, and ends with its project",
    Effect.fnUntraced(function* () {
      const { entry, purges } = yield* begun
      yield* purges.release(entry, { state: "cancelled" }, undefined)
      assert.isUndefined(yield* purges.cancel("project-1"))
      assert.isUndefined(yield* purges.claim(due))

      yield* purges.open(acme)
      const again = yield* present(purges.claim(due))
      assert.isTrue(yield* purges.close(again))
      assert.isUndefined(yield* purges.find("project-1"))
    })
  )
})
