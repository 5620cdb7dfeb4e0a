import { assert, it } from "@effect/vitest"
import { Caller } from "@portico/contract/Access"
import { NotFound } from "@portico/contract/Failures"
import { asAgent } from "@portico/domain/access/asAgent"
import { listCredentials } from "@portico/domain/credentials/list"
import { mint } from "@portico/domain/credentials/mint"
import { revoke } from "@portico/domain/credentials/revoke"
import { rotate, sweepRotations } from "@portico/domain/credentials/rotate"
import { Holds } from "@portico/store/Holds"
import { Memory } from "@portico/testing/store/Memory"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { callerOf, ownerOf, refused, resolve, withTier } from "@portico/testing/tenants/caller"
import { everything } from "@portico/testing/cloud/cleanSlate"
import { inTime } from "@portico/testing/clock"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { clientCredentials } from "@portico/testing/tenants/tokens"

const hour = { overlap_seconds: 3600 }

const owned = Effect.gen(function* () {
  const { caller, tenant } = yield* ownerOf("standard")
  yield* TestClock.adjust("1 second")
  const old = yield* mint(caller, tenant, {
    kind: "mcp",
    tier: 1,
    label: "agent",
    expires_in_days: 2,
    networks: ["192.0.2.0/24"]
  })
  yield* TestClock.adjust("1 second")
  return { caller, tenant, old, rotating: rotate(caller, tenant, old.credential_id, hour) }
})

const plain = Effect.gen(function* () {
  const { caller, tenant } = yield* ownerOf("standard")
  const old = yield* mint(caller, tenant, { kind: "api-key", tier: 1, label: "CI" })
  return { caller, tenant, old }
})

const codeOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (_) => (typeof _ === "object" && _ !== null && "code" in _ ? _.code : _))

it.effect("a successor equals its predecessor, with its own secrets and a reference to it", () =>
  Effect.gen(function* () {
    const { caller, old, rotating } = yield* owned
    const { client_secret, pat, predecessor, ...entry } = yield* rotating

    const { client_secret: secret, pat: token, ...before } = old
    assert.deepStrictEqual(predecessor, {
      ...before,
      rotated_to: entry.credential_id,
      revokes_at: "1970-01-01T01:00:02.000Z"
    })
    assert.deepStrictEqual(entry, {
      ...before,
      credential_id: entry.credential_id,
      client_id: entry.client_id,
      created_at: "1970-01-01T00:00:02.000Z",
      created_by: caller.userId
    })
    assert.notInclude([secret, token], client_secret)
    assert.notInclude([secret, token], pat)
    assert.notStrictEqual(entry.credential_id, old.credential_id)
    assert.deepStrictEqual(yield* clientCredentials(entry.client_id, client_secret), {
      active: true,
      roles: ["customer"]
    })
    const { credentials } = yield* listCredentials(caller, false)
    assert.deepStrictEqual(credentials.slice(1), [predecessor, entry])
    assert.notInclude(JSON.stringify(credentials), pat)
  }).pipe(Effect.provide(Simulated))
)

it.effect("both are accepted until the overlap ends, then the successor alone", () =>
  Effect.gen(function* () {
    const { caller, old, tenant } = yield* plain
    const { pat } = yield* rotate(caller, tenant, old.credential_id, hour)
    for (const token of [old.pat, pat]) assert.strictEqual(yield* refused(token), "accepted")
    yield* TestClock.adjust("3599 seconds")
    assert.strictEqual(yield* refused(old.pat), "accepted")
    yield* TestClock.adjust("1 second")
    assert.strictEqual(yield* refused(old.pat), "Unauthorized: Credential has been revoked")
    assert.strictEqual(yield* refused(pat), "accepted")

    yield* TestClock.adjust("10 minutes")
    yield* sweepRotations
    assert.isFalse((yield* clientCredentials(old.client_id, old.client_secret)).active)
    const { count, credentials } = yield* listCredentials(caller, true)
    const ended = credentials.find((_) => _.credential_id === old.credential_id)
    assert.deepInclude(ended, { state: "revoked", revoked: true, revoked_at: "1970-01-01T01:00:00.000Z" })
    assert.strictEqual(count, 3)
    assert.strictEqual((yield* listCredentials(caller, false)).count, 2)
  }).pipe(Effect.provide(Simulated))
)

