import { assert, describe, it } from "@effect/vitest"
import { createDatabase } from "@portico/domain/databases/create"
import { rotateCredentials, showCredentials } from "@portico/domain/databases/credentials"
import { listDatabases } from "@portico/domain/databases/read"
import { removeDatabase } from "@portico/domain/databases/remove"
import { resizeDatabase } from "@portico/domain/databases/resize"
import type { Fault, FaultKind } from "@portico/simulator/Fault"
import { Memory } from "@portico/testing/store/Memory"
import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { inTime, settle } from "@portico/testing/clock"
import { create, log, namesOf, orders, until } from "./databases.ts"
import { callsOf, type NamedCall, titleOf, under, whens } from "@portico/testing/faults/calls"
import { someFaultsOf } from "@portico/testing/faults/some"
import { from, seedOf } from "@portico/testing/cloud/seeded"
import { tenantOf } from "@portico/testing/tenants/tenant"
import { sampled } from "@portico/testing/sample/sampled"

const postgres = { ...orders, replicas: 2 } as const

/** Where everything begins: a tenant without databases, and one with one of each engine that is ready. */
const bare = await seedOf(tenantOf("standard"))
const furnished = await seedOf(
  Effect.gen(function* () {
    const projectId = yield* tenantOf("standard")
    yield* create(projectId, postgres)
    yield* create(projectId, log)
    yield* until(projectId, postgres, "ready")
    yield* until(projectId, log, "ready")
    return projectId
  })
)

const objects = Effect.fnUntraced(function* (projectId: string) {
  return {
    clusters: yield* namesOf(kinds.cluster, projectId),
    kafkas: yield* namesOf(kinds.kafka, projectId),
    pools: (yield* namesOf(kinds.kafkaNodePool, projectId)).length
  }
})

const statuses = Effect.fnUntraced(function* (projectId: string) {
  const { databases } = yield* inTime(listDatabases(projectId))
  return databases.map((_) => `${_.engine}/${_.name} ${_.size_gb} GiB x ${_.replicas}: ${_.status}`).toSorted()
})

const whole = ["kafka/log 20 GiB x 1: ready", "postgres/orders 20 GiB x 2: ready"]

/** What may be answered to an operation that is sent again, and what there is in the end. */
const stories = [
  {
    what: "a create of a PostgreSQL database",
    seed: bare,
    operation: (projectId: string) => Effect.asVoid(createDatabase(projectId, postgres)),
    again: ["database_exists"],
    ends: ["postgres/orders 20 GiB x 2: ready"]
  },
  {
    what: "a create of a Kafka database",
    seed: bare,
    operation: (projectId: string) => Effect.asVoid(createDatabase(projectId, log)),
    again: ["database_exists"],
    ends: ["kafka/log 20 GiB x 1: ready"]
  },
  {
    what: "a resize of a PostgreSQL database",
    seed: furnished,
    operation: (projectId: string) =>
      Effect.asVoid(resizeDatabase(projectId, "postgres", "orders", { size_gb: 30, replicas: 3 })),
    again: ["database_storage_not_grown"],
    ends: [whole[0], "postgres/orders 30 GiB x 3: ready"]
  },
  {
    what: "a resize of a Kafka database",
    seed: furnished,
    operation: (projectId: string) => Effect.asVoid(resizeDatabase(projectId, "kafka", "log", { size_gb: 30 })),
    again: ["database_storage_not_grown"],
    ends: ["kafka/log 30 GiB x 1: ready", whole[1]]
  },
  {
    what: "a delete of a PostgreSQL database",
    seed: furnished,
    operation: (projectId: string) => Effect.asVoid(removeDatabase(projectId, "postgres", "orders")),
    again: ["database_not_found"],
    ends: [whole[0]]
  },
  {
    what: "a delete of a Kafka database",
    seed: furnished,
    operation: (projectId: string) => Effect.asVoid(removeDatabase(projectId, "kafka", "log")),
    again: ["database_not_found"],
    ends: [whole[1]]
  },
  {
    what: "a rotation of a password",
    seed: furnished,
    operation: (projectId: string) => Effect.asVoid(rotateCredentials(projectId, "postgres", "orders")),
    again: [],
    ends: whole
  }
] as const

