import { assert, describe, it } from "@effect/vitest"
import { bearerToken, PresentedToken } from "@portico/domain/access/PresentedToken"
import { Callers } from "@portico/domain/access/Callers"
import { whoami } from "@portico/domain/access/whoami"
import { mint } from "@portico/domain/credentials/mint"
import { revoke } from "@portico/domain/credentials/revoke"
import { fixtures } from "@portico/simulator/Fixtures"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { patScopes } from "@portico/simulator/zitadel/state"
import { Memory } from "@portico/testing/store/Memory"
import { Effect, Layer, Redacted } from "effect"
import { ownerOf, refused, resolve } from "@portico/testing/tenants/caller"
import { settle } from "@portico/testing/clock"
import { Process, Simulated, simulatedWith } from "@portico/testing/cloud/Simulated"
import { accessToken } from "@portico/testing/tenants/tokens"

const minted = Effect.gen(function* () {
  const { caller, tenant } = yield* ownerOf("standard")
  return { caller, tenant, ...(yield* mint(caller, tenant, { kind: "api-key", tier: 1, label: "CI" })) }
})

/** A machine user that the gateway did not make, with a token of its own. */
const stranger = Effect.fnUntraced(function* (roleKeys: ReadonlyArray<string>) {
  const { zitadel } = (yield* SimulatedCloud).world
  const at = { createdAt: 0, changedAt: 0, sequence: 1 }
  zitadel.users["stranger"] = {
    ...at,
    type: "TYPE_MACHINE",
    id: "stranger",
    userName: "stranger@example.com",
    name: "stranger",
    description: "",
    accessTokenType: "ACCESS_TOKEN_TYPE_BEARER",
    clientSecret: null,
    state: "USER_STATE_ACTIVE"
  }
  if (roleKeys.length > 0) {
    const { projectId } = fixtures.idp
    zitadel.grants["g"] = { ...at, id: "g", userId: "stranger", projectId, roleKeys, state: "USER_GRANT_STATE_ACTIVE" }
  }
  const pat = { id: "p", userId: "stranger", token: "stranger-token", scopes: patScopes, alive: true }
  zitadel.pats["p"] = { ...pat, createdAt: 0, expiresAt: Date.UTC(9999, 0), sequence: 1 }
  return pat.token
})

const operator = fixtures.idp.operatorToken

