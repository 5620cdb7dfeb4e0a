import { assert, it } from "@effect/vitest"
import { onboard } from "@portico/domain/onboarding/onboard"
import { sweep } from "@portico/domain/onboarding/withdraw"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, Exit, Fiber } from "effect"
import { cleanCloud, cleanSlate, empty, everything, leftovers, tables } from "./cleanSlate.ts"
import { inTime, pass, settle } from "./clock.ts"
import { inDyingProcess } from "./dying.ts"
import { callsOf, type Named, told, under } from "./faults.ts"
import { Simulated } from "./simulated.ts"
import { whole } from "./whole.ts"

const acme = { name: "Acme GmbH", tier: "standard" } as const

const calls = await Effect.runPromise(Effect.provide(callsOf(onboard(acme)), Simulated))

/** The gateway gives up after 10 seconds, the effect comes 20 seconds later. */
const late = (call: Named) => ({ ...call, when: "before", as: { delay_ms: 30_000 } }) as const

/** Nobody else wants the name: the second look, when the rest is over, removes what came late. */
const landsAlone = Effect.fnUntraced(function* (call: Named) {
  const because = told(late(call))
  const exit = yield* Effect.exit(under(late(call), inTime(onboard(acme))))
  if (Exit.isSuccess(exit)) return yield* whole(exit.value, because)
  yield* cleanCloud(because)
  yield* pass(180)
  yield* inTime(sweep)
  assert.deepStrictEqual(yield* leftovers, [], because)
  assert.deepStrictEqual<unknown>(yield* tables, empty, because)
  yield* whole(yield* inTime(onboard(acme)), because)
}, Effect.provide(Simulated))

/** Another attempt has the name by then, and keeps all that is its own. */
const landsInASuccessor = Effect.fnUntraced(function* (call: Named) {
  const because = `${told(late(call))}, another attempt has the name`
  const exit = yield* Effect.exit(under(late(call), inTime(onboard(acme))))
  if (Exit.isSuccess(exit)) return
  const successor = yield* inTime(onboard(acme))
  yield* whole(successor, because)
  const { cloud: before } = yield* everything
  yield* pass(180)
  yield* inTime(sweep)
  yield* whole(successor, because)
  const { cloud: after } = yield* everything
  const changed = Object.keys(after).filter((kind) => JSON.stringify(after[kind]) !== JSON.stringify(before[kind]))
  assert.deepStrictEqual(changed, [], because)
  assert.deepStrictEqual((yield* tables)["onboardings"], [], because)
}, Effect.provide(Simulated))

/** The client is gone at once, and the effect comes 30 seconds later. */
const landsAfterHangUp = Effect.fnUntraced(function* (call: Named) {
  const because = `${told(late(call))}, and the client hangs up`
  yield* (yield* SimulatedCloud).fault(late(call))
  const request = yield* Effect.forkDetach(onboard(acme))
  yield* settle
  yield* inTime(Fiber.interrupt(request))
  yield* cleanCloud(because)
  yield* pass(180)
  yield* inTime(sweep)
  assert.deepStrictEqual(yield* leftovers, [], because)
  assert.deepStrictEqual((yield* tables)["onboardings"], [], because)
}, Effect.provide(Simulated))

/** The process is gone at once. The project is still there when its lease ends, so not even that leaves anything. */
const landsAfterDeath = Effect.fnUntraced(function* (call: Named) {
  const because = `${told(late(call))}, and the process is gone`
  yield* (yield* SimulatedCloud).fault(late(call))
  yield* inDyingProcess(onboard(acme))
  yield* pass(180)
  yield* inTime(sweep)
  yield* cleanSlate(because)
}, Effect.provide(Simulated))

for (const call of calls) {
  it.effect(`removes what ${call.service} ${call.method} ${call.path} (${call.nth}) does after it was given up`, () =>
    Effect.forEach([landsAlone, landsInASuccessor, landsAfterHangUp, landsAfterDeath], (story) => story(call), {
      discard: true
    })
  )
}
