import type { Fault } from "@portico/simulator/Fault"
import { lease } from "@portico/store/Journal"
import { pass } from "@portico/testing/store/Aging"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "./children.ts"
import { cleanSlate, Cloud, cloudState, fault, type Gateway, quiet, reached, story, twoGateways } from "./harness.ts"

/** The first such call never gets an answer. */
export const hang = (service: Fault["service"], call: string, when: Fault["when"]): Fault => {
  const [method = "", path = ""] = call.split(" ")
  return { service, method, path, when, as: "hang" }
}

/** Kills the gateway when the call that hangs has reached the cloud. */
export const killAt = Effect.fnUntraced(function* (gateway: Gateway, place: Fault, request: Effect.Effect<unknown>) {
  yield* fault(place)
  yield* Effect.forkScoped(request)
  yield* reached(place)
  yield* gateway.kill
  yield* quiet
})

export const titleOf = (place: Fault): string =>
  `${place.service} ${place.method} ${place.path}, ${place.when} its effect`

/** The lease of an onboarding whose process is gone ends, and another replica removes what it made. */
export const removedByAnother = Effect.gen(function* () {
  yield* pass(lease)
  const { untouched } = yield* Cloud
  yield* eventually(Effect.map(cloudState, (_) => assert.deepStrictEqual(_, untouched)))
})

/** The same, and its row is gone after its rest: a process that only stood still might have made more. */
export const forgotten = Effect.gen(function* () {
  yield* removedByAnother
  yield* pass(lease)
  yield* eventually(cleanSlate)
})

/** Another replica removes what an onboarding left whose process was killed at this call, and the name is free again. */
export const killedOnboarding = (place: Fault): void =>
  story(`an onboarding killed at ${titleOf(place)}`, () =>
    Effect.gen(function* () {
      const [first, second] = yield* twoGateways()
      yield* killAt(first, place, first.onboard("Acme GmbH"))

      // Until the lease ends, another replica takes the process for alive.
      const meanwhile = yield* second.onboard("Acme GmbH")
      assert.deepStrictEqual([meanwhile.status, meanwhile.body.code], [409, "onboarding_in_progress"])
      const journal = yield* second.journal
      assert.deepStrictEqual(
        journal.body.onboardings?.map((_) => [_.slug, _.state]),
        [["acme-gmbh", "running"]]
      )

      yield* forgotten
      assert.strictEqual((yield* second.onboard("Acme GmbH")).status, 201)
    })
  )
