import { assert } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Claimed, IdempotencyKeys, keyLease, type KeptAnswer, type KeyedCall } from "../src/IdempotencyKeys.ts"
import { margin, pass } from "@portico/testing/store/Aging"
import { postgresStoriesOf, storiesOf } from "./stories.ts"

const day = Duration.hours(24)

const call: KeyedCall = { entry: "entry-1", fingerprint: "body-1", tier: 1, role: null }

const answer: KeptAnswer = {
  status: 201,
  headers: { "cache-control": "no-store" },
  body: '{"b":1,"a":null}',
  redacted: ["a"]
}

const claim = (asked: KeyedCall = call, kept: Duration.Duration = day) =>
  Effect.flatMap(IdempotencyKeys, (_) => _.claim(asked, kept))

/** What a claim that must succeed gives. */
const claimed = (asked: KeyedCall = call) =>
  Effect.map(claim(asked), (_): Claimed => {
    if (_.kind === "mine") return _.claimed
    return assert.fail(`the key is ${_.kind}`)
  })

const becomes = (kind: string, asked: KeyedCall = call) =>
  Effect.map(claim(asked), (_) => assert.strictEqual(_.kind, kind))

storiesOf("an idempotency key", (story) => {
  story("belongs to one caller at a time, and then returns the stored answer unchanged", () =>
    Effect.gen(function* () {
      const keys = yield* IdempotencyKeys
      const mine = yield* claimed()
      yield* becomes("busy")
      assert.isTrue(yield* keys.answer(mine, answer))
      assert.deepStrictEqual(yield* claim({ ...call, tier: 2, role: "customer-owner" }), {
        kind: "answered",
        answer,
        tier: 1,
        role: null
      })
      // Whoever comes late changes nothing any more.
      yield* keys.release(mine)
      assert.isFalse(yield* keys.answer(mine, { ...answer, status: 500 }))
      assert.isFalse(yield* keys.renew(mine))
      yield* becomes("answered")
    })
  )

  story("stands for one request, while it runs and after its answer", () =>
    Effect.gen(function* () {
      const other = { ...call, fingerprint: "body-2" }
      const mine = yield* claimed()
      yield* becomes("other", other)
      yield* (yield* IdempotencyKeys).answer(mine, { status: 204, headers: {}, body: null, redacted: [] })
      yield* becomes("other", other)
      yield* becomes("mine", { ...call, entry: "entry-2" })
    })
  )

  story("is read without being claimed", () =>
    Effect.gen(function* () {
      const keys = yield* IdempotencyKeys
      const other = { ...call, fingerprint: "body-2" }
      assert.isUndefined(yield* keys.find(call))
      const mine = yield* claimed()
      assert.deepStrictEqual(yield* keys.find(call), { kind: "busy" })
      assert.deepStrictEqual(yield* keys.find(other), { kind: "other" })
      yield* pass(Duration.sum(keyLease, margin))
      // Its holder shows no sign of life: the same request can claim it.
      assert.isUndefined(yield* keys.find(call))
      assert.deepStrictEqual(yield* keys.find(other), { kind: "other" })
      yield* keys.answer(mine, answer)
      assert.deepStrictEqual(yield* keys.find(call), { kind: "answered", answer, tier: 1, role: null })
      yield* pass(day)
      assert.isUndefined(yield* keys.find(call))
      assert.isUndefined(yield* keys.find(other))
    })
  )

  story("is free for any request when it was released", () =>
    Effect.gen(function* () {
      const keys = yield* IdempotencyKeys
      yield* keys.release(yield* claimed())
      const next = yield* claimed({ ...call, fingerprint: "body-2" })
      yield* keys.release({ ...next, lease: "00000000-0000-4000-8000-000000000000" })
      yield* becomes("other")
    })
  )

  story("passes on when its holder stops renewing, for the same request alone", () =>
    Effect.gen(function* () {
      const keys = yield* IdempotencyKeys
      const dead = yield* claimed()
      yield* pass(Duration.subtract(keyLease, margin))
      yield* becomes("busy")
      assert.isTrue(yield* keys.renew(dead))
      yield* pass(Duration.subtract(keyLease, margin))
      yield* becomes("busy")
      yield* pass(keyLease)
      yield* becomes("other", { ...call, fingerprint: "body-2" })
      const next = yield* claimed()
      assert.isFalse(yield* keys.renew(dead))
      assert.isFalse(yield* keys.answer(dead, answer))
      yield* keys.release(dead)
      assert.isTrue(yield* keys.answer(next, answer))
    })
  )

  story("is free and deleted after its lifetime, unless its call still runs", () =>
    Effect.gen(function* () {
      const keys = yield* IdempotencyKeys
      yield* keys.answer(yield* claimed(), answer)
      yield* keys.answer(yield* claimed({ ...call, entry: "entry-2" }), answer)
      yield* pass(Duration.subtract(day, margin))
      assert.strictEqual(yield* keys.prune, 0)
      yield* becomes("answered")
      yield* pass(margin)
      const again = yield* claimed({ ...call, fingerprint: "body-2" })
      assert.strictEqual(yield* keys.prune, 1)
      assert.strictEqual(yield* keys.prune, 0)
      yield* pass(day)
      yield* keys.renew(again)
      assert.strictEqual(yield* keys.prune, 0)
      yield* becomes("other")
      yield* pass(keyLease)
      assert.strictEqual(yield* keys.prune, 1)
    })
  )
})

postgresStoriesOf("an idempotency key on PostgreSQL", (story) => {
  story("is claimed by one of twenty at once, and again when its holder died", () =>
    Effect.gen(function* () {
      const rush = Effect.map(
        Effect.all(
          Array.from({ length: 20 }, () => claim()),
          { concurrency: "unbounded" }
        ),
        (_) => _.map(({ kind }) => kind).toSorted()
      )
      const one = [...Array.from({ length: 19 }, () => "busy"), "mine"]
      assert.deepStrictEqual(yield* rush, one)
      yield* pass(keyLease)
      assert.deepStrictEqual(yield* rush, one)
    })
  )

  story("finds a request by its primary key, and expired ones by their age", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const indexes = yield* sql<{ readonly name: string }>`
        SELECT indexname AS name FROM pg_indexes WHERE tablename = 'idempotency_keys' ORDER BY 1`
      assert.deepStrictEqual(
        indexes.map((_) => _.name),
        ["idempotency_keys_expiry", "idempotency_keys_pkey"]
      )
    })
  )
})
