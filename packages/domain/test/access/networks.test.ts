import { assert, it } from "@effect/vitest"
import { PresentedToken } from "@portico/domain/access/PresentedToken"
import { Callers } from "@portico/domain/access/Callers"
import { mint } from "@portico/domain/credentials/mint"
import { revoke } from "@portico/domain/credentials/revoke"
import { Credentials } from "@portico/store/Credentials"
import { Holds } from "@portico/store/Holds"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ownerOf, refused } from "@portico/testing/tenants/caller"
import { settle } from "@portico/testing/clock"
import { Simulated } from "@portico/testing/cloud/Simulated"

const request = { kind: "api-key", tier: 1, label: "CI" } as const

/** What a call with this token from there is told. */
const from = (token: string, source?: string) =>
  Effect.gen(function* () {
    const callers = yield* Callers
    return yield* Effect.match(
      callers.resolve(new PresentedToken(token), "customer", () => source),
      {
        onSuccess: () => "accepted",
        onFailure: (_) => `${_._tag}: ${_.detail}`
      }
    )
  })

const elsewhere =
  "Forbidden: The credential is limited to source networks, and this call does not come from one of them"

it.effect("a credential with networks is accepted from them alone", () =>
  Effect.gen(function* () {
    const { caller, tenant } = yield* ownerOf("standard")
    const { networks, pat } = yield* mint(caller, tenant, {
      ...request,
      networks: ["192.0.2.0/24", "2001:db8::/32"]
    })
    assert.deepStrictEqual(networks, ["192.0.2.0/24", "2001:db8::/32"])
    for (const source of ["192.0.2.1", "192.0.2.255", "::ffff:192.0.2.1", "2001:db8::1"]) {
      assert.strictEqual(yield* from(pat, source), "accepted", source)
    }
    for (const source of ["192.0.3.1", "203.0.113.1", "::1", "2001:db9::1", "not an address", undefined]) {
      assert.strictEqual(yield* from(pat, source), elsewhere, source)
    }
    assert.strictEqual(yield* refused(pat), elsewhere, "nobody says from where")
  }).pipe(Effect.provide(Simulated))
)

it.effect("a credential without networks is accepted from any source, without a look-up of it", () =>
  Effect.gen(function* () {
    const { caller, tenant } = yield* ownerOf("standard")
    const { networks, pat } = yield* mint(caller, tenant, request)
    assert.isNull(networks)
    for (const source of ["192.0.2.1", undefined]) assert.strictEqual(yield* from(pat, source), "accepted")
    assert.strictEqual(yield* refused(pat), "accepted")
  }).pipe(Effect.provide(Simulated))
)

it.effect("a revoked credential is refused as revoked, from any network", () =>
  Effect.gen(function* () {
    const { caller, tenant } = yield* ownerOf("standard")
    const { credential_id, pat } = yield* mint(caller, tenant, { ...request, networks: ["192.0.2.0/24"] })
    yield* revoke(caller, credential_id)
    assert.strictEqual(yield* from(pat, "203.0.113.1"), "Unauthorized: Credential has been revoked")
  }).pipe(Effect.provide(Simulated))
)

it.effect("a credential with networks mints within them: its own, if none are named", () =>
  Effect.gen(function* () {
    const { caller, tenant } = yield* ownerOf("standard")
    const { pat } = yield* mint(caller, tenant, { ...request, networks: ["10.0.0.0/8", "192.0.2.0/24"] })
    const limited = yield* (yield* Callers).resolve(new PresentedToken(pat), "customer", () => "10.0.0.1")
    const minted = (networks?: ReadonlyArray<string>) =>
      Effect.match(mint(limited, tenant, networks === undefined ? request : { ...request, networks }), {
        onSuccess: (_) => _.networks,
        onFailure: (_) => _.code
      })
    assert.deepStrictEqual(yield* minted(), ["10.0.0.0/8", "192.0.2.0/24"])
    assert.deepStrictEqual(yield* minted(["10.1.0.0/16", "192.0.2.7/32"]), ["10.1.0.0/16", "192.0.2.7/32"])
    for (const networks of [["11.0.0.0/8"], ["10.1.0.0/16", "11.0.0.0/8"], ["8.0.0.0/5"], ["::/1"]]) {
      assert.strictEqual(yield* minted(networks), "credential_beyond_own", networks.join())
    }
  }).pipe(Effect.provide(Simulated))
)

/** When and from where the store knows a credential to have been used. */
const known = Effect.fnUntraced(function* (credentialId: string) {
  const row = yield* (yield* Credentials).find(credentialId)
  return [row?.last_used_at?.epochMilliseconds ?? null, row?.last_used_from ?? null]
})

const elapse = (seconds: number) => Effect.andThen(TestClock.adjust(`${seconds} seconds`), settle)

it.effect("a use is stored within seconds, then once a minute, and the last one is not lost", () =>
  Effect.gen(function* () {
    const { caller, tenant } = yield* ownerOf("standard")
    const { credential_id: id, pat } = yield* mint(caller, tenant, request)
    yield* elapse(100)
    assert.deepStrictEqual(yield* known(id), [null, null])

    yield* from(pat, "192.0.2.1")
    assert.deepStrictEqual(yield* known(id), [null, null])
    yield* elapse(5)
    assert.deepStrictEqual(yield* known(id), [100_000, "192.0.2.1"])

    for (let call = 0; call < 5; call++) {
      yield* elapse(10)
      yield* from(pat, `192.0.2.${call + 2}`)
      assert.deepStrictEqual(yield* known(id), [100_000, "192.0.2.1"])
    }
    yield* elapse(20)
    assert.deepStrictEqual(yield* known(id), [155_000, "192.0.2.6"])

    yield* elapse(600)
    yield* from(pat, "192.0.2.9")
    yield* elapse(5)
    assert.deepStrictEqual(yield* known(id), [775_000, "192.0.2.9"])
  }).pipe(Effect.provide(Simulated))
)

it.effect("a refused call is not a use of the credential", () =>
  Effect.gen(function* () {
    const { caller, tenant } = yield* ownerOf("standard")
    const { credential_id: id, pat } = yield* mint(caller, tenant, { ...request, networks: ["192.0.2.0/24"] })
    yield* from(pat, "203.0.113.1")
    yield* (yield* Holds).hold(tenant.projectId, "account_closure")
    assert.strictEqual(yield* from(pat, "192.0.2.1"), "Unauthorized: Credential is suspended")
    yield* elapse(10)
    assert.deepStrictEqual(yield* known(id), [null, null])
  }).pipe(Effect.provide(Simulated))
)
