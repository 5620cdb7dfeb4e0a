import { assert, it } from "@effect/vitest"
import { onboard } from "@portico/domain/onboarding/onboard"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { mounts } from "@portico/simulator/Wire"
import { Keystone } from "@portico/upstream/keystone/Keystone"
import { Clock, Effect } from "effect"
import { inTime } from "@portico/testing/clock"
import { approve, queued } from "../signups/signup.ts"
import { Simulated } from "@portico/testing/cloud/Simulated"

const slow = { path: "**", times: "always", when: "before", as: { delay_ms: 50 } } as const

/** Every call takes 50 milliseconds from now on. */
const everyCallTakes50 = Effect.gen(function* () {
  const cloud = yield* SimulatedCloud
  for (const service of Object.values(mounts)) {
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) yield* cloud.fault({ ...slow, service, method })
  }
})

/** The clock as it stands when the effect is done. */
const timeOf = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const before = yield* Clock.currentTimeMillis
  const after = yield* inTime(Effect.andThen(effect, Clock.currentTimeMillis), "10 millis")
  return after - before
})

it.effect("onboarding makes 7 upstream calls in sequence, apart from the control token", () =>
  Effect.gen(function* () {
    yield* (yield* Keystone).tieredProjects
    yield* everyCallTakes50
    assert.strictEqual(yield* timeOf(onboard({ name: "Acme GmbH", tier: "standard" })), 7 * 50)
  }).pipe(Effect.provide(Simulated))
)

it.effect("an approval makes one more call in sequence, for the owner's role", () =>
  Effect.gen(function* () {
    const id = yield* queued()
    yield* (yield* Keystone).tieredProjects
    yield* everyCallTakes50
    assert.strictEqual(yield* timeOf(approve(id)), 8 * 50)
  }).pipe(Effect.provide(Simulated))
)
