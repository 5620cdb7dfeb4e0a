import { assert, it } from "@effect/vitest"
import { listCredentials } from "@portico/domain/credentials/list"
import { mint } from "@portico/domain/credentials/mint"
import { revoke } from "@portico/domain/credentials/revoke"
import { rotate, sweepRotations } from "@portico/domain/credentials/rotate"
import { Holds } from "@portico/store/Holds"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ownerOf, refused } from "@portico/testing/tenants/caller"
import { Simulated } from "@portico/testing/cloud/Simulated"

const request = { kind: "api-key", tier: 1, label: "CI" } as const

const suspended = "Unauthorized: Credential is suspended"
const revoked = "Unauthorized: Credential has been revoked"

const owned = Effect.gen(function* () {
  const { caller, tenant } = yield* ownerOf("standard")
  const holds = yield* Holds
  const shown = (id: string) =>
    Effect.map(listCredentials(caller, true), ({ credentials }) => {
      const found = credentials.find((_) => _.credential_id === id)
      return [found?.state, found?.held]
    })
  return {
    caller,
    tenant,
    shown,
    hold: (reason: "project_deletion" | "account_closure") => holds.hold(tenant.projectId, reason),
    release: (reason: "project_deletion" | "account_closure") => holds.release(tenant.projectId, reason)
  }
})

it.effect("a held credential is refused with its reasons, and accepted after the last release", () =>
  Effect.gen(function* () {
    const { caller, hold, release, shown, tenant } = yield* owned
    const { credential_id: id, pat } = yield* mint(caller, tenant, request)
    assert.deepStrictEqual(yield* shown(id), ["active", []])
    yield* hold("project_deletion")
    yield* hold("account_closure")
    assert.strictEqual(yield* refused(pat), suspended)
    assert.deepStrictEqual(yield* shown(id), ["suspended", ["project_deletion", "account_closure"]])
    assert.strictEqual((yield* listCredentials(caller, false)).count, 2)
    yield* release("project_deletion")
    assert.strictEqual(yield* refused(pat), suspended)
    yield* release("account_closure")
    assert.strictEqual(yield* refused(pat), "accepted")
    assert.deepStrictEqual(yield* shown(id), ["active", []])
  }).pipe(Effect.provide(Simulated))
)

it.effect("a held credential that was revoked stays revoked", () =>
  Effect.gen(function* () {
    const { caller, hold, release, shown, tenant } = yield* owned
    const { credential_id: id, pat } = yield* mint(caller, tenant, request)
    yield* hold("project_deletion")
    yield* revoke(caller, id)
    assert.strictEqual(yield* refused(pat), revoked)
    assert.deepStrictEqual(yield* shown(id), ["revoked", []])
    yield* release("project_deletion")
    assert.strictEqual(yield* refused(pat), revoked)
    assert.deepStrictEqual(yield* shown(id), ["revoked", []])
  }).pipe(Effect.provide(Simulated))
)

it.effect("a held credential still expires", () =>
  Effect.gen(function* () {
    const { caller, hold, release, tenant } = yield* owned
    const { pat } = yield* mint(caller, tenant, { ...request, expires_in_days: 1 })
    yield* hold("project_deletion")
    yield* TestClock.adjust("1 day")
    yield* release("project_deletion")
    assert.strictEqual(yield* refused(pat), "Unauthorized: Credential has expired")
  }).pipe(Effect.provide(Simulated))
)

it.effect("the overlap of a held credential still ends, in a revocation", () =>
  Effect.gen(function* () {
    const { caller, hold, release, shown, tenant } = yield* owned
    const { credential_id: id, pat } = yield* mint(caller, tenant, request)
    const successor = yield* rotate(caller, tenant, id, { overlap_seconds: 3600 })
    yield* hold("project_deletion")
    for (const token of [pat, successor.pat]) assert.strictEqual(yield* refused(token), suspended)
    yield* TestClock.adjust("1 hour")
    yield* sweepRotations
    assert.deepStrictEqual(yield* shown(id), ["revoked", []])
    yield* release("project_deletion")
    assert.strictEqual(yield* refused(pat), revoked)
    assert.strictEqual(yield* refused(successor.pat), "accepted")
  }).pipe(Effect.provide(Simulated))
)
