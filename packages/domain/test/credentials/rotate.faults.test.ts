import { assert, it } from "@effect/vitest"
import { mint, sweepMints } from "@portico/domain/credentials/mint"
import { rotate, sweepRotations } from "@portico/domain/credentials/rotate"
import type { Fault } from "@portico/simulator/Fault"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Credentials } from "@portico/store/Credentials"
import { Memory } from "@portico/testing/store/Memory"
import { DateTime, Effect, Exit, Fiber } from "effect"
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

const hour = { overlap_seconds: 3600 }

/** A tenant with a credential of tier 1, and the rotation of it. */
const owned = Effect.gen(function* () {
  const { caller, tenant } = yield* ownerOf("standard")
  const old = yield* mint(caller, tenant, { kind: "mcp", tier: 1, label: "agent" })
  return { caller, tenant, old, before: yield* everything, rotating: rotate(caller, tenant, old.credential_id, hour) }
})

const calls = await Effect.runPromise(
  Effect.flatMap(owned, ({ rotating }) => callsOf(rotating)).pipe(Effect.provide(Simulated))
)

/** After the last look the world is as before the rotation, and the old credential works. */
const nothingLeft = Effect.fnUntraced(function* ({ before, old }: Effect.Success<typeof owned>, because: string) {
  yield* pass(180)
  yield* inTime(Effect.andThen(sweepMints, sweepRotations))
  assert.deepStrictEqual(yield* everything, before, because)
  assert.strictEqual(yield* refused(old.pat), "accepted", because)
  assert.isTrue((yield* clientCredentials(old.client_id, old.client_secret)).active, because)
})

const fails = Effect.fnUntraced(function* (fault: Fault) {
  const because = titleOf(fault)
  const story = yield* owned
  const exit = yield* Effect.exit(under(fault, inTime(story.rotating)))
  if (Exit.isFailure(exit)) {
    const failure = yield* Effect.flip(exit)
    assert.strictEqual(failure._tag, "BadGateway", because)
    assert.deepStrictEqual((yield* everything).cloud, story.before.cloud, because)
    yield* nothingLeft(story, because)
  }
  const { client_id, client_secret, pat } = Exit.isSuccess(exit) ? exit.value : yield* inTime(story.rotating)
  assert.strictEqual(yield* refused(pat), "accepted", because)
  assert.isTrue((yield* clientCredentials(client_id, client_secret)).active, because)
  assert.strictEqual(yield* refused(story.old.pat), "accepted", because)
}, Effect.provide(Simulated))

const landsLate = Effect.fnUntraced(function* (call: NamedCall) {
  const fault: Fault = { ...call, when: "before", as: { delay_ms: 30_000 } }
  const because = titleOf(fault)
  const story = yield* owned
  assert.isTrue(Exit.isFailure(yield* Effect.exit(under(fault, inTime(story.rotating)))), because)
  yield* nothingLeft(story, because)
}, Effect.provide(Simulated))

const hangsUp = Effect.fnUntraced(function* (fault: Fault) {
  const because = `${titleOf(fault)}, and the client hangs up`
  const story = yield* owned
  const request = yield* under(fault, Effect.tap(Effect.forkDetach(story.rotating), settle))
  yield* inTime(Fiber.interrupt(request))
  assert.deepStrictEqual((yield* everything).cloud, story.before.cloud, because)
  yield* nothingLeft(story, because)
}, Effect.provide(Simulated))

const dies = Effect.fnUntraced(function* (fault: Fault) {
  const because = `${titleOf(fault)}, and the process is gone`
  const story = yield* owned
  yield* under(fault, inDyingProcess(story.rotating))
  yield* TestClock.adjust("119 seconds")
  yield* settle
  const held = yield* everything
  assert.lengthOf(held.tables["credentials"] ?? [], 3, because)
  const refusal = yield* Effect.flip(story.rotating)
  assert.strictEqual("code" in refusal ? refusal.code : "", "rotation_in_progress", because)
  yield* inTime(sweepMints)
  assert.deepStrictEqual(yield* everything, held, because)
  yield* nothingLeft(story, because)
}, Effect.provide(Simulated))

