import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Redacted } from "effect"
import { type Renewed, renewals } from "../../src/console/Renewals.ts"

const token = (text: string) => Redacted.make(text)

const renewedTo = (text: string): Renewed => ({
  accessToken: token(`access ${text}`),
  expiresAt: 60_000,
  refreshToken: token(text)
})

const textOf = (_: Redacted.Redacted | undefined) => _ && Redacted.value(_)

/** A renewal that waits for the provider, and a logout that came meanwhile. */
const renewalUnderWay = (answer: Renewed | undefined) =>
  Effect.gen(function* () {
    const renewing = yield* renewals<never>()
    const provider = yield* Deferred.make<void>()
    const renewal = yield* Effect.forkChild(renewing.get(token("first"), Effect.as(Deferred.await(provider), answer)), {
      startImmediately: true
    })
    const logout = yield* Effect.forkChild(renewing.end(token("first")), { startImmediately: true })
    yield* Deferred.succeed(provider, undefined)
    return { renewing, renewed: yield* Fiber.join(renewal), last: yield* Fiber.join(logout) }
  })

describe("a logout while a session is renewed", () => {
  it.effect("takes the renewed session with it, and revokes the token that it now has", () =>
    Effect.gen(function* () {
      const { last, renewed, renewing } = yield* renewalUnderWay(renewedTo("second"))
      assert.isUndefined(renewed)
      assert.strictEqual(textOf(last), "second")
      for (const name of ["first", "second"]) {
        const later = yield* renewing.get(token(name), Effect.die("the provider is not asked"))
        assert.isUndefined(later, name)
        assert.isUndefined(yield* renewing.end(token(name)), name)
      }
    })
  )

  it.effect("revokes the same token where the provider gives no other one", () =>
    Effect.gen(function* () {
      const { last, renewed } = yield* renewalUnderWay(renewedTo("first"))
      assert.deepStrictEqual([renewed, textOf(last)], [undefined, "first"])
    })
  )

  it.effect("revokes nothing that the provider has refused", () =>
    Effect.gen(function* () {
      const { last, renewed } = yield* renewalUnderWay(undefined)
      assert.deepStrictEqual([renewed, last], [undefined, undefined])
    })
  )
})
