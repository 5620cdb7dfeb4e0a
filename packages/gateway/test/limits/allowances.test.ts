import { assert, describe, it } from "@effect/vitest"
import { tiers } from "@portico/contract/Tiers"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { allowances, called, calledOften, enrolled, gone, moved } from "./meters.ts"

const small = allowances({ RATE_LIMIT_RPM_DISCOVERY: "3", RATE_LIMIT_RPM_STANDARD: "6" })

describe("a tenant's allowance", () => {
  for (const [tier, calls] of [
    ["discovery", 300],
    ["standard", 1200],
    ["extension", 6000]
  ] as const) {
    it.effect(`of the tier ${tier} is ${calls} calls a minute, and not one more`, () =>
      Effect.gen(function* () {
        assert.strictEqual(tiers[tier].api_rpm, calls)
        yield* enrolled("acme", tier)
        const last = yield* calledOften(calls, "acme")
        assert.deepStrictEqual(last, { limit: calls, remaining: 0, reset: 60, exceeded: false })
        assert.deepStrictEqual(yield* called("acme"), { limit: calls, remaining: 0, reset: 60, exceeded: true })
      }).pipe(Effect.provide(allowances()))
    )
  }

  it.effect("is in every answer: the remaining calls, and the time of its reset", () =>
    Effect.gen(function* () {
      yield* enrolled("acme", "discovery")
      const told = [yield* called("acme"), yield* called("acme"), yield* called("acme"), yield* called("acme")]
      assert.deepStrictEqual(told, [
        { limit: 3, remaining: 2, reset: 20, exceeded: false },
        { limit: 3, remaining: 1, reset: 40, exceeded: false },
        { limit: 3, remaining: 0, reset: 60, exceeded: false },
        { limit: 3, remaining: 0, reset: 60, exceeded: true }
      ])
    }).pipe(Effect.provide(small))
  )

  it.effect("is full again at its reset time, which refusals do not postpone", () =>
    Effect.gen(function* () {
      yield* enrolled("acme", "discovery")
      yield* calledOften(3, "acme")
      yield* TestClock.adjust("59999 millis")
      assert.deepInclude(yield* calledOften(50, "acme"), { exceeded: true, reset: 1 })
      yield* TestClock.adjust("1 millis")
      assert.deepInclude(yield* called("acme"), { exceeded: false, remaining: 2 })
    }).pipe(Effect.provide(small))
  )

  it.effect("is never used up at the steady rate", () =>
    Effect.gen(function* () {
      yield* enrolled("acme", "discovery")
      for (let i = 0; i < 100; i++) {
        assert.deepInclude(yield* called("acme"), { exceeded: false })
        yield* TestClock.adjust("20 seconds")
      }
    }).pipe(Effect.provide(small))
  )

  it.effect("is shared by all its credentials, and apart from another tenant's", () =>
    Effect.gen(function* () {
      yield* enrolled("acme", "discovery")
      yield* enrolled("globex", "discovery")
      yield* called("acme", "cred-1")
      yield* called("acme", "cred-2")
      yield* called("acme", "cred-3")
      assert.deepInclude(yield* called("acme", "cred-4"), { exceeded: true })
      assert.deepInclude(yield* called("globex", "cred-1"), { exceeded: false, remaining: 2 })
    }).pipe(Effect.provide(small))
  )

  it.effect("follows a move of its tier within half a minute, and keeps the counted calls", () =>
    Effect.gen(function* () {
      yield* enrolled("acme", "discovery")
      assert.deepInclude(yield* calledOften(4, "acme"), { limit: 3, exceeded: true })
      yield* moved("acme", "standard")
      yield* TestClock.adjust("29999 millis")
      assert.deepInclude(yield* called("acme"), { limit: 3, exceeded: true })
      yield* TestClock.adjust("1 millis")
      assert.deepInclude(yield* called("acme"), { limit: 6, remaining: 2, exceeded: false })
      yield* moved("acme", "discovery")
      yield* TestClock.adjust("30 seconds")
      assert.deepInclude(yield* called("acme"), { limit: 3, remaining: 0, exceeded: true })
    }).pipe(Effect.provide(small))
  )

  it.effect("of a project without a row follows its tag, or is the lowest", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* called("tagged"), { limit: 6 })
      assert.deepInclude(yield* called("unknown"), { limit: 3 })
    }).pipe(Effect.provide(small))
  )

  it.effect("is the lowest while its tier cannot be read, without a refusal", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* called("dark"), { limit: 3, exceeded: false })
    }).pipe(Effect.provide(small))
  )

  it.effect("is the last known one when its tier can no longer be read", () =>
    Effect.gen(function* () {
      yield* enrolled("dark", "standard")
      assert.deepInclude(yield* called("dark"), { limit: 6 })
      // The row goes, so that the platform is asked, which does not answer.
      yield* gone("dark")
      yield* TestClock.adjust("31 seconds")
      assert.deepInclude(yield* called("dark"), { limit: 6, exceeded: false })
    }).pipe(Effect.provide(small))
  )

  it.effect("does not exist without a tenant", () =>
    Effect.gen(function* () {
      for (let i = 0; i < 10; i++) assert.isUndefined(yield* called(null))
    }).pipe(Effect.provide(small))
  )

  it.effect("can be switched off", () =>
    Effect.gen(function* () {
      yield* enrolled("acme", "discovery")
      for (let i = 0; i < 10; i++) assert.isUndefined(yield* called("acme"))
    }).pipe(Effect.provide(allowances({ RATE_LIMIT_RPM_DISCOVERY: "3", RATE_LIMIT: "off" })))
  )

  for (const given of ["0", "-1", "2.5", "many"]) {
    it.effect(`cannot be set to '${given}': the gateway does not start`, () =>
      Effect.gen(function* () {
        const failure = yield* Effect.flip(
          Effect.scoped(Effect.provide(called("acme"), allowances({ RATE_LIMIT_RPM_STANDARD: given })))
        )
        assert.strictEqual(failure._tag, "ConfigError")
      })
    )
  }
})
