import { assert, describe, it } from "@effect/vitest"
import { mint } from "@portico/domain/credentials/mint"
import { RegistryTokens } from "@portico/domain/registry/RegistryTokens"
import { Clock, Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { decodeJwt } from "jose"
import { ownerOf } from "@portico/testing/tenants/caller"
import { inTime } from "@portico/testing/clock"
import { Simulated } from "@portico/testing/cloud/Simulated"

const day = 86_400

/** A token for a credential that ends in so many seconds: what its answer says, and what stands in it. */
const issuedBefore = Effect.fnUntraced(function* (seconds: number, days?: number) {
  const { caller, tenant } = yield* ownerOf("standard")
  const limit = days === undefined ? {} : { expires_in_days: days }
  const { client_id, pat } = yield* inTime(
    mint(caller, tenant, { kind: "api-key", tier: 1, label: "docker", ...limit })
  )
  yield* TestClock.adjust((days ?? 1) * day * 1000 - seconds * 1000)
  const login = { plane: "customer", user: client_id, password: Redacted.make(pat), source: "192.0.2.1" } as const
  const issued = yield* (yield* RegistryTokens).issue(login, { services: ["registry"], scopes: [] })
  const { exp = 0, iat = 0 } = decodeJwt(issued.token)
  return { issued, exp, iat, now: yield* Clock.currentTimeMillis }
})

describe("a registry token", () => {
  for (const seconds of [1, 59, 299]) {
    it.effect(`of a credential that ends in ${seconds} s ends with it`, () =>
      Effect.gen(function* () {
        const { exp, iat, issued, now } = yield* issuedBefore(seconds, 1)
        assert.isAtMost(exp * 1000, now + seconds * 1000)
        // A fraction of a second is no reason to be shorter by more than one.
        assert.isAtLeast(exp * 1000, now + (seconds - 1) * 1000)
        assert.strictEqual(issued.expires_in, exp - iat)
      }).pipe(Effect.provide(Simulated))
    )
  }

  for (const [what, days] of [
    ["ends later", 1],
    ["never ends", undefined]
  ] as const) {
    it.effect(`of a credential that ${what} is valid for five minutes`, () =>
      Effect.gen(function* () {
        const { exp, iat, issued } = yield* issuedBefore(3600, days)
        assert.deepStrictEqual([exp - iat, issued.expires_in], [300, 300])
      }).pipe(Effect.provide(Simulated))
    )
  }
})