type Story = (typeof stories)[number]
type Operation = ReturnType<Story["operation"]>

interface Told extends Pick<Story, "what" | "seed" | "again" | "ends"> {
  readonly operation: (projectId: string) => Effect.Effect<void, Effect.Error<Operation>, Effect.Services<Operation>>
}

/** Some time later everything is as the operation was to make it, and nothing of another attempt is there. */
const ends = Effect.fnUntraced(function* (projectId: string, story: Told, because: string) {
  yield* TestClock.adjust("40 seconds")
  assert.deepStrictEqual<ReadonlyArray<string | undefined>>(yield* statuses(projectId), story.ends, because)
  const { kafkas, pools } = yield* objects(projectId)
  assert.strictEqual(pools, kafkas.length, because)
  const { leases } = yield* Memory
  assert.strictEqual(leases.size, 0, because)
  if (story.ends.length > 1) {
    const { engine } = yield* inTime(showCredentials(projectId, "postgres", "orders"))
    assert.strictEqual(engine, "postgres", because)
  }
})

/** A read has no effect that could be lost; and what makes the namespace has its own way of being repeated. */
const faultsAt = (call: NamedCall): ReadonlyArray<Fault> => {
  const few: ReadonlyArray<FaultKind> = ["hang", "garbage", { status: 503 }]
  const isRead = call.method === "GET" || call.path.endsWith("reviews")
  const isNamespace = /\/namespaces\/\*$|(quotas|limitranges|serviceaccounts|rolebindings)\/\*$/.test(call.path)
  if (isRead) return few.map((as) => ({ ...call, when: "before", as }))
  return isNamespace ? whens.map((when) => ({ ...call, when, as: { status: 503 } })) : someFaultsOf(call)
}

const failures = ["upstream_failed", "upstream_conflict", "concurrent_change"]

const fails = (story: Told, fault: Fault) =>
  from(story.seed)((projectId) =>
    Effect.gen(function* () {
      const because = titleOf(fault)
      const first = yield* Effect.exit(under(fault, inTime(story.operation(projectId))))
      if (Exit.isFailure(first)) assert.include(failures, (yield* Effect.flip(first)).code, because)
      const second = yield* Effect.exit(inTime(story.operation(projectId)))
      if (Exit.isFailure(second)) {
        assert.include<string>([...story.again], (yield* Effect.flip(second)).code, because)
      } else {
        assert.isTrue(Exit.isFailure(first) || story.again.length === 0, `${because}: it was done twice`)
      }
      yield* ends(projectId, story, because)
    })
  )

const everyStory: ReadonlyArray<Told> = stories

for (const story of everyStory) {
  const calls = await Effect.runPromise(
    from(story.seed)((projectId) => callsOf(inTime(story.operation(projectId)))).pipe(Effect.provide(TestClock.layer()))
  )
  describe(story.what, () => {
    for (const call of sampled(`calls of ${story.what}`, 5, calls)) {
      it.effect(`reaches the same end when ${call.method} ${call.path} fails, call ${call.nth}`, () =>
        Effect.forEach(faultsAt(call), (fault) => fails(story, fault), { discard: true })
      )
    }

    it.effect("completes when the client disconnects at any call", () =>
      Effect.forEach(
        sampled(`hang-ups of ${story.what}`, 3, calls),
        (call) =>
          from(story.seed)((projectId) =>
            Effect.gen(function* () {
              const fault: Fault = { ...call, when: "before", as: { delay_ms: 3_000 } }
              const because = `${titleOf(fault)}, and the client hangs up`
              const request = yield* under(fault, Effect.tap(Effect.forkDetach(story.operation(projectId)), settle))
              yield* Fiber.interrupt(request)
              yield* inTime(Effect.sleep("8 seconds"))
              if (story.what !== "a rotation of a password") yield* ends(projectId, story, because)
            })
          ),
        { discard: true }
      )
    )
  })
}