for (const call of calls) {
  const what = `${call.service} ${call.method} ${call.path}`
  const cutOff: ReadonlyArray<Fault> = [
    ...whensOf(call).map((when) => ({ ...call, when, as: "hang" }) as const),
    { ...call, when: "before", as: { delay_ms: 30_000 } }
  ]
  it.effect(`a rotation changes nothing when ${what} fails`, () =>
    Effect.forEach(someFaultsOf(call), fails, { discard: true })
  )
  it.effect(`a rotation removes the late effect of ${what} after it was given up`, () => landsLate(call))
  it.effect(`a rotation changes nothing when the client disconnects at ${what}`, () =>
    Effect.forEach(sampled(`hang-ups at ${what}`, 1, cutOff), hangsUp, { discard: true })
  )
  it.effect(`a rotation changes nothing when the process dies at ${what}`, () =>
    Effect.forEach(sampled(`deaths at ${what}`, 1, cutOff), dies, { discard: true })
  )
}

/** A credential whose overlap has just ended; its end has not been seen to. */
const overlapped = Effect.gen(function* () {
  const story = yield* owned
  const successor = yield* inTime(story.rotating)
  yield* TestClock.adjust("1 hour")
  return { ...story, successor }
})

const ends = await Effect.runPromise(
  Effect.gen(function* () {
    const { old, rotating } = yield* owned
    yield* rotating
    const { credentials } = yield* Memory
    const row = credentials.get(old.credential_id)
    if (row !== undefined) credentials.set(old.credential_id, { ...row, revokes_at: DateTime.makeUnsafe(0) })
    return yield* callsOf(sweepRotations)
  }).pipe(Effect.provide(Simulated))
)

/** Neither of the old secrets is good for anything, and the record says so. */
const over = Effect.fnUntraced(function* ({ old, successor }: Effect.Success<typeof overlapped>, because: string) {
  assert.strictEqual(yield* refused(old.pat), "Unauthorized: Credential has been revoked", because)
  assert.isFalse((yield* clientCredentials(old.client_id, old.client_secret)).active, because)
  assert.strictEqual((yield* (yield* Credentials).find(old.credential_id))?.state, "revoked", because)
  assert.strictEqual(yield* refused(successor.pat), "accepted", because)
})

for (const call of ends) {
  const what = `${call.service} ${call.method} ${call.path}`
  it.effect(`an ended overlap is retried when ${what} fails, and is refused meanwhile`, () =>
    Effect.forEach(
      someFaultsOf(call),
      Effect.fnUntraced(function* (fault: Fault) {
        const because = titleOf(fault)
        const story = yield* overlapped
        yield* under(fault, inTime(sweepRotations))
        const words = yield* refused(story.old.pat)
        assert.notStrictEqual(words, "accepted", because)
        yield* pass(180)
        yield* inTime(sweepRotations)
        yield* over(story, because)
      }, Effect.provide(Simulated)),
      { discard: true }
    )
  )

  it.effect(`an ended overlap is completed by another replica when the process dies at ${what}`, () =>
    Effect.forEach(
      whensOf(call),
      Effect.fnUntraced(function* (when) {
        const story = yield* overlapped
        yield* under({ ...call, when, as: "hang" }, inDyingProcess(sweepRotations))
        yield* pass(180)
        yield* inTime(sweepRotations)
        yield* over(story, when)
      }, Effect.provide(Simulated)),
      { discard: true }
    )
  )

  it.effect(`a rotation without overlap succeeds though ${what} fails, and the sweep completes it`, () =>
    Effect.gen(function* () {
      const { caller, old, tenant } = yield* owned
      const cloud = yield* SimulatedCloud
      yield* cloud.fault({ ...call, times: "always", when: "before", as: { status: 503 } })
      const successor = yield* inTime(rotate(caller, tenant, old.credential_id, { overlap_seconds: 0 }))
      assert.strictEqual(yield* refused(old.pat), "Unauthorized: Credential has been revoked")
      assert.isTrue((yield* clientCredentials(old.client_id, old.client_secret)).active)
      yield* cloud.clearFaults
      yield* pass(180)
      yield* inTime(sweepRotations)
      assert.isFalse((yield* clientCredentials(old.client_id, old.client_secret)).active)
      assert.strictEqual(yield* refused(successor.pat), "accepted")
    }).pipe(Effect.provide(Simulated))
  )
}
