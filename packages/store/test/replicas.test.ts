import { assert } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { Credentials, mintLease } from "../src/Credentials.ts"
import { Journal, lease } from "../src/Journal.ts"
import { Transactions } from "../src/Transactions.ts"
import { pass } from "@portico/testing/store/Aging"
import { credential } from "./credential.ts"
import { killSessions, replica } from "./replica.ts"
import { postgresStoriesOf } from "./stories.ts"

const entries = Array.from({ length: 30 }, (_, index) => ({
  attempt_id: `attempt-${index}`,
  name: `Tenant ${index}`,
  slug: `tenant-${index}`,
  tier: "discovery" as const,
  steps: []
}))

const sweep = Effect.flatMap(Journal, (journal) => journal.claimAbandoned)

const sweepMints = Effect.flatMap(Credentials, (credentials) => credentials.claimAbandonedMints)

/** Three replicas that do the same at once, each with several connections. */
const fromEverywhere = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const replicas = yield* Effect.all([replica, replica, replica])
  const calls = [...replicas, ...replicas, ...replicas].map((_) => Effect.provide(effect, _))
  return yield* Effect.all(calls, { concurrency: "unbounded" })
})

/** Claims in a transaction that stays open, and hands over what it got. */
const claiming = Effect.fnUntraced(function* <A, E, R>(claim: Effect.Effect<A, E, R>) {
  const claimed = yield* Deferred.make<A>()
  const transactions = yield* Transactions
  const fiber = yield* claim.pipe(
    Effect.tap((_) => Deferred.succeed(claimed, _)),
    Effect.andThen(Effect.never),
    transactions.atomically,
    Effect.forkScoped
  )
  return { claimed: yield* Deferred.await(claimed), fiber }
})

postgresStoriesOf("Replicas", (story) => {
  story(
    "sweep each abandoned onboarding once",
    Effect.fnUntraced(function* () {
      const journal = yield* Journal
      yield* Effect.forEach(entries, journal.open)
      yield* pass(lease)

      const claims = (yield* fromEverywhere(sweep)).flat()

      assert.sameMembers(
        claims.map((_) => _.attempt_id),
        entries.map((_) => _.attempt_id)
      )
      assert.deepStrictEqual(new Set(claims.map((_) => _.withdrawals)), new Set([1]))
    })
  )

  story(
    "clean up each abandoned mint once",
    Effect.fnUntraced(function* () {
      const credentials = yield* Credentials
      const mints = Array.from({ length: 30 }, (_, index) => credential(`${index}`, { state: "minting" }))
      yield* Effect.forEach(mints, credentials.insert)
      yield* pass(mintLease)

      const claims = (yield* fromEverywhere(sweepMints)).flat()

      assert.sameMembers(
        claims.map((_) => _.credential_id),
        mints.map((_) => _.credential_id)
      )
    })
  )

  story(
    "do not wait for each other's sweeps, and sweep what another gave up",
    Effect.fnUntraced(function* () {
      yield* (yield* Journal).open(entries[0]!)
      yield* (yield* Credentials).insert(credential("1", { state: "minting" }))
      yield* pass(lease)
      const claims: ReadonlyArray<Effect.Effect<ReadonlyArray<string>, never, Journal | Credentials>> = [
        Effect.map(sweep, (rows) => rows.map((_) => _.attempt_id)),
        Effect.map(sweepMints, (rows) => rows.map((_) => _.credential_id))
      ]
      const other = yield* replica

      for (const claim of claims) {
        const first = yield* claiming(claim)
        assert.strictEqual(first.claimed.length, 1)
        const second = claim.pipe(Effect.provide(other))
        assert.deepStrictEqual(yield* second, [])
        yield* Fiber.interrupt(first.fiber)
        assert.deepStrictEqual(yield* second, first.claimed)
      }
    })
  )

  story(
    "share an allowance's last places",
    Effect.fnUntraced(function* () {
      const credentials = yield* Credentials
      yield* Effect.forEach(["a", "b"], (_) => credentials.insert(credential(_)))
      const replicas = yield* Effect.all([replica, replica])

      const rows = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => index),
        (index) =>
          Effect.flatMap(Credentials, (_) => _.insertWithin(credential(`${index}`, { state: "minting" }), 5)).pipe(
            Effect.provide(replicas[index % 2]!)
          ),
        { concurrency: "unbounded" }
      )

      assert.strictEqual(rows.filter((_) => _ !== undefined).length, 3)
      assert.strictEqual(yield* credentials.countLive("project-1"), 5)
    })
  )

  story(
    "are notified of each other's changes within a second, after the commit",
    Effect.fnUntraced(function* () {
      const credentials = yield* Credentials
      yield* Effect.forEach(["1", "2"], (_) => credentials.insert(credential(_)))
      const changes = yield* Effect.flatMap(Credentials, (_) => _.changes).pipe(Effect.provide(yield* replica))
      const { atomically } = yield* Transactions

      yield* Effect.ignore(atomically(Effect.andThen(credentials.revoke("1"), Effect.fail("no, after all"))))
      yield* credentials.revoke("2")

      const heard = yield* changes.pipe(Stream.take(1), Stream.runCollect)
      assert.deepStrictEqual(heard, ["user-2"])
    })
  )

  story(
    "fail their listeners when the connection is cut, and can listen again",
    Effect.fnUntraced(function* () {
      const sql = yield* SqlClient.SqlClient
      const credentials = yield* Credentials
      yield* credentials.insert(credential("1"))
      const changes = yield* credentials.changes

      assert.strictEqual(yield* killSessions(sql`query LIKE 'LISTEN%'`), 1)

      const exit = yield* changes.pipe(Stream.runDrain, Effect.flip)
      assert.propertyVal(exit, "_tag", "SqlError")

      const again = yield* credentials.changes
      yield* credentials.revoke("1")
      assert.deepStrictEqual(yield* Stream.runCollect(Stream.take(again, 1)), ["user-1"])
    })
  )

  story(
    "return their connection when they stop listening",
    Effect.fnUntraced(function* () {
      const sql = yield* SqlClient.SqlClient
      const credentials = yield* Credentials

      // More often than there are connections.
      for (let times = 0; times < 15; times++) yield* Effect.scoped(credentials.changes)

      assert.deepStrictEqual(yield* sql`SELECT * FROM pg_listening_channels()`, [])
    })
  )
})
