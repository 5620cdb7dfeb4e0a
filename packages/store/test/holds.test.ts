import { assert } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { Credentials, everybodyIn } from "../src/Credentials.ts"
import { Holds } from "../src/Holds.ts"
import { ProjectRecords } from "../src/ProjectRecords.ts"
import { Tenants } from "../src/Tenants.ts"
import { pass } from "@portico/testing/store/Aging"
import { credential } from "./credential.ts"
import { sessionsWaiting } from "./replica.ts"
import { postgresStoriesOf, present, storiesOf } from "./stories.ts"

const acme = { project_id: "project-1", slug: "acme", name: "Acme GmbH", tier: "standard", stamp: "stamp-1" } as const

const records = Effect.fnUntraced(function* (...records: ReadonlyArray<Parameters<typeof credential>>) {
  yield* (yield* Tenants).insert(acme)
  for (const [id, change] of records) {
    yield* (yield* Credentials).insert(credential(id, change))
    yield* pass("1 second")
  }
  return yield* Holds
})

const stateOf = Effect.fnUntraced(function* (...ids: ReadonlyArray<string>) {
  const credentials = yield* Credentials
  return yield* Effect.forEach(ids, (id) =>
    Effect.map(present(credentials.find(id)), ({ held, state }) => [state, ...held].join(" "))
  )
})

const closing = Effect.map(
  Effect.flatMap(Tenants, (_) => present(_.find("project-1"))),
  (_) => _.closing
)