describe("accepted callers", () => {
  it.effect("a tenant's credential has the tier and project of our own record", () =>
    Effect.gen(function* () {
      const { credential_id, pat, tenant } = yield* minted
      const caller = yield* resolve(pat)
      assert.deepStrictEqual(whoami(caller), {
        user_id: caller.userId,
        user_name: "",
        user_email: "",
        roles: ["customer"],
        tenant: { id: tenant.projectId, name: "Acme GmbH", source: "credential_store" },
        all_projects: false,
        tier: 1,
        credential_id,
        credential_label: "CI"
      })
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("a platform administrator has no tenant and reaches all projects", () =>
    Effect.gen(function* () {
      const caller = yield* resolve(operator)
      assert.deepInclude(whoami(caller), { tenant: null, all_projects: true, tier: 2, credential_id: null })
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("a user of the tenant map acts for that tenant, though it is an administrator too", () =>
    Effect.gen(function* () {
      const caller = yield* resolve(operator)
      assert.deepStrictEqual(
        { ...caller.tenant },
        { projectId: "p-1", name: "", closing: false, suspended: false, source: "tenant_map" }
      )
      assert.deepInclude(whoami(caller), { all_projects: false, tier: 2 })
    }).pipe(Effect.provide(simulatedWith({ TENANT_MAP: JSON.stringify({ [fixtures.idp.operatorUserId]: "p-1" }) })))
  )

  it.effect.each([
    { closing: [], suspended: false },
    { closing: [], suspended: true },
    { closing: ["account_closure" as const], suspended: false }
  ])("a user of the tenant map, of a recorded tenant: %o", (state) =>
    Effect.gen(function* () {
      const { tenant } = yield* ownerOf("standard")
      const { tenants } = yield* Memory
      const row = tenants.get(tenant.projectId)
      assert.isDefined(row)
      tenants.set("p-1", { ...row, ...state, project_id: "p-1", name: "Globex" })
      const caller = yield* resolve(operator)
      assert.deepInclude(caller.tenant, {
        name: "Globex",
        closing: state.closing.length > 0,
        suspended: state.suspended
      })
    }).pipe(Effect.provide(simulatedWith({ TENANT_MAP: JSON.stringify({ [fixtures.idp.operatorUserId]: "p-1" }) })))
  )

  it.effect("our own records come before the tenant map", () =>
    Effect.gen(function* () {
      const token = yield* stranger(["customer"])
      const { credentials } = yield* Memory
      const { credential_id } = yield* minted
      const row = credentials.get(credential_id)
      assert.isDefined(row)
      credentials.set("c", { ...row, credential_id: "c", user_id: "stranger", kind: "member", tier: 0 })
      const caller = yield* resolve(token)
      assert.deepInclude(whoami(caller), { tier: 0, user_name: "stranger@example.com" })
      assert.strictEqual(caller.tenant?.source, "credential_store")
    }).pipe(Effect.provide(simulatedWith({ TENANT_MAP: JSON.stringify({ stranger: "p-1" }) })))
  )
})

describe("refused callers", () => {
  const cases = [
    ["Forbidden: Token carries no project roles; tenant access denied", []],
    [
      "Forbidden: No tenant assigned for user 'stranger@example.com': no TENANT_MAP entry and no admin role. " +
        "Ask an operator to map your user to a project.",
      ["customer"]
    ]
  ] as const
  for (const [words, roles] of cases) {
    it.effect(`a user of no tenant with ${roles.length} roles`, () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* refused(yield* stranger(roles)), words)
      }).pipe(Effect.provide(Simulated))
    )
  }

  it.effect("an unknown token, until it is issued", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* refused("stranger-token"), "Unauthorized: Token is not active")
      yield* stranger(["admin"])
      assert.strictEqual(yield* refused("stranger-token"), "accepted")
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("a user whose role was removed: an answer without roles is not cached", () =>
    Effect.gen(function* () {
      const token = yield* stranger([])
      assert.include(yield* refused(token), "no project roles")
      yield* stranger(["admin"])
      assert.strictEqual(yield* refused(token), "accepted")
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("a suspended credential", () =>
    Effect.gen(function* () {
      const { credentials } = yield* Memory
      const { credential_id, pat } = yield* minted
      const row = credentials.get(credential_id)
      assert.isDefined(row)
      credentials.set(credential_id, { ...row, state: "suspended" })
      assert.strictEqual(yield* refused(pat), "Unauthorized: Credential is suspended")
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("a token of an incomplete mint", () =>
    Effect.gen(function* () {
      const { credentials } = yield* Memory
      const { credential_id, pat } = yield* minted
      const row = credentials.get(credential_id)
      assert.isDefined(row)
      credentials.set(credential_id, { ...row, state: "minting" })
      assert.strictEqual(yield* refused(pat), "Unauthorized: Token is not active")
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("a revoked token that the provider calls inactive, also in another process", () =>
    Effect.gen(function* () {
      const { caller, credential_id, pat } = yield* minted
      yield* revoke(caller, credential_id)
      assert.strictEqual(yield* refused(pat), "Unauthorized: Credential has been revoked")
      const fresh = yield* Layer.build(Layer.fresh(Process))
      assert.strictEqual(yield* Effect.provide(refused(pat), fresh), "Unauthorized: Credential has been revoked")
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("a login with a revoked client secret, in a process that had accepted it", () =>
    Effect.gen(function* () {
      const { caller, client_id, client_secret, credential_id } = yield* minted
      const token = yield* accessToken(client_id, client_secret)
      assert.isDefined(token)
      assert.strictEqual(yield* refused(token), "accepted")
      yield* revoke(caller, credential_id)
      assert.strictEqual(yield* refused(token), "Unauthorized: Credential has been revoked")
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("a revocation reaches every other process at once", () =>
    Effect.gen(function* () {
      const { caller, credential_id, pat } = yield* minted
      const other = yield* Layer.build(Layer.fresh(Process))
      yield* settle
      assert.strictEqual(yield* Effect.provide(refused(pat), other), "accepted")
      yield* revoke(caller, credential_id)
      yield* settle
      const calls = (yield* (yield* SimulatedCloud).calls).length
      assert.strictEqual(yield* Effect.provide(refused(pat), other), "Unauthorized: Credential has been revoked")
      // The provider was not asked again: our own record decides.
      assert.lengthOf(yield* (yield* SimulatedCloud).calls, calls)
    }).pipe(Effect.provide(Simulated))
  )
})

describe("the Authorization header", () => {
  it.effect.each([
    ["Bearer abc", "abc"],
    ["bearer abc", "abc"],
    ["BEARER   a.b-c_d~e+f/g==  ", "a.b-c_d~e+f/g=="]
  ] as const)("%s", ([header, token]) =>
    Effect.map(bearerToken(header), (_) => assert.strictEqual(Redacted.value(_.redacted), token))
  )

  it.effect.each([undefined, "", "Bearer", "Bearer ", "Basic abc", "Bearer a b", "Bearer a,b", "abc", " Bearer abc"])(
    "%s is refused",
    (header) =>
      Effect.gen(function* () {
        const failure = yield* Effect.flip(bearerToken(header))
        assert.strictEqual(failure.detail, "Missing or invalid Authorization header")
      })
  )
})

it.effect("a caller does not print its token", () =>
  Effect.gen(function* () {
    const { pat } = yield* minted
    const caller = yield* (yield* Callers).resolve(new PresentedToken(pat), "customer")
    assert.notInclude(JSON.stringify(caller), pat)
  }).pipe(Effect.provide(Simulated))
)
