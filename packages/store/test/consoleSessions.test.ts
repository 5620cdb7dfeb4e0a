import { assert } from "@effect/vitest"
import { DateTime, Duration, Effect, Stream } from "effect"
import { ConsoleSessions, endedTokensIn, ofPerson, sessionLease } from "../src/ConsoleSessions.ts"
import { Credentials } from "../src/Credentials.ts"
import { margin, pass } from "@portico/testing/store/Aging"
import { present, storiesOf } from "./stories.ts"

const accessTime = Duration.hours(12)
const idleTime = Duration.days(30)

const tokens = (name: string) =>
  Effect.map(DateTime.now, (now) => ({
    sealed: `sealed ${name}`,
    access_hash: name,
    access_ends: DateTime.addDuration(now, accessTime),
    expires_at: DateTime.addDuration(now, idleTime)
  }))

const begun = Effect.gen(function* () {
  const { insert } = yield* ConsoleSessions
  return yield* present(
    insert({ ...(yield* tokens("first")), session_hash: "session", plane: "customer", person: "user" })
  )
})

const end = Effect.flatMap(ConsoleSessions, (_) => _.end("customer", "session"))
const find = present(Effect.flatMap(ConsoleSessions, (_) => _.find("customer", "session")))
const justPast = (duration: Duration.Duration) => Duration.sum(duration, margin)

