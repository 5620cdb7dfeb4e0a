import { assert, it } from "@effect/vitest"
import { listCredentials } from "@portico/domain/credentials/list"
import { mint } from "@portico/domain/credentials/mint"
import { revoke } from "@portico/domain/credentials/revoke"
import { rotate } from "@portico/domain/credentials/rotate"
import { NotFound } from "@portico/contract/Failures"
import type { Fault } from "@portico/simulator/Fault"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Memory } from "@portico/testing/store/Memory"
import { Credentials } from "@portico/store/Credentials"
import { Effect, Exit, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { administrator, callerOf, ownerOf, refused, resolve } from "@portico/testing/tenants/caller"
import { everything } from "@portico/testing/cloud/cleanSlate"
import { inTime, pass, settle } from "@portico/testing/clock"
import { inDyingProcess } from "@portico/testing/faults/dying"
import { callsOf, faultsOf, titleOf, under, whensOf } from "@portico/testing/faults/calls"
import { Cloud, Process, Simulated } from "@portico/testing/cloud/Simulated"
import { clientCredentials } from "@portico/testing/tenants/tokens"

const minted = Effect.gen(function* () {
  const { caller, tenant } = yield* ownerOf("standard")
  return { caller, ...(yield* mint(caller, tenant, { kind: "api-key", tier: 1, label: "CI" })) }
})

/** Neither of the secrets is good for anything. */
const dead = Effect.fnUntraced(function* (
  { client_id, client_secret, pat }: Effect.Success<typeof minted>,
  because: string
) {
  assert.strictEqual(yield* refused(pat), "Unauthorized: Credential has been revoked", because)
  assert.isFalse((yield* clientCredentials(client_id, client_secret)).active, because)
})

it.effect("a revoked credential is refused at once, also with a cached token", () =>
  Effect.gen(function* () {
    const credential = yield* minted
    assert.strictEqual(yield* refused(credential.pat), "accepted")
    yield* TestClock.adjust("5 seconds")
    const entry = yield* revoke(credential.caller, credential.credential_id)
    assert.deepInclude(entry, { state: "revoked", revoked: true, revoked_at: "1970-01-01T00:00:05.000Z" })
    yield* dead(credential, "at once")
    yield* TestClock.adjust("2 minutes")
    yield* dead(credential, "when no cache holds anything of it")
    assert.strictEqual((yield* listCredentials(credential.caller, false)).count, 1)
    assert.strictEqual((yield* listCredentials(credential.caller, true)).count, 2)
  }).pipe(Effect.provide(Simulated))
)

/** A store whose changes never arrive, as when the way from the database to a replica is slow. */
const Deaf = Layer.effect(
  Credentials,
  Effect.map(Credentials, (store) => Credentials.of({ ...store, changes: Effect.succeed(Stream.never) }))
)

it.effect("the revoking process does not wait for a notification", () =>
  Effect.gen(function* () {
    const credential = yield* minted
    assert.strictEqual(yield* refused(credential.pat), "accepted")
    yield* revoke(credential.caller, credential.credential_id)
    yield* dead(credential, "at once")
  }).pipe(Effect.provide(Process.pipe(Layer.provideMerge(Deaf), Layer.provideMerge(Cloud))))
)

it.effect("a revocation can be repeated, and keeps its first time", () =>
  Effect.gen(function* () {
    const { caller, credential_id } = yield* minted
    const first = yield* revoke(caller, credential_id)
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(yield* revoke(caller, credential_id), first)
  }).pipe(Effect.provide(Simulated))
)

/** A key that replaced itself, as whoever has stolen it can, and both of whose tokens work for a day. */
const turned = Effect.gen(function* () {
  const { caller, tenant } = yield* ownerOf("standard")
  const old = yield* mint(caller, tenant, { kind: "api-key", tier: 2, label: "CI" })
  const self = yield* resolve(old.pat)
  const successor = yield* rotate(self, tenant, old.credential_id, { overlap_seconds: 86_400 })
  const child = yield* mint(yield* resolve(successor.pat), tenant, { kind: "api-key", tier: 1, label: "below" })
  return { caller, tenant, old, successor, child }
})

it.effect("a self-rotated key is revoked with its successor and all derived ones", () =>
  Effect.gen(function* () {
    const { caller, child, old, successor } = yield* turned
    yield* revoke(caller, old.credential_id)
    for (const { pat } of [old, successor, child]) {
      assert.strictEqual(yield* refused(pat), "Unauthorized: Credential has been revoked")
    }
  }).pipe(Effect.provide(Simulated))
)

it.effect("a successor cannot be rotated while its predecessor is being revoked", () =>
  Effect.gen(function* () {
    const { caller, old, successor, tenant } = yield* turned
    const self = yield* resolve(successor.pat)
    const cloud = yield* SimulatedCloud
    for (let nth = 0; nth < 3; nth += 1)
      yield* mint(yield* resolve(old.pat), tenant, { kind: "api-key", tier: 0, label: "c" })
    const path = "/management/v1/users/*/_deactivate"
    yield* cloud.fault({
      service: "zitadel",
      method: "POST",
      path,
      when: "before",
      times: "always",
      as: { delay_ms: 900 }
    })
    const revoking = yield* Effect.forkChild(revoke(caller, old.credential_id))
    const made: Array<string> = []
    while (revoking.pollUnsafe() === undefined) {
      yield* TestClock.adjust("100 millis")
      const turn = Effect.exit(rotate(self, tenant, successor.credential_id, { overlap_seconds: 86_400 }))
      const exit = yield* turn
      if (Exit.isSuccess(exit)) made.push(exit.value.pat)
    }
    yield* Fiber.join(revoking)
    assert.deepStrictEqual(made, [])
    for (const { pat } of [old, successor]) {
      assert.strictEqual(yield* refused(pat), "Unauthorized: Credential has been revoked")
    }
  }).pipe(Effect.provide(Simulated))
)

it.effect("a successor stays if another made it, if it ends the overlap itself, or after the overlap", () =>
  Effect.gen(function* () {
    const { caller, child, old, successor, tenant } = yield* turned
    yield* revoke(yield* resolve(successor.pat), old.credential_id)
    assert.strictEqual(yield* refused(old.pat), "Unauthorized: Credential has been revoked")
    for (const { pat } of [successor, child]) assert.strictEqual(yield* refused(pat), "accepted")

    const replaced = yield* rotate(caller, tenant, successor.credential_id, { overlap_seconds: 3600 })
    yield* revoke(caller, successor.credential_id)
    assert.strictEqual(yield* refused(replaced.pat), "accepted")

    yield* TestClock.adjust("2 hours")
    const last = yield* rotate(yield* resolve(replaced.pat), tenant, replaced.credential_id, { overlap_seconds: 1 })
    yield* TestClock.adjust("1 minute")
    yield* revoke(caller, replaced.credential_id)
    assert.strictEqual(yield* refused(last.pat), "accepted")
  }).pipe(Effect.provide(Simulated))
)

it.effect("another tenant's credential, an unknown id and a malformed one are refused alike", () =>
  Effect.gen(function* () {
    const { credential_id } = yield* minted
    const stranger = callerOf("another-project")
    const before = yield* everything
    for (const id of [credential_id, "cred-000000000000", "", "../x"]) {
      assert.deepStrictEqual({ ...(yield* Effect.flip(revoke(stranger, id))) }, { ...NotFound.credential(id) }, id)
    }
    assert.deepStrictEqual(yield* everything, before)
  }).pipe(Effect.provide(Simulated))
)

it.effect("an administrator revokes any tenant's; a membership and a running mint are 404", () =>
  Effect.gen(function* () {
    const { credentials } = yield* Memory
    const { credential_id } = yield* minted
    const row = credentials.get(credential_id)
    assert.isDefined(row)
    for (const hidden of [{ kind: "member" }, { state: "minting" }] as const) {
      credentials.set(credential_id, { ...row, ...hidden })
      assert.strictEqual((yield* Effect.flip(revoke(administrator, credential_id)))._tag, "NotFound")
    }
    credentials.set(credential_id, row)
    assert.isTrue((yield* revoke(administrator, credential_id)).revoked)
  }).pipe(Effect.provide(Simulated))
)

const calls = await Effect.runPromise(
  Effect.flatMap(minted, ({ caller, credential_id }) => callsOf(revoke(caller, credential_id))).pipe(
    Effect.provide(Simulated)
  )
)

const fails = Effect.fnUntraced(function* (fault: Fault) {
  const because = titleOf(fault)
  const credential = yield* minted
  const { caller, credential_id, pat } = credential
  const exit = yield* Effect.exit(under(fault, inTime(revoke(caller, credential_id))))
  if (Exit.isFailure(exit)) {
    const failure = yield* Effect.flip(exit)
    assert.deepInclude(failure, { _tag: "BadGateway", code: "upstream_failed" }, because)
    // Nothing was marked; what the provider did without telling shows, and nothing else.
    const { credentials } = yield* listCredentials(caller, true)
    assert.deepStrictEqual(
      credentials.map((_) => _.state),
      ["active", "active"],
      because
    )
    const words = fault.when === "before" ? "accepted" : "Unauthorized: Token is not active"
    assert.strictEqual(yield* refused(pat), words, because)
    yield* inTime(revoke(caller, credential_id))
  }
  yield* dead(credential, because)
}, Effect.provide(Simulated))

for (const call of calls) {
  it.effect(`a revocation revokes nothing when ${call.method} ${call.path} fails, and a repeat repairs`, () =>
    Effect.forEach(faultsOf(call), fails, { discard: true })
  )

  it.effect(`a 400 of ${call.method} ${call.path} is "already inactive" only when the user is`, () =>
    Effect.forEach(whensOf(call), (when) => fails({ ...call, when, as: { status: 400 } }), { discard: true })
  )

  it.effect(`a revocation completes when the client disconnects at ${call.method} ${call.path}`, () =>
    Effect.gen(function* () {
      const credential = yield* minted
      yield* (yield* SimulatedCloud).fault({ ...call, when: "before", as: { delay_ms: 5000 } })
      const request = yield* Effect.forkDetach(revoke(credential.caller, credential.credential_id))
      yield* settle
      yield* Fiber.interrupt(request)
      yield* pass(10)
      yield* dead(credential, "the hang-up")
    }).pipe(Effect.provide(Simulated))
  )

  it.effect(`a repeat repairs when the process dies at ${call.method} ${call.path}`, () =>
    Effect.forEach(
      whensOf(call),
      Effect.fnUntraced(function* (when) {
        const credential = yield* minted
        const { caller, credential_id } = credential
        yield* under({ ...call, when, as: "hang" }, inDyingProcess(revoke(caller, credential_id)))
        yield* inTime(revoke(caller, credential_id))
        yield* dead(credential, when)
      }, Effect.provide(Simulated)),
      { discard: true }
    )
  )
}
