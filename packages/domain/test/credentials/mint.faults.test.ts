import { assert, it } from "@effect/vitest"
import { mint, sweepMints } from "@portico/domain/credentials/mint"
import type { Fault } from "@portico/simulator/Fault"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { ownerOf, refused } from "@portico/testing/tenants/caller"
import { everything } from "@portico/testing/cloud/cleanSlate"
import { inTime, pass, settle } from "@portico/testing/clock"
import { inDyingProcess } from "@portico/testing/faults/dying"
import { callsOf, type NamedCall, titleOf, under, whensOf } from "@portico/testing/faults/calls"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { clientCredentials } from "@portico/testing/tenants/tokens"
import { sampled } from "@portico/testing/sample/sampled"
import { someFaultsOf } from "@portico/testing/faults/some"

const request = { kind: "mcp", tier: 1, label: "agent" } as const

const calls = await Effect.runPromise(
  Effect.gen(function* () {
    const { caller, tenant } = yield* ownerOf("standard")
    return yield* callsOf(mint(caller, tenant, request))
  }).pipe(Effect.provide(Simulated))
)

const owned = Effect.gen(function* () {
  const { caller, tenant } = yield* ownerOf("standard")
  return { caller, tenant, before: yield* everything, minting: mint(caller, tenant, request) }
})

/** After the last look the world is as before the mint, and another mint works. */
const nothingLeft = Effect.fnUntraced(function* (before: Effect.Success<typeof everything>, because: string) {
  yield* pass(180)
  yield* inTime(sweepMints)
  assert.deepStrictEqual(yield* everything, before, because)
})

const fails = Effect.fnUntraced(function* (fault: Fault) {
  const because = titleOf(fault)
  const { before, minting } = yield* owned
  const exit = yield* Effect.exit(under(fault, inTime(minting)))
  if (Exit.isFailure(exit)) {
    const failure = yield* Effect.flip(exit)
    assert.strictEqual(failure._tag, "BadGateway", because)
    assert.include(failure.detail, "zitadel", because)
    assert.deepStrictEqual((yield* everything).cloud, before.cloud, because)
    yield* nothingLeft(before, because)
  }
  const { client_id, client_secret, pat } = Exit.isSuccess(exit) ? exit.value : yield* inTime(minting)
  assert.strictEqual(yield* refused(pat), "accepted", because)
  assert.isTrue((yield* clientCredentials(client_id, client_secret)).active, because)
}, Effect.provide(Simulated))

const landsLate = Effect.fnUntraced(function* (call: NamedCall) {
  const fault: Fault = { ...call, when: "before", as: { delay_ms: 30_000 } }
  const because = titleOf(fault)
  const { before, minting } = yield* owned
  const exit = yield* Effect.exit(under(fault, inTime(minting)))
  assert.isTrue(Exit.isFailure(exit), because)
  yield* nothingLeft(before, because)
}, Effect.provide(Simulated))

const hangsUp = Effect.fnUntraced(function* (fault: Fault) {
  const because = `${titleOf(fault)}, and the client hangs up`
  const { before, minting } = yield* owned
  const mintRequest = yield* under(fault, Effect.tap(Effect.forkDetach(minting), settle))
  yield* inTime(Fiber.interrupt(mintRequest))
  assert.deepStrictEqual((yield* everything).cloud, before.cloud, because)
  yield* nothingLeft(before, because)
}, Effect.provide(Simulated))

const dies = Effect.fnUntraced(function* (fault: Fault) {
  const because = `${titleOf(fault)}, and the process is gone`
  const { before, minting } = yield* owned
  yield* under(fault, inDyingProcess(minting))
  yield* TestClock.adjust("119 seconds")
  yield* settle
  const held = yield* everything
  assert.lengthOf(held.tables["credentials"] ?? [], 2, because)
  yield* inTime(sweepMints)
  assert.deepStrictEqual(yield* everything, held, because)
  yield* nothingLeft(before, because)
}, Effect.provide(Simulated))

for (const call of calls) {
  const what = `${call.service} ${call.method} ${call.path}`
  const cutOff: ReadonlyArray<Fault> = [
    ...whensOf(call).map((when) => ({ ...call, when, as: "hang" }) as const),
    { ...call, when: "before", as: { delay_ms: 30_000 } }
  ]
  it.effect(`a mint leaves nothing when ${what} fails`, () =>
    Effect.forEach(someFaultsOf(call), fails, { discard: true })
  )
  it.effect(`a mint removes the late effect of ${what} after it was given up`, () => landsLate(call))
  it.effect(`a mint leaves nothing when the client disconnects at ${what}`, () =>
    Effect.forEach(sampled(`hang-ups at ${what}`, 1, cutOff), hangsUp, { discard: true })
  )
  it.effect(`a mint leaves nothing when the process dies at ${what}`, () =>
    Effect.forEach(sampled(`deaths at ${what}`, 1, cutOff), dies, { discard: true })
  )
}

it.effect("a failed removal is repeated by a later sweep, and the token is refused meanwhile", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const { before, minting } = yield* owned
    yield* cloud.fault({ service: "zitadel", method: "POST", path: "**/pats", when: "after", as: { status: 500 } })
    yield* cloud.fault({
      service: "zitadel",
      method: "DELETE",
      path: "**",
      times: 2,
      when: "before",
      as: { status: 403 }
    })
    yield* Effect.flip(inTime(minting))
    const [pat] = Object.values(cloud.world.zitadel.pats).slice(-1)
    assert.strictEqual(yield* refused(pat?.token ?? ""), "Unauthorized: Token is not active")
    yield* pass(130)
    yield* inTime(sweepMints)
    assert.notDeepEqual(yield* everything, before)
    yield* nothingLeft(before, "the second sweep")
  }).pipe(Effect.provide(Simulated))
)