storiesOf("a session of the console", (story) => {
  story("is valid on its plane alone", () =>
    Effect.gen(function* () {
      const sessions = yield* ConsoleSessions
      const row = yield* begun
      assert.deepStrictEqual(yield* find, row)
      for (const [plane, hash] of [
        ["operator", "session"],
        ["customer", "another"]
      ] as const) {
        assert.isUndefined(yield* sessions.find(plane, hash))
        assert.isUndefined(yield* sessions.end(plane, hash))
      }
      assert.isNull((yield* find).ended_at)
    })
  )

  story("is renewed by one of many at once, and not by a caller with an outdated row", () =>
    Effect.gen(function* () {
      const sessions = yield* ConsoleSessions
      const row = yield* begun
      const claims = yield* Effect.all(
        Array.from({ length: 10 }, () => sessions.claim(row)),
        { concurrency: "unbounded" }
      )
      const [claimed, ...others] = claims.filter((_) => _ !== undefined)
      assert.isDefined(claimed)
      assert.lengthOf(others, 0)
      const renewed = yield* present(sessions.renewed(claimed!, yield* tokens("second")))
      assert.deepInclude(renewed, { sealed: "sealed second", access_hash: "second", lease: null, lease_ends: null })
      assert.isUndefined(yield* sessions.claim(row))
      assert.isDefined(yield* sessions.claim(renewed))
    })
  )

  story("can be renewed by another after a cut renewal, whose late result changes nothing", () =>
    Effect.gen(function* () {
      const sessions = yield* ConsoleSessions
      const row = yield* begun
      const dead = yield* present(sessions.claim(row))
      yield* pass(Duration.subtract(sessionLease, Duration.seconds(20)))
      assert.isUndefined(yield* sessions.claim(row))
      yield* pass(sessionLease)
      // The outcome is unknown, which the lease still says.
      assert.isNotNull((yield* find).lease)
      const next = yield* present(sessions.claim(row))
      assert.isUndefined(yield* sessions.renewed(dead, yield* tokens("late")))
      assert.isUndefined(yield* sessions.refuse(dead))
      yield* sessions.release(dead)
      assert.isUndefined(yield* sessions.claim(row))
      yield* sessions.release(next)
      assert.isNotNull((yield* find).lease)
      assert.isDefined(yield* sessions.claim(row))
    })
  )

  story("ends at once during a renewal, and the new tokens are stored to be revoked", () =>
    Effect.gen(function* () {
      const sessions = yield* ConsoleSessions
      const claimed = yield* present(sessions.claim(yield* begun))
      assert.isNotNull((yield* present(end)).ended_at)
      assert.isUndefined(yield* end)
      assert.lengthOf(yield* sessions.claimEnded(), 0)
      const renewed = yield* present(sessions.renewed(claimed, yield* tokens("second")))
      assert.deepInclude(renewed, { sealed: "sealed second", access_hash: "first" })
      assert.isNotNull(renewed.ended_at)
      const [due] = yield* sessions.claimEnded()
      assert.strictEqual(due?.sealed, "sealed second")
      assert.lengthOf(yield* sessions.claimEnded(), 0)
    })
  )

  story("ends when the provider refuses the renewal, with no token left to revoke", () =>
    Effect.gen(function* () {
      const sessions = yield* ConsoleSessions
      const claimed = yield* present(sessions.claim(yield* begun))
      const refused = yield* present(sessions.refuse(claimed))
      assert.deepInclude(refused, { sealed: "", lease: null, due_at: null })
      assert.isNotNull(refused.ended_at)
      assert.lengthOf(yield* sessions.claimEnded(), 0)
      assert.isTrue(yield* sessions.isEnded("first"))
    })
  )

  story("is revoked with pauses until that succeeds, and then has no tokens", () =>
    Effect.gen(function* () {
      const sessions = yield* ConsoleSessions
      yield* begun
      assert.lengthOf(yield* sessions.claimEnded(), 0)
      yield* end
      assert.lengthOf(yield* sessions.claimEnded("another"), 0)
      const [first] = yield* sessions.claimEnded("session")
      yield* sessions.postpone(yield* present(Effect.succeed(first)), Duration.minutes(5))
      yield* pass(Duration.minutes(4))
      assert.lengthOf(yield* sessions.claimEnded(), 0)
      yield* pass(Duration.minutes(2))
      const [second] = yield* sessions.claimEnded()
      assert.deepInclude(second, { failures: 1, sealed: "sealed first" })
      yield* sessions.revoked(yield* present(Effect.succeed(second)))
      yield* pass(Duration.hours(1))
      assert.lengthOf(yield* sessions.claimEnded(), 0)
      const row = yield* find
      assert.deepInclude(row, { sealed: "", lease: null, due_at: null })
      assert.isTrue(yield* sessions.isEnded("first"))
    })
  )

  story("is deleted after its end when its access token has expired", () =>
    Effect.gen(function* () {
      const sessions = yield* ConsoleSessions
      yield* begun
      yield* end
      for (const row of yield* sessions.claimEnded()) yield* sessions.revoked(row)
      assert.strictEqual(yield* sessions.prune, 0)
      assert.lengthOf(yield* sessions.endedTokens, 1)
      yield* pass(justPast(accessTime))
      assert.lengthOf(yield* sessions.endedTokens, 0)
      assert.strictEqual(yield* sessions.prune, 1)
    })
  )

  story("expires when it is idle, and so does one that cannot be revoked", () =>
    Effect.gen(function* () {
      const sessions = yield* ConsoleSessions
      yield* begun
      yield* sessions.insert({ ...(yield* tokens("other")), session_hash: "other", plane: "operator", person: "user" })
      yield* sessions.end("operator", "other")
      yield* pass(Duration.subtract(idleTime, Duration.hours(1)))
      assert.strictEqual(yield* sessions.prune, 0)
      yield* find
      yield* pass(Duration.hours(2))
      assert.isUndefined(yield* sessions.find("customer", "session"))
      assert.isUndefined(yield* end)
      assert.lengthOf(yield* sessions.claimEnded(), 0)
      assert.strictEqual(yield* sessions.prune, 2)
      assert.strictEqual(yield* sessions.prune, 0)
    })
  )

  story("notifies every process of the access token that is refused from now on", () =>
    Effect.gen(function* () {
      const sessions = yield* ConsoleSessions
      const changes = yield* (yield* Credentials).changes
      yield* sessions.renewed(yield* present(sessions.claim(yield* begun)), yield* tokens("second"))
      const row = yield* find
      const claimed = yield* present(sessions.claim(row))
      for (const hash of ["first", "second"]) assert.isFalse(yield* sessions.isEnded(hash))
      yield* end
      for (const hash of ["first", "second"]) assert.isTrue(yield* sessions.isEnded(hash))
      assert.lengthOf(yield* sessions.endedTokens, 1)
      yield* sessions.refuse(claimed)
      const told = yield* Stream.runCollect(Stream.take(changes, 2))
      for (const message of told) {
        const token = endedTokensIn(message)
        assert.deepStrictEqual([token?.access_hash, token?.former_hash], ["second", "first"])
        const ends = DateTime.toEpochMillis(row.access_ends)
        assert.strictEqual(token && DateTime.toEpochMillis(token.access_ends), ends)
      }
      assert.isUndefined(endedTokensIn("user-1"))
      assert.isUndefined(endedTokensIn("everybody in project-1"))
    })
  )

  story("counts against its person's limit, also when it has ended", () =>
    Effect.gen(function* () {
      const sessions = yield* ConsoleSessions
      const insert = Effect.fnUntraced(function* (session_hash: string, person = "user") {
        const plane = session_hash.endsWith("0") ? "operator" : "customer"
        return yield* sessions.insert({ ...(yield* tokens(session_hash)), session_hash, plane, person })
      })
      assert.deepStrictEqual(yield* sessions.surplus("user"), [])
      yield* begun
      yield* pass(Duration.minutes(1))
      const rest = Array.from({ length: ofPerson.stored }, (_, n) => `s${n + 1}`)
      const inserted = yield* Effect.forEach(rest, (_) => insert(_), { concurrency: 10 })
      assert.lengthOf(
        inserted.filter((_) => _ !== undefined),
        ofPerson.stored - 1
      )
      const surplus = yield* sessions.surplus("user")
      assert.lengthOf(surplus, ofPerson.stored - ofPerson.inUse)
      assert.deepStrictEqual(surplus.at(-1), { session_hash: "session", plane: "customer" })

      yield* end
      assert.lengthOf(yield* sessions.surplus("user"), ofPerson.stored - ofPerson.inUse - 1)
      assert.isUndefined(yield* insert("next"))
      assert.isDefined(yield* insert("theirs", "another"))
      yield* pass(idleTime)
      assert.isDefined(yield* insert("next"))
    })
  )

  story("is sealed anew unless its tokens have changed", () =>
    Effect.gen(function* () {
      const sessions = yield* ConsoleSessions
      yield* begun
      yield* sessions.insert({ ...(yield* tokens("other")), session_hash: "zebra", plane: "operator", person: "user" })
      const rows = yield* sessions.page("")
      assert.deepStrictEqual(rows, [
        { session_hash: "session", sealed: "sealed first" },
        { session_hash: "zebra", sealed: "sealed other" }
      ])
      assert.deepStrictEqual(yield* sessions.page("session"), rows.slice(1))
      assert.lengthOf(yield* sessions.page("zebra"), 0)
      assert.isTrue(yield* sessions.reseal(rows[0]!, "sealed anew"))
      assert.isFalse(yield* sessions.reseal(rows[0]!, "sealed late"))
      assert.strictEqual((yield* find).sealed, "sealed anew")
    })
  )
})