storiesOf("Holds", (story) => {
  story(
    "a hold marks the project and suspends its machine credentials, and no others",
    Effect.fnUntraced(function* () {
      const holds = yield* records(
        ["1"],
        ["2", { kind: "member", role: "customer-owner" }],
        ["3"],
        ["4", { project_id: "project-2" }]
      )
      yield* (yield* Credentials).revoke("3")

      assert.strictEqual(yield* holds.hold("project-1", "project_deletion"), "held")

      assert.deepStrictEqual(yield* closing, ["project_deletion"])
      assert.deepStrictEqual(yield* stateOf("1", "2", "3", "4"), [
        "suspended project_deletion",
        "active",
        "revoked",
        "active"
      ])
    })
  )

  story(
    "two reasons hold until both are released, and each counts once",
    Effect.fnUntraced(function* () {
      const holds = yield* records(["1"], ["2"])
      yield* holds.hold("project-1", "project_deletion")
      yield* holds.hold("project-1", "project_deletion")
      yield* holds.hold("project-1", "account_closure")
      assert.deepStrictEqual(yield* closing, ["project_deletion", "account_closure"])
      assert.deepStrictEqual(yield* stateOf("1"), ["suspended project_deletion account_closure"])

      assert.deepStrictEqual(yield* holds.release("project-1", "project_deletion"), [])
      assert.deepStrictEqual(yield* stateOf("1", "2"), ["suspended account_closure", "suspended account_closure"])
      assert.isUndefined(yield* holds.release("project-1", "project_deletion"))

      assert.deepStrictEqual(yield* holds.release("project-1", "account_closure"), ["1", "2"])
      assert.deepStrictEqual(yield* stateOf("1", "2"), ["active", "active"])
      assert.deepStrictEqual(yield* closing, [])
      assert.isUndefined(yield* holds.release("project-1", "account_closure"))
    })
  )

  story(
    "a credential that was revoked while it was held stays revoked",
    Effect.fnUntraced(function* () {
      const holds = yield* records(["1"], ["2"])
      yield* holds.hold("project-1", "account_closure")
      yield* (yield* Credentials).revoke("1")
      assert.deepStrictEqual(yield* holds.release("project-1", "account_closure"), ["2"])
      assert.deepStrictEqual(yield* stateOf("1", "2"), ["revoked", "active"])
    })
  )

  story(
    "a mint is held when it is complete, also one that begins after the hold",
    Effect.fnUntraced(function* () {
      const holds = yield* records(["1", { state: "minting" }])
      const credentials = yield* Credentials
      yield* holds.hold("project-1", "project_deletion")
      yield* credentials.insertWithin(credential("2", { state: "minting" }), 10)

      assert.deepInclude(yield* credentials.activate("1", "hash-1"), { state: "suspended" })
      assert.deepInclude(yield* credentials.activate("2", "hash-2"), { state: "suspended" })
      assert.deepStrictEqual(yield* holds.release("project-1", "project_deletion"), ["1", "2"])
    })
  )

  story(
    "a mint is active when it completes after a hold was released",
    Effect.fnUntraced(function* () {
      const holds = yield* records(["1", { state: "minting" }])
      yield* holds.hold("project-1", "project_deletion")
      assert.deepStrictEqual(yield* holds.release("project-1", "project_deletion"), [])
      assert.deepInclude(yield* (yield* Credentials).activate("1", "hash-1"), { state: "active", held: [] })
    })
  )

  story(
    "a hold and a write of quotas exclude each other",
    Effect.fnUntraced(function* () {
      const holds = yield* records(["1"])
      const tenants = yield* Tenants
      const lease = yield* present(tenants.beginChange("project-1", "extension"))
      assert.strictEqual(yield* holds.hold("project-1", "project_deletion"), "changing")
      assert.deepStrictEqual(yield* closing, [])
      assert.deepStrictEqual(yield* stateOf("1"), ["active"])

      yield* tenants.releaseChange("project-1", lease)
      assert.strictEqual(yield* holds.hold("project-1", "project_deletion"), "held")
      assert.isUndefined(yield* tenants.beginChange("project-1", "extension"))
      yield* holds.release("project-1", "project_deletion")
      assert.isDefined(yield* tenants.beginChange("project-1", "extension"))
    })
  )

  story(
    "many concurrent holds and mints leave no active credential",
    Effect.fnUntraced(function* () {
      const holds = yield* records(["before"])
      const credentials = yield* Credentials
      const mint = (id: string) =>
        Effect.andThen(
          credentials.insertWithin(credential(id, { state: "minting" }), 100),
          credentials.activate(id, `hash-${id}`)
        )
      yield* Effect.all(
        [
          ...Array.from({ length: 10 }, (_, index) => mint(`mint-${index}`)),
          holds.hold("project-1", "project_deletion"),
          holds.hold("project-1", "project_deletion"),
          ...Array.from({ length: 10 }, (_, index) => mint(`late-${index}`))
        ],
        { concurrency: "unbounded" }
      )
      const rows = yield* (yield* ProjectRecords).credentials("project-1")
      assert.deepStrictEqual(
        [...new Set(rows.map((_) => `${_.state} ${_.held.join()}`))],
        ["suspended project_deletion"]
      )
      assert.lengthOf(yield* present(holds.release("project-1", "project_deletion")), 21)
    })
  )

  story(
    "a listener is notified of the whole project; an unknown project is not held",
    Effect.fnUntraced(function* () {
      const holds = yield* records(["1"])
      const changes = yield* (yield* Credentials).changes
      assert.strictEqual(yield* holds.hold("project-9", "project_deletion"), "absent")
      assert.isUndefined(yield* holds.release("project-9", "project_deletion"))
      yield* holds.hold("project-1", "project_deletion")
      yield* holds.release("project-1", "project_deletion")
      const heard = yield* Stream.runCollect(Stream.take(changes, 2))
      assert.deepStrictEqual(heard, [everybodyIn("project-1"), everybodyIn("project-1")])
    })
  )

  story(
    "a project that ends leaves its machine credentials revoked, and no tenant or members",
    Effect.fnUntraced(function* () {
      const holds = yield* records(
        ["1"],
        ["2", { kind: "member", role: "customer-owner" }],
        ["3", { project_id: "project-2" }]
      )
      yield* holds.hold("project-1", "project_deletion")
      const projects = yield* ProjectRecords

      assert.isTrue(yield* projects.end("project-1"))
      assert.isFalse(yield* projects.end("project-1"))

      assert.isUndefined(yield* (yield* Tenants).find("project-1"))
      assert.deepStrictEqual(yield* stateOf("1", "3"), ["revoked", "active"])
      assert.isNotNull((yield* present((yield* Credentials).find("1"))).revoked_at)
      assert.isUndefined(yield* (yield* Credentials).find("2"))
      assert.isFalse(yield* (yield* Tenants).slugTaken("acme"))
    })
  )
})

postgresStoriesOf("Holds, between sessions", (story) => {
  story(
    "a hold waits for a mint that has begun, and suspends it",
    Effect.fnUntraced(function* () {
      const holds = yield* records(["1"])
      const sql = yield* SqlClient.SqlClient
      const credentials = yield* Credentials
      const inserted = yield* Deferred.make<void>()
      const committing = yield* Deferred.make<void>()
      const minting = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* credentials.insertWithin(credential("2", { state: "minting" }), 10)
            yield* Deferred.succeed(inserted, undefined)
            yield* Deferred.await(committing)
          })
        )
      )
      yield* Deferred.await(inserted)
      const holding = yield* Effect.forkChild(holds.hold("project-1", "project_deletion"))
      yield* sessionsWaiting(1)
      yield* Deferred.succeed(committing, undefined)
      yield* Fiber.join(minting)
      assert.strictEqual(yield* Fiber.join(holding), "held")
      assert.deepInclude(yield* credentials.activate("2", "hash-2"), { state: "suspended" })
    })
  )
})
