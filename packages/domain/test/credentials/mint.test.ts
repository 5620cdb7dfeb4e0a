import { assert, it } from "@effect/vitest"
import { listCredentials } from "@portico/domain/credentials/list"
import { mint, sweepMints } from "@portico/domain/credentials/mint"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { ownerOf, refused, resolve, withTier } from "@portico/testing/tenants/caller"
import { inTime } from "@portico/testing/clock"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { clientCredentials } from "@portico/testing/tenants/tokens"

const request = { kind: "api-key", tier: 1, label: "CI" } as const

it.effect("both secrets of a new credential are accepted, and no list shows them", () =>
  Effect.gen(function* () {
    const { caller, tenant } = yield* ownerOf("discovery")
    yield* TestClock.adjust("1 second")
    const { client_secret, pat, ...entry } = yield* mint(caller, tenant, request)

    const login = yield* clientCredentials(entry.client_id, client_secret)
    assert.deepStrictEqual(login, { active: true, roles: ["customer"] })
    const minted = yield* resolve(pat)
    assert.deepInclude(minted, { tier: 1, admin: false, credentialId: entry.credential_id, credentialLabel: "CI" })
    assert.strictEqual(minted.tenant?.projectId, tenant.projectId)

    assert.deepInclude(entry, {
      kind: "api-key",
      tier: 1,
      label: "CI",
      project_id: tenant.projectId,
      state: "active",
      revoked: false,
      created_by: caller.userId,
      expires_at: null,
      revoked_at: null
    })
    const { count, credentials } = yield* listCredentials(caller, false)
    assert.strictEqual(count, 2)
    assert.deepStrictEqual(credentials[1], entry)
    assert.notInclude(JSON.stringify(credentials), client_secret)
    assert.notInclude(JSON.stringify(credentials), pat)
  }).pipe(Effect.provide(Simulated))
)

it.effect.each([
  { held: 0, asked: 0 },
  { held: 0, asked: 1 },
  { held: 0, asked: 2 },
  { held: 1, asked: 0 },
  { held: 1, asked: 1 },
  { held: 1, asked: 2 },
  { held: 2, asked: 2 }
] as const)("a caller of tier $held asks for tier $asked", ({ asked, held }) =>
  Effect.gen(function* () {
    const { caller, tenant } = yield* ownerOf("discovery")
    const result = yield* Effect.result(mint(withTier(caller, held), tenant, { ...request, tier: asked }))
    if (asked <= held) {
      assert.isTrue(Result.isSuccess(result))
      return
    }
    const failure = Result.isFailure(result) ? result.failure : undefined
    assert.strictEqual(failure?._tag, "Forbidden")
    assert.strictEqual((yield* listCredentials(caller, true)).count, 1)
  }).pipe(Effect.provide(Simulated))
)

it.effect("of 25 concurrent mints the tier's number succeeds, and the refusal has the numbers", () =>
  Effect.gen(function* () {
    const { caller, tenant } = yield* ownerOf("discovery")
    const many = Array.from({ length: 25 }, () => Effect.result(mint(caller, tenant, request)))
    const results = yield* inTime(Effect.all(many, { concurrency: "unbounded" }))
    // The first credential of the tenant is one of the 20.
    assert.lengthOf(results.filter(Result.isSuccess), 19)
    const refusals = new Set(results.flatMap((_) => (Result.isFailure(_) ? [_.failure.detail] : [])))
    assert.deepStrictEqual(
      [...refusals],
      ["The tenant holds 20 live credentials and its tier allows 20; revoke one first"]
    )
    assert.strictEqual((yield* listCredentials(caller, false)).count, 20)
  }).pipe(Effect.provide(Simulated))
)

it.effect("an expired credential is refused as expired, listed as such, and frees its place", () =>
  Effect.gen(function* () {
    const { caller, tenant } = yield* ownerOf("discovery")
    const mints = Array.from({ length: 19 }, () => mint(caller, tenant, { ...request, expires_in_days: 1 }))
    const [first] = yield* Effect.all(mints)
    assert.strictEqual(first?.expires_at, "1970-01-02T00:00:00.000Z")
    const pat = first?.pat ?? ""
    yield* TestClock.adjust("86399 seconds")
    assert.strictEqual(yield* refused(pat), "accepted")
    assert.strictEqual((yield* Effect.flip(mint(caller, tenant, request)))._tag, "Conflict")
    yield* TestClock.adjust("1 second")
    assert.strictEqual(yield* refused(pat), "Unauthorized: Credential has expired")
    const { credentials } = yield* listCredentials(caller, false)
    assert.deepStrictEqual(credentials.map((_) => _.state).toSorted(), [
      "active",
      ...mints.map(() => "expired" as const)
    ])
    yield* mint(caller, tenant, request)
  }).pipe(Effect.provide(Simulated))
)

it.effect("the sweep leaves complete and running mints alone", () =>
  Effect.gen(function* () {
    const { caller, tenant } = yield* ownerOf("discovery")
    const { pat } = yield* mint(caller, tenant, request)
    yield* TestClock.adjust("1 hour")
    yield* sweepMints
    assert.strictEqual(yield* refused(pat), "accepted")
    assert.strictEqual((yield* listCredentials(caller, false)).count, 2)
  }).pipe(Effect.provide(Simulated))
)
