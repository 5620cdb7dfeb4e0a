import { assert, it } from "@effect/vitest"
import { createDatabase } from "@portico/domain/databases/create"
import { sweepSchedules } from "@portico/domain/databases/sweep"
import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes } from "@portico/upstream/kubernetes/Kubernetes"
import { callsOf, under, whensOf } from "@portico/testing/faults/calls"
import { inDyingProcess } from "@portico/testing/faults/dying"
import { inTime, pass } from "@portico/testing/clock"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { create, orders, put, withNamespace } from "./databases.ts"

const backup = { enabled: true } as const

/** The databases of which there is a schedule. */
const scheduled = Effect.fnUntraced(function* (projectId: string) {
  const found = yield* (yield* Kubernetes).list(kinds.scheduledBackup, { namespace: `db-${projectId}` })
  return found.map((_) => Object(_["spec"]).cluster?.name).toSorted()
})

/** A database with backups beside one whose creation ended with its process, before the last step. */
const cutShort = Effect.gen(function* () {
  const projectId = yield* withNamespace("extension")
  yield* create(projectId, { name: "kept", backup })
  const path = "/apis/postgresql.cnpg.io/v1/namespaces/*/clusters/*"
  const creating = createDatabase(projectId, { ...orders, name: "lost", backup })
  yield* under({ service: "kubernetes", method: "PATCH", path, when: "before", as: "hang" }, inDyingProcess(creating))
  assert.deepStrictEqual(yield* scheduled(projectId), ["kept", "lost"])
  return projectId
})

it.effect("a schedule without its database is removed once its creation cannot still be running", () =>
  Effect.gen(function* () {
    const projectId = yield* cutShort
    yield* pass(120)
    yield* inTime(sweepSchedules())
    assert.deepStrictEqual(yield* scheduled(projectId), ["kept", "lost"])
    yield* pass(70)
    yield* inTime(sweepSchedules())
    assert.deepStrictEqual(yield* scheduled(projectId), ["kept"])
    // The name is free.
    yield* create(projectId, { name: "lost", backup })
    yield* pass(200)
    yield* inTime(sweepSchedules())
    assert.deepStrictEqual(yield* scheduled(projectId), ["kept", "lost"])
  }).pipe(Effect.provide(Simulated))
)

it.effect("a schedule that the tenant made stays, although its database was removed", () =>
  Effect.gen(function* () {
    const projectId = yield* withNamespace("extension")
    yield* put(kinds.scheduledBackup, projectId, "own", {
      spec: { schedule: "0 0 0 * * *", cluster: { name: "gone" } }
    })
    yield* pass(300)
    yield* inTime(sweepSchedules())
    assert.deepStrictEqual(yield* scheduled(projectId), ["gone"])
  }).pipe(Effect.provide(Simulated))
)

const calls = await Effect.runPromise(
  cutShort.pipe(
    Effect.andThen(pass(200)),
    Effect.andThen(callsOf(inTime(sweepSchedules()))),
    Effect.provide(Simulated),
    Effect.provide(TestClock.layer())
  )
)

for (const call of calls) {
  it.effect(
    `another replica completes the sweep when the process dies at ${call.method} ${call.path} (${call.nth})`,
    () =>
      Effect.forEach(
        whensOf(call),
        (when) =>
          Effect.gen(function* () {
            const projectId = yield* cutShort
            yield* pass(200)
            yield* under({ ...call, when, as: "hang" }, inDyingProcess(sweepSchedules()))
            yield* inTime(sweepSchedules())
            assert.deepStrictEqual(yield* scheduled(projectId), ["kept"], when)
          }).pipe(Effect.provide(Simulated)),
        { discard: true }
      )
  )
}