it.effect("without an overlap the old one is revoked with the answer", () =>
  Effect.gen(function* () {
    const { caller, old, tenant } = yield* plain
    const { pat, predecessor } = yield* rotate(caller, tenant, old.credential_id, { overlap_seconds: 0 })
    assert.deepInclude(predecessor, { state: "revoked", revoked: true })
    assert.strictEqual(yield* refused(old.pat), "Unauthorized: Credential has been revoked")
    assert.isFalse((yield* clientCredentials(old.client_id, old.client_secret)).active)
    assert.strictEqual(yield* refused(pat), "accepted")
  }).pipe(Effect.provide(Simulated))
)

it.effect("a credential rotates itself", () =>
  Effect.gen(function* () {
    const { old, tenant } = yield* plain
    const self = yield* resolve(old.pat)
    const { created_by, pat } = yield* rotate(self, tenant, old.credential_id, hour)
    assert.strictEqual(created_by, self.userId)
    assert.strictEqual((yield* resolve(pat)).tier, 1)
  }).pipe(Effect.provide(Simulated))
)

it.effect("an agent rotates no api-key, also when it acts with that key or with its maker's token", () =>
  Effect.gen(function* () {
    const { caller, old, tenant } = yield* plain
    for (const agent of [asAgent(yield* resolve(old.pat)), asAgent(caller)]) {
      assert.strictEqual(yield* codeOf(rotate(agent, tenant, old.credential_id, hour)), "agent_mints_agents")
    }
    const ofAgents = yield* mint(caller, tenant, { kind: "mcp", tier: 1, label: "agent", expires_in_days: 7 })
    const { kind } = yield* rotate(asAgent(caller), tenant, ofAgents.credential_id, hour)
    assert.strictEqual(kind, "mcp")
    const endless = yield* mint(caller, tenant, { kind: "mcp", tier: 1, label: "agent" })
    const turned = rotate(asAgent(caller), tenant, endless.credential_id, hour)
    assert.strictEqual(yield* codeOf(turned), "agent_mints_agents")
  }).pipe(Effect.provide(Simulated))
)

it.effect("of many concurrent rotations one succeeds, and the others get the reason", () =>
  Effect.gen(function* () {
    const { caller, old, tenant } = yield* plain
    const many = Array.from({ length: 8 }, () => Effect.result(rotate(caller, tenant, old.credential_id, hour)))
    const results = yield* inTime(Effect.all(many, { concurrency: "unbounded" }))
    assert.lengthOf(results.filter(Result.isSuccess), 1)
    const codes = new Set(results.flatMap((_) => (Result.isFailure(_) ? [_.failure.code] : [])))
    for (const code of codes) assert.include(["rotation_in_progress", "credential_rotated"], code)
    assert.strictEqual((yield* listCredentials(caller, true)).count, 3)
    assert.strictEqual(yield* codeOf(rotate(caller, tenant, old.credential_id, hour)), "credential_rotated")
  }).pipe(Effect.provide(Simulated))
)

it.effect("a concurrent revocation wins over a rotation, which leaves nothing", () =>
  Effect.gen(function* () {
    const { caller, old, tenant } = yield* plain
    const [rotated, revoked] = yield* inTime(
      Effect.all([Effect.result(rotate(caller, tenant, old.credential_id, hour)), revoke(caller, old.credential_id)], {
        concurrency: 2
      })
    )
    assert.isTrue(revoked.revoked)
    const { credentials } = yield* listCredentials(caller, true)
    assert.strictEqual(yield* refused(old.pat), "Unauthorized: Credential has been revoked")
    if (Result.isSuccess(rotated)) {
      assert.lengthOf(credentials, 3)
      return
    }
    assert.strictEqual(rotated.failure.code, "credential_not_active")
    assert.lengthOf(credentials, 2)
  }).pipe(Effect.provide(Simulated))
)

