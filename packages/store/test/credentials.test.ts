import { assert } from "@effect/vitest"
import { DateTime, Duration, Effect, Stream } from "effect"
import { Credentials, mintLease, unless } from "../src/Credentials.ts"
import { margin, pass } from "@portico/testing/store/Aging"
import { credential } from "./credential.ts"
import { present, storiesOf } from "./stories.ts"

/** Inserts records, and gives their project. */
const inserted = Effect.fnUntraced(function* (...records: ReadonlyArray<Parameters<typeof credential>>) {
  const credentials = yield* Credentials
  yield* Effect.forEach(records, ([id, change]) => credentials.insert(credential(id, change)), { discard: true })
  return credentials
})

const inAnHour = Effect.map(DateTime.now, DateTime.add({ hours: 1 }))

storiesOf("Credentials", (story) => {
  story(
    "a record is found by its id, by its user and by the hash of its token",
    Effect.fnUntraced(function* () {
      const credentials = yield* Credentials
      const expires_at = yield* inAnHour
      const before = yield* DateTime.now
      const one = credential("1", { pat_hash: "hash-1", expires_at })

      const row = yield* credentials.insert(one)
      yield* credentials.insert(credential("2", { pat_hash: "hash-2" }))

      const { created_at, ...rest } = row
      assert.deepStrictEqual(rest, { ...unless, ...one, revoked_at: null, mint_ends: null })
      assert.closeTo(Duration.toSeconds(DateTime.distance(before, created_at)), 0, 10)
      assert.deepStrictEqual(yield* credentials.find("1"), row)
      for (const project of [undefined, "project-1"]) {
        assert.deepStrictEqual(yield* credentials.find("1", project), row)
        assert.deepStrictEqual(yield* credentials.derived({ id: "1" }, project), { ...row, makers: [] })
      }
      assert.isUndefined(yield* credentials.find("1", "project-2"))
      assert.isUndefined(yield* credentials.derived({ id: "1" }, "project-2"))
      assert.deepStrictEqual(yield* credentials.findByUser("user-1"), row)
      assert.deepStrictEqual(yield* credentials.derived({ patHash: "hash-1" }), { ...row, makers: [] })
    })
  )

  story(
    "an unknown credential is not found",
    Effect.fnUntraced(function* () {
      const credentials = yield* inserted(["1"])

      assert.isUndefined(yield* credentials.find("9"))
      assert.isUndefined(yield* credentials.findByUser("user-9"))
      assert.isUndefined(yield* credentials.derived({ patHash: "hash-9" }))
      assert.isUndefined(yield* credentials.activate("9", "hash-9"))
      assert.isUndefined(yield* credentials.revoke("9"))
      yield* credentials.remove("9")
    })
  )

  story(
    "a user has one record",
    Effect.fnUntraced(function* () {
      const credentials = yield* inserted(["1"])

      for (const second of [credential("1", { user_id: "user-2" }), credential("2", { user_id: "user-1" })]) {
        assert.isTrue(yield* Effect.isFailure(Effect.sandbox(credentials.insert(second))))
        assert.isTrue(yield* Effect.isFailure(Effect.sandbox(credentials.insertWithin(second, 20))))
      }
      assert.strictEqual(yield* credentials.countLive("project-1"), 1)
    })
  )

  story(
    "a record is live until it is revoked or expires, members, mints and suspended ones too",
    Effect.fnUntraced(function* () {
      const credentials = yield* inserted(
        ["1"],
        ["2", { kind: "member" }],
        ["3", { state: "minting" }],
        ["4", { state: "suspended" }],
        ["5", { expires_at: yield* inAnHour }],
        ["6", { project_id: "project-2" }]
      )
      const live = credentials.countLive("project-1")
      assert.strictEqual(yield* live, 5)

      yield* pass("59 minutes")
      assert.strictEqual(yield* live, 5)
      yield* pass("1 minute")
      assert.strictEqual(yield* live, 4)

      yield* credentials.revoke("1")
      assert.strictEqual(yield* live, 3)
      yield* credentials.remove("3")
      assert.strictEqual(yield* live, 2)
      assert.strictEqual(yield* credentials.countLive("project-9"), 0)
    })
  )

  story(
    "an allowance counts live records of the project alone",
    Effect.fnUntraced(function* () {
      const credentials = yield* inserted(
        ["1"],
        ["2", { expires_at: yield* inAnHour }],
        ["3", { project_id: "project-2" }]
      )
      const mint = credentials.insertWithin(credential("4", { state: "minting" }), 2)

      assert.isUndefined(yield* mint)
      assert.isUndefined(yield* credentials.find("4"))
      yield* pass("1 hour")
      assert.deepStrictEqual(yield* mint, yield* credentials.find("4"))

      assert.isUndefined(yield* credentials.insertWithin(credential("5"), 2))
      yield* credentials.revoke("1")
      assert.isDefined(yield* credentials.insertWithin(credential("5"), 2))
      assert.isUndefined(yield* credentials.insertWithin(credential("6"), 0))
    })
  )

  story(
    "parallel mints share an allowance's last places, also in a project without a tenant",
    Effect.fnUntraced(function* () {
      const credentials = yield* inserted(["before"])

      const rows = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => credential(`${index}`, { state: "minting" })),
        (_) => credentials.insertWithin(_, 4),
        { concurrency: "unbounded" }
      )

      assert.strictEqual(rows.filter((_) => _ !== undefined).length, 3)
      assert.strictEqual(yield* credentials.countLive("project-1"), 4)
    })
  )

  story(
    "a mint becomes active once, when it is complete",
    Effect.fnUntraced(function* () {
      const credentials = yield* inserted(["1", { state: "minting" }])
      const minting = yield* present(credentials.find("1"))
      assert.isNotNull(minting.mint_ends)

      const active = yield* present(credentials.activate("1", "hash-1"))

      assert.deepStrictEqual(active, { ...minting, state: "active", pat_hash: "hash-1", mint_ends: null })
      assert.deepStrictEqual(yield* credentials.derived({ patHash: "hash-1" }), { ...active, makers: [] })
      assert.isUndefined(yield* credentials.activate("1", "hash-2"))
    })
  )

  story(
    "a mint that takes longer than its lease never becomes active",
    Effect.fnUntraced(function* () {
      const credentials = yield* inserted(["1", { state: "minting" }])
      yield* pass(Duration.subtract(mintLease, margin))
      yield* inserted(["2", { state: "minting" }])
      yield* pass(margin)

      assert.isUndefined(yield* credentials.activate("1", "hash-1"))
      assert.strictEqual((yield* present(credentials.find("1"))).state, "minting")
      assert.isDefined(yield* credentials.activate("2", "hash-2"))
    })
  )

  story(
    "a mint that was revoked meanwhile never becomes active",
    Effect.fnUntraced(function* () {
      const credentials = yield* inserted(["1", { state: "minting" }])
      yield* credentials.revoke("1")

      assert.isUndefined(yield* credentials.activate("1", "hash-1"))
      assert.strictEqual((yield* present(credentials.find("1"))).state, "revoked")
    })
  )

  story(
    "a mint whose lease has ended is claimed by one sweep, and again when that was cut short",
    Effect.fnUntraced(function* () {
      const credentials = yield* inserted(["1", { state: "minting" }], ["2", { state: "minting" }], ["3"])
      yield* credentials.activate("2", "hash-2")
      const sweep = Effect.map(credentials.claimAbandonedMints, (rows) => rows.map((_) => _.credential_id))
      yield* pass(Duration.subtract(mintLease, margin))
      assert.deepStrictEqual(yield* sweep, [])
      yield* pass(margin)

      const sweeps = yield* Effect.all(
        Array.from({ length: 8 }, () => sweep),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(sweeps.flat(), ["1"])

      yield* pass(mintLease)
      assert.deepStrictEqual(yield* sweep, ["1"])
      yield* credentials.remove("1")
      yield* pass(mintLease)
      assert.deepStrictEqual(yield* sweep, [])
    })
  )

  story(
    "a revoked credential is still found, with the time of its first revocation",
    Effect.fnUntraced(function* () {
      const credentials = yield* inserted(["1", { pat_hash: "hash-1" }])
      const row = yield* present(credentials.find("1"))
      const first = yield* present(credentials.revoke("1"))
      assert.deepStrictEqual(first, { ...row, state: "revoked", revoked_at: first.revoked_at })
      yield* pass("1 hour")

      const second = yield* present(credentials.revoke("1"))

      const now = yield* DateTime.now
      assert.isNotNull(second.revoked_at)
      assert.isAtLeast(Duration.toMinutes(DateTime.distance(second.revoked_at, now)), 59)
      assert.deepStrictEqual(yield* credentials.derived({ patHash: "hash-1" }), { ...second, makers: [] })
    })
  )

  story(
    "a listener is notified of every change of a record, when the change is visible",
    Effect.fnUntraced(function* () {
      const credentials = yield* inserted(["1"], ["2", { state: "minting" }], ["3", { state: "minting" }])
      yield* credentials.revoke("1")

      const changes = yield* credentials.changes
      yield* credentials.activate("2", "hash-2")
      yield* credentials.activate("9", "hash-9")
      yield* credentials.remove("3")
      yield* credentials.revoke("2")
      yield* credentials.revoke("2")

      const heard = yield* changes.pipe(
        Stream.take(4),
        Stream.mapEffect((user) =>
          Effect.map(credentials.findByUser(user), (row) => `${user} ${row?.state ?? "is gone"}`)
        ),
        Stream.runCollect
      )
      assert.deepStrictEqual(heard, ["user-2 revoked", "user-3 is gone", "user-2 revoked", "user-2 revoked"])
    })
  )

  story(
    "every listener is notified of a change",
    Effect.fnUntraced(function* () {
      const credentials = yield* inserted(["1"])
      const listeners = yield* Effect.all([credentials.changes, credentials.changes])

      yield* credentials.revoke("1")

      const heard = yield* Effect.forEach(listeners, (_) => Stream.runCollect(Stream.take(_, 1)))
      assert.deepStrictEqual(heard, [["user-1"], ["user-1"]])
    })
  )
})
