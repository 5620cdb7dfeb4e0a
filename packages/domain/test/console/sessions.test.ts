import { assert, describe, it } from "@effect/vitest"
import { hashOf, PresentedToken } from "@portico/domain/access/PresentedToken"
import { Callers } from "@portico/domain/access/Callers"
import { pruneSessions, revokeSessions } from "@portico/domain/console/revoke"
import { type Cookie, Sessions } from "@portico/domain/console/Sessions"
import { TargetSecrets } from "@portico/domain/deliveries/TargetSecrets"
import { SigningKeys } from "@portico/domain/registry/SigningKeys"
import { rekey } from "@portico/domain/tenants/rekey"
import { ConsoleSessions, ofPerson } from "@portico/store/ConsoleSessions"
import type { Fault, FaultKind } from "@portico/simulator/Fault"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { inTime, settle, until } from "@portico/testing/clock"
import { buildAnotherProcess, processWith, Simulated } from "@portico/testing/cloud/Simulated"
import { titleOf } from "@portico/testing/faults/calls"
import { inDyingProcess } from "@portico/testing/faults/dying"
import { sampled } from "@portico/testing/sample/sampled"
import { Memory } from "@portico/testing/store/Memory"
import { refused } from "@portico/testing/tenants/caller"
import { ConfigProvider, type Context, Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { begun, code, next, source } from "./people.ts"

const renewing = { service: "zitadel", method: "POST", path: "/oauth/v2/token" } as const
const revoking = { service: "zitadel", method: "POST", path: "/oauth/v2/revoke" } as const

const nearTheEnd = TestClock.adjust("719 minutes")

/** How often the provider was asked this. */
const asked = Effect.fnUntraced(function* ({ path }: { readonly path: string }) {
  return (yield* (yield* SimulatedCloud).calls).filter((_) => _.path === path).length
})

const currentIn = (sessions: Sessions["Service"], cookie: Cookie) =>
  Effect.map(sessions.current("operator", cookie, source), (_) => _ && Redacted.value(_.token))
const current = (cookie: Cookie) => Effect.flatMap(Sessions, (_) => currentIn(_, cookie))
const end = (cookie: Cookie) => Effect.flatMap(Sessions, (_) => _.end("operator", cookie))

/** What a process answers to a request for the token: a token, `ended`, or the code of the refusal. */
const told = (cookie: Cookie) =>
  inTime(Effect.match(current(cookie), { onSuccess: (_) => _ ?? "ended", onFailure: (_) => _.code }))

const another = <A, E, R>(use: (process: Context.Context<Sessions | Callers>) => Effect.Effect<A, E, R>) =>
  Effect.scoped(Effect.flatMap(buildAnotherProcess, use))

/** Another process, with these in place of the store's own. */
const withStore = <A, E, R>(
  own: Partial<ConsoleSessions["Service"]>,
  use: (process: Context.Context<Sessions | Callers>) => Effect.Effect<A, E, R>
) =>
  Effect.flatMap(ConsoleSessions, (store) =>
    Effect.scoped(
      Effect.flatMap(
        Effect.provideService(buildAnotherProcess, ConsoleSessions, ConsoleSessions.of({ ...store, ...own })),
        use
      )
    )
  )

/** The tokens that the provider has for people. */
const providersTokens = Effect.map(SimulatedCloud, ({ world }) =>
  Object.values(world.zitadel.tokens).filter((_) => _.refresh !== null)
)

const row = Effect.flatMap(Memory, ({ consoleSessions }) => Effect.fromNullishOr([...consoleSessions.values()][0]))

const faults = (call: Pick<Fault, "service" | "method" | "path">, more: ReadonlyArray<FaultKind> = []) =>
  (["before", "after"] as const).flatMap((when) =>
    sampled(`${call.path} ${when}`, 2, [
      { status: 503 },
      { status: 400 },
      "reset",
      "hang",
      "garbage",
      ...more
    ] satisfies ReadonlyArray<FaultKind>).map((as): Fault => ({ ...call, when, as, times: "always" }))
  )

describe("a session of the console", () => {
  it.effect("has one renewal for ten windows at each of two replicas, shortly before its token's end", () =>
    Effect.gen(function* () {
      const { access, cookie } = yield* begun
      yield* another((process) =>
        Effect.gen(function* () {
          const here = yield* Sessions
          const there = yield* Effect.provideContext(Sessions, process)
          const windows = Effect.all(
            Array.from({ length: 20 }, (_, index) => currentIn(index % 2 === 0 ? here : there, cookie)),
            { concurrency: "unbounded" }
          )
          const cloud = yield* SimulatedCloud
          yield* cloud.clearCalls
          assert.deepStrictEqual([...new Set(yield* inTime(windows))], [Redacted.value(access.token)])
          yield* TestClock.adjust("600 minutes")
          assert.deepStrictEqual([...new Set(yield* inTime(windows))], [Redacted.value(access.token)])
          assert.strictEqual(yield* asked(renewing), 0)

          yield* TestClock.adjust("119 minutes")
          yield* cloud.fault({ ...renewing, when: "before", as: { delay_ms: 3_000 } })
          const renewed = yield* inTime(windows, "50 millis")
          assert.lengthOf([...new Set(renewed)], 1)
          assert.notStrictEqual(renewed[0], Redacted.value(access.token))
          assert.strictEqual(yield* asked(renewing), 1)
          assert.strictEqual(yield* refused(renewed[0] ?? ""), "accepted")
          assert.deepStrictEqual([...new Set(yield* inTime(windows))], [renewed[0]])
          assert.strictEqual(yield* asked(renewing), 1)
        })
      )
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("is limited to fifty in use and a hundred begun in a row by a person", () =>
    Effect.gen(function* () {
      const first = yield* begun
      yield* TestClock.adjust("1 minute")
      const second = yield* next
      for (let n = 2; n < ofPerson.inUse; n++) yield* next
      assert.strictEqual(yield* told(first.cookie), Redacted.value(first.access.token))
      yield* next
      assert.strictEqual(yield* told(first.cookie), "ended")
      assert.strictEqual(yield* told(second.cookie), Redacted.value(second.access.token))

      for (let n = ofPerson.inUse + 1; n < ofPerson.stored; n++) yield* next
      const before = (yield* providersTokens).length
      assert.strictEqual((yield* Effect.flip(next)).code, "rate_limited")
      assert.lengthOf(yield* providersTokens, before)
      yield* TestClock.adjust("13 hours")
      yield* pruneSessions
      yield* next
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("is renewed although the client was interrupted, so that no token is lost", () =>
    Effect.gen(function* () {
      const { access, cookie } = yield* begun
      yield* nearTheEnd
      const cloud = yield* SimulatedCloud
      yield* cloud.fault({ ...renewing, when: "after", as: { delay_ms: 3_000 } })
      yield* cloud.clearCalls
      const waiting = yield* Effect.forkDetach(current(cookie))
      yield* until(Effect.map(asked(renewing), (_) => _ === 1))
      yield* Fiber.interrupt(waiting)
      const token = yield* inTime(current(cookie))
      assert.notStrictEqual(token, Redacted.value(access.token))
      assert.strictEqual(yield* refused(token ?? ""), "accepted")
      assert.strictEqual(yield* asked(renewing), 1)
    }).pipe(Effect.provide(Simulated))
  )

  for (const fault of faults(renewing)) {
    it.effect(`continues, or has ended, when its renewal fails: ${titleOf(fault)}`, () =>
      Effect.gen(function* () {
        const { cookie } = yield* begun
        yield* nearTheEnd
        const cloud = yield* SimulatedCloud
        yield* cloud.fault(fault)
        assert.strictEqual(yield* told(cookie), "identity_provider_unreachable")
        yield* cloud.clearFaults
        const next = yield* told(cookie)
        if (fault.when === "before") {
          assert.strictEqual(yield* refused(next), "accepted")
          return assert.strictEqual(yield* told(cookie), next)
        }
        // The provider has exchanged the token, and its answer was lost.
        assert.strictEqual(next, "ended")
        assert.strictEqual(yield* told(cookie), "ended")
        assert.isDefined(yield* (yield* Sessions).begin("operator", yield* code, source, cookie))
      }).pipe(Effect.provide(Simulated))
    )
  }

  for (const when of ["before", "after"] as const) {
    it.effect(`is renewed by another process when one dies during a renewal, ${when} its effect`, () =>
      Effect.gen(function* () {
        const { cookie } = yield* begun
        yield* nearTheEnd
        const cloud = yield* SimulatedCloud
        yield* cloud.fault({ ...renewing, when, as: "hang" })
        yield* inDyingProcess(current(cookie))
        yield* cloud.clearFaults
        yield* TestClock.adjust("31 seconds")
        const next = yield* told(cookie)
        if (when === "before") assert.strictEqual(yield* refused(next), "accepted")
        else assert.strictEqual(next, "ended")
      }).pipe(Effect.provide(Simulated))
    )
  }

  it.effect("is not changed by a process that froze while another renewed it", () =>
    Effect.gen(function* () {
      const { cookie } = yield* begun
      yield* nearTheEnd
      const cloud = yield* SimulatedCloud
      yield* cloud.clearCalls
      const store = yield* ConsoleSessions
      const claim: ConsoleSessions["Service"]["claim"] = (row) => Effect.tap(store.claim(row), Effect.sleep("1 minute"))
      yield* withStore({ claim }, (process) =>
        Effect.gen(function* () {
          const frozen = yield* Effect.forkChild(Effect.provideContext(Effect.exit(current(cookie)), process))
          yield* settle
          yield* TestClock.adjust("31 seconds")
          const token = yield* told(cookie)
          assert.strictEqual(yield* asked(renewing), 1)
          yield* inTime(Fiber.join(frozen))
          assert.strictEqual(yield* asked(renewing), 1)
          assert.deepStrictEqual([yield* told(cookie), yield* refused(token)], [token, "accepted"])
        })
      )
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("is not lost when the database fails briefly after the provider exchanged its token", () =>
    Effect.gen(function* () {
      const { cookie } = yield* begun
      yield* nearTheEnd
      const store = yield* ConsoleSessions
      let away = 3
      const renewed: ConsoleSessions["Service"]["renewed"] = (held, tokens) =>
        Effect.suspend(() => ((away -= 1) >= 0 ? Effect.die("the database is away") : store.renewed(held, tokens)))
      yield* withStore({ renewed }, (process) =>
        Effect.gen(function* () {
          const token = yield* Effect.provideContext(told(cookie), process)
          assert.deepStrictEqual([yield* told(cookie), yield* refused(token)], [token, "accepted"])
        })
      )
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("has ended when the provider ended it, and its row ends with its last token", () =>
    Effect.gen(function* () {
      const { access, cookie } = yield* begun
      const { world } = yield* SimulatedCloud
      for (const { accessToken } of yield* providersTokens) delete world.zitadel.tokens[accessToken]
      // The provider may not know a new token yet.
      assert.strictEqual(yield* told(cookie), Redacted.value(access.token))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* told(cookie), "ended")
      assert.strictEqual((yield* row).sealed, "")
      yield* TestClock.adjust("12 hours")
      yield* pruneSessions
      assert.strictEqual((yield* Memory).consoleSessions.size, 0)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("is renewed early when the provider has ended its access token alone", () =>
    Effect.gen(function* () {
      const { access, cookie } = yield* begun
      const { world } = yield* SimulatedCloud
      yield* TestClock.adjust("1 minute")
      for (const token of yield* providersTokens) world.zitadel.tokens[token.accessToken] = { ...token, expiresAt: 0 }
      const next = yield* told(cookie)
      assert.notStrictEqual(next, Redacted.value(access.token))
      assert.strictEqual(yield* refused(next), "accepted")
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("stores no readable token, and none after it is revoked", () =>
    Effect.gen(function* () {
      const { access, cookie } = yield* begun
      const [token] = yield* providersTokens
      const stored = JSON.stringify(yield* row)
      for (const secret of [Redacted.value(access.token), token?.refresh?.token ?? "", Redacted.value(cookie)]) {
        assert.notInclude(stored, secret)
      }
      yield* end(cookie)
      assert.strictEqual((yield* row).sealed, "")
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("ends when the browser signs in again, and the new one continues", () =>
    Effect.gen(function* () {
      const { access, cookie } = yield* begun
      const next = yield* (yield* Sessions).begin("operator", yield* code, source, cookie)
      assert.strictEqual(yield* told(cookie), "ended")
      assert.include(yield* refused(access.token), "Token is not active")
      assert.strictEqual(yield* refused(next?.access.token ?? ""), "accepted")
      assert.lengthOf(yield* providersTokens, 1)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("of an unknown cookie counts against its source like an unknown token", () =>
    Effect.gen(function* () {
      const { cookie } = yield* begun
      const guesses = Array.from({ length: 400 }, (_, index) => current(Redacted.make(`guess-${index}`)))
      const codes = yield* inTime(
        Effect.forEach(guesses, (_) => Effect.match(_, { onSuccess: () => "ended", onFailure: (_) => _.code }), {
          concurrency: "unbounded"
        })
      )
      assert.include(codes, "rate_limited")
      // Whoever has a session is let in beside them.
      assert.isDefined(yield* inTime(current(cookie)))
    }).pipe(Effect.provide(Simulated))
  )
})

describe("a sign-out from the console", () => {
  it.effect("does not wait for a hanging provider, with any number of requests", () =>
    Effect.gen(function* () {
      const { cookie } = yield* begun
      yield* (yield* SimulatedCloud).fault({
        service: "zitadel",
        method: "POST",
        path: "/oauth/v2/introspect",
        when: "before",
        as: "hang",
        times: "always"
      })
      const guesses = Array.from({ length: 100 }, (_, n) => refused(`token-${n}`, `192.0.2.${n}`))
      const asking = yield* Effect.forkChild(Effect.all(guesses, { concurrency: "unbounded" }))
      yield* settle
      const ending = yield* Effect.forkChild(Effect.exit(end(cookie)))
      yield* settle
      const { ended_at } = yield* row
      // What hangs has to be over before the process stops.
      yield* inTime(Effect.all([Fiber.join(asking), Fiber.join(ending)]))
      assert.isNotNull(ended_at)
    }).pipe(Effect.provide(Simulated))
  )

  for (const fault of faults(revoking, [{ status: 400, body: { error: "invalid_request" } }])) {
    it.effect(`applies everywhere, and is repeated at the provider until it succeeds: ${titleOf(fault)}`, () =>
      Effect.gen(function* () {
        const { access, cookie } = yield* begun
        const cloud = yield* SimulatedCloud
        yield* another((process) =>
          Effect.gen(function* () {
            const there = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideContext(effect, process)
            assert.strictEqual(yield* there(refused(access.token)), "accepted")
            yield* cloud.fault(fault)
            yield* inTime(end(cookie))
            yield* settle
            const isOver = Effect.gen(function* () {
              for (const at of [there, <A, E, R>(effect: Effect.Effect<A, E, R>) => effect]) {
                assert.strictEqual(yield* at(told(cookie)), "ended")
                assert.include(yield* at(refused(access.token)), "Token is not active")
              }
            })
            yield* isOver
            // A process that starts later has heard of nothing.
            yield* another((late) => Effect.provideContext(isOver, late))
            if (fault.when === "before") assert.lengthOf(yield* providersTokens, 1)
            yield* TestClock.adjust("1 minute")
            yield* isOver
            yield* cloud.clearFaults
            yield* inTime(revokeSessions)
            assert.lengthOf(yield* providersTokens, 0)
            const { due_at, sealed } = yield* row
            assert.deepStrictEqual([due_at, sealed], [null, ""])
            const before = yield* asked(revoking)
            yield* TestClock.adjust("2 hours")
            yield* revokeSessions
            assert.strictEqual(yield* asked(revoking), before)
            yield* isOver
          })
        )
        yield* TestClock.adjust("10 hours")
        yield* pruneSessions
        assert.strictEqual((yield* Memory).consoleSessions.size, 0)
        assert.strictEqual(yield* told(cookie), "ended")
      }).pipe(Effect.provide(Simulated))
    )
  }

  it.effect("is not repeated beyond the lifetime of the session's tokens", () =>
    Effect.gen(function* () {
      const { cookie } = yield* begun
      const cloud = yield* SimulatedCloud
      yield* cloud.fault({ ...revoking, when: "before", as: { status: 503 }, times: "always" })
      yield* end(cookie)
      yield* TestClock.adjust("29 days")
      const before = yield* asked(revoking)
      yield* revokeSessions
      assert.strictEqual(yield* asked(revoking), before + 1)
      yield* TestClock.adjust("2 days")
      yield* revokeSessions
      assert.strictEqual(yield* asked(revoking), before + 1)
      yield* pruneSessions
      assert.strictEqual((yield* Memory).consoleSessions.size, 0)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("ends a concurrent renewal, also at another replica, and revokes its tokens", () =>
    Effect.gen(function* () {
      const { access, cookie } = yield* begun
      yield* nearTheEnd
      const cloud = yield* SimulatedCloud
      yield* cloud.clearCalls
      yield* cloud.fault({ ...renewing, when: "after", as: { delay_ms: 5_000 } })
      yield* another((process) =>
        Effect.gen(function* () {
          const waiting = yield* Effect.forkChild(Effect.provideContext(current(cookie), process))
          yield* until(Effect.map(asked(renewing), (_) => _ === 1))
          yield* end(cookie)
          // What is under way decides what there is to revoke.
          assert.strictEqual(yield* asked(revoking), 0)
          assert.strictEqual(yield* told(cookie), "ended")
          assert.isUndefined(yield* inTime(Fiber.join(waiting)))
        })
      )
      assert.lengthOf(yield* providersTokens, 1)
      yield* revokeSessions
      assert.lengthOf(yield* providersTokens, 0)
      assert.include(yield* refused(access.token), "Token is not active")
      assert.strictEqual((yield* row).access_hash, hashOf(access.token))
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("ends the previous token too, which other windows may still use", () =>
    Effect.gen(function* () {
      const { access, cookie } = yield* begun
      yield* nearTheEnd
      // A process that has just met it does not ask the provider again.
      assert.strictEqual(yield* refused(access.token), "accepted")
      const renewed = yield* told(cookie)
      assert.deepStrictEqual([yield* refused(access.token), yield* refused(renewed)], ["accepted", "accepted"])
      yield* end(cookie)
      for (const token of [access.token, renewed]) assert.include(yield* refused(token), "Token is not active")
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("completes although the client was interrupted", () =>
    Effect.gen(function* () {
      const { cookie } = yield* begun
      const cloud = yield* SimulatedCloud
      yield* cloud.fault({ ...revoking, when: "before", as: { delay_ms: 2_000 } })
      const waiting = yield* Effect.forkDetach(end(cookie))
      yield* until(Effect.map(asked(revoking), (_) => _ === 1))
      yield* Fiber.interrupt(waiting)
      yield* TestClock.adjust("2 seconds")
      yield* settle
      assert.lengthOf(yield* providersTokens, 0)
      assert.strictEqual(yield* told(cookie), "ended")
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("ends its own open calls, and no other's", () =>
    Effect.gen(function* () {
      const callers = yield* Callers
      yield* settle
      const { access, cookie } = yield* begun
      const other = yield* (yield* Sessions).begin("operator", yield* code, source, undefined)
      const open = (token: Redacted.Redacted) =>
        Effect.map(callers.resolve(PresentedToken.of(token), "operator", source), (caller) => {
          const before = { caller, ends: access.endsAt }
          return Effect.match(callers.again(PresentedToken.of(token), "operator", source, before), {
            onSuccess: (_) => (_.renewal === undefined ? "goes on" : "is asked about"),
            onFailure: (_) => _.detail
          })
        })
      const [own, others] = [yield* open(access.token), yield* open(other?.access.token ?? Redacted.make(""))]
      assert.strictEqual(yield* own, "goes on")
      yield* end(cookie)
      assert.strictEqual(yield* own, "Token is not active")
      assert.strictEqual(yield* others, "goes on")
    }).pipe(Effect.provide(Simulated))
  )
})

/** A replica with these keys of the platform. */
const replica = (current: string, accepted = "") =>
  Layer.build(
    Layer.fresh(
      Layer.mergeAll(TargetSecrets.layer, SigningKeys.layer).pipe(
        Layer.provideMerge(processWith({ TENANT_PASSWORD_KEY: current, ACCEPTED_TENANT_PASSWORD_KEY: accepted })),
        Layer.provide(
          ConfigProvider.layer(
            ConfigProvider.fromUnknown({ TENANT_PASSWORD_KEY: current, ACCEPTED_TENANT_PASSWORD_KEY: accepted })
          )
        )
      )
    )
  )

it.effect("a session is sealed with the platform's new key, and ends with the key that sealed it", () =>
  Effect.gen(function* () {
    const [former, next] = ["former-key-of-the-platform", "next-key-of-the-platform"]
    const before = yield* replica(former, next)
    const { access, cookie } = yield* Effect.provideContext(begun, before)
    const left = yield* Effect.provideContext(
      Effect.flatMap(Sessions, (_) => Effect.flatMap(code, (_code) => _.begin("operator", _code, source, undefined))),
      before
    )
    const token = Redacted.value(access.token)
    const during = yield* replica(next, former)
    assert.strictEqual(yield* Effect.provideContext(told(cookie), during), token)
    assert.strictEqual((yield* Effect.provideContext(rekey(), during)).sessions, 2)
    assert.strictEqual((yield* Effect.provideContext(rekey(), during)).sessions, 0)
    for (const at of [before, during, yield* replica(next)]) {
      assert.strictEqual(yield* Effect.provideContext(told(cookie), at), token)
    }
    const other = yield* replica("another-key-of-the-platform")
    assert.strictEqual(yield* Effect.provideContext(told(left?.cookie ?? cookie), other), "ended")
    assert.strictEqual(yield* Effect.provideContext(told(cookie), during), token)
  }).pipe(Effect.scoped, Effect.provide(Simulated))
)