it.effect("a revoked, expired or held credential, or a successor in its overlap, cannot be rotated", () =>
  Effect.gen(function* () {
    const { caller, tenant } = yield* ownerOf("standard")
    const made = (days?: number) =>
      mint(caller, tenant, {
        kind: "api-key",
        tier: 1,
        label: "CI",
        ...(days === undefined ? {} : { expires_in_days: days })
      })
    const refusal = (id: string) => Effect.map(Effect.flip(rotate(caller, tenant, id, hour)), (_) => _.detail)
    const [revoked, expired, held, old] = [yield* made(), yield* made(1), yield* made(), yield* made()]
    yield* revoke(caller, revoked.credential_id)
    yield* TestClock.adjust("1 day")
    const successor = yield* rotate(caller, tenant, old.credential_id, hour)
    assert.strictEqual(
      yield* refusal(revoked.credential_id),
      `Credential '${revoked.credential_id}' is revoked; only an active one can be rotated`
    )
    assert.strictEqual(
      yield* refusal(expired.credential_id),
      `Credential '${expired.credential_id}' is expired; only an active one can be rotated`
    )
    assert.strictEqual(
      yield* refusal(successor.credential_id),
      `Credential '${successor.credential_id}' replaces '${old.credential_id}', which has not ended yet; ` +
        "wait for that, or revoke it first"
    )
    yield* revoke(caller, old.credential_id)
    yield* rotate(caller, tenant, successor.credential_id, hour)

    const before = yield* everything
    yield* (yield* Holds).hold(tenant.projectId, "project_deletion")
    assert.strictEqual(
      yield* refusal(held.credential_id),
      `Credential '${held.credential_id}' is suspended; only an active one can be rotated`
    )
    yield* (yield* Holds).release(tenant.projectId, "project_deletion")
    assert.deepStrictEqual(yield* everything, before)
  }).pipe(Effect.provide(Simulated))
)

it.effect("a tenant at its allowance can rotate, and gains no place", () =>
  Effect.gen(function* () {
    const { caller, tenant } = yield* ownerOf("discovery")
    const request = { kind: "api-key", tier: 0, label: "CI" } as const
    const [first] = yield* Effect.all(Array.from({ length: 19 }, () => mint(caller, tenant, request)))
    const full = Effect.map(Effect.flip(mint(caller, tenant, request)), (_) => _._tag)
    assert.strictEqual(yield* full, "Conflict")
    yield* rotate(caller, tenant, first?.credential_id ?? "", hour)
    assert.strictEqual(yield* full, "Conflict")
    yield* TestClock.adjust("1 hour")
    yield* sweepRotations
    assert.strictEqual(yield* full, "Conflict")
  }).pipe(Effect.provide(Simulated))
)

it.effect.each([
  { held: 0, of: 0 },
  { held: 0, of: 1 },
  { held: 1, of: 0 },
  { held: 1, of: 1 },
  { held: 1, of: 2 },
  { held: 2, of: 2 }
] as const)("a caller of tier $held rotates a credential of tier $of", ({ held, of }) =>
  Effect.gen(function* () {
    const { caller, tenant } = yield* ownerOf("standard")
    const { credential_id } = yield* mint(caller, tenant, { kind: "api-key", tier: of, label: "CI" })
    const before = yield* everything
    const result = yield* Effect.result(rotate(withTier(caller, held), tenant, credential_id, hour))
    assert.strictEqual(Result.isSuccess(result), of <= held)
    if (Result.isFailure(result)) {
      assert.strictEqual(result.failure._tag, "Forbidden")
      assert.deepStrictEqual(yield* everything, before)
    }
  }).pipe(Effect.provide(Simulated))
)

it.effect("a limited caller cannot rotate to a credential with a wider reach", () =>
  Effect.gen(function* () {
    const { caller, old, tenant } = yield* plain
    const within = yield* mint(caller, tenant, { kind: "api-key", tier: 1, label: "in", networks: ["10.1.0.0/16"] })
    const limited = new Caller({ ...caller, networks: ["10.0.0.0/8"] })
    const bound = new Caller({ ...caller, ou: "a.b", denies: [{ area: "compute", from: 2, deny: "x", ou: "a" }] })
    for (const who of [limited, bound]) {
      assert.strictEqual(yield* codeOf(rotate(who, tenant, old.credential_id, hour)), "credential_beyond_own")
    }
    const { networks } = yield* rotate(limited, tenant, within.credential_id, hour)
    assert.deepStrictEqual(networks, ["10.1.0.0/16"])

    const { credentials } = yield* Memory
    const row = credentials.get(old.credential_id)
    assert.isDefined(row)
    for (const [ou, code] of [
      ["a.bc", "credential_beyond_own"],
      ["a", "credential_beyond_own"],
      ["a.b.c", undefined]
    ] as const) {
      credentials.set(old.credential_id, { ...row, ou })
      const result = yield* Effect.result(rotate(bound, tenant, old.credential_id, hour))
      assert.strictEqual(Result.isFailure(result) ? result.failure.code : undefined, code, ou)
      if (Result.isSuccess(result)) assert.strictEqual(credentials.get(result.success.credential_id)?.ou, ou)
    }
  }).pipe(Effect.provide(Simulated))
)

it.effect("a caller cannot rotate a credential it derives from", () =>
  Effect.gen(function* () {
    const { caller, tenant } = yield* plain
    const top = yield* mint(caller, tenant, { kind: "api-key", tier: 2, label: "top" })
    const child = yield* mint(yield* resolve(top.pat), tenant, { kind: "api-key", tier: 2, label: "child" })
    const grandchild = yield* mint(yield* resolve(child.pat), tenant, { kind: "api-key", tier: 2, label: "below" })
    for (const { pat } of [child, grandchild]) {
      assert.strictEqual(
        yield* codeOf(rotate(yield* resolve(pat), tenant, top.credential_id, hour)),
        "credential_above_caller"
      )
    }
    const beside = yield* mint(caller, tenant, { kind: "api-key", tier: 2, label: "beside" })
    yield* rotate(yield* resolve(beside.pat), tenant, top.credential_id, hour)
    yield* rotate(yield* resolve(child.pat), tenant, child.credential_id, hour)
  }).pipe(Effect.provide(Simulated))
)

it.effect("another tenant's credential, a membership, an unknown id and a malformed one are refused alike", () =>
  Effect.gen(function* () {
    const { caller, old, tenant } = yield* plain
    const stranger = callerOf("another-project")
    assert.isNotNull(stranger.tenant)
    const before = yield* everything
    for (const id of [old.credential_id, "cred-000000000000", "", "../x"]) {
      const failure = yield* Effect.flip(rotate(stranger, stranger.tenant ?? tenant, id, hour))
      assert.deepStrictEqual<unknown>({ ...failure }, { ...NotFound.credential(id) }, id)
    }
    assert.deepStrictEqual(yield* everything, before)
    const { credentials } = yield* Memory
    const row = credentials.get(old.credential_id)
    assert.isDefined(row)
    for (const hidden of [{ kind: "member" }, { state: "minting" }] as const) {
      credentials.set(old.credential_id, { ...row, ...hidden })
      assert.strictEqual(yield* codeOf(rotate(caller, tenant, old.credential_id, hour)), "credential_not_found")
    }
  }).pipe(Effect.provide(Simulated))
)
