import { assert, it } from "@effect/vitest"
import { createExposure } from "@portico/domain/edge/create"
import { listExposures } from "@portico/domain/edge/list"
import { removeExposure } from "@portico/domain/edge/remove"
import type { Fault } from "@portico/simulator/Fault"
import { Effect, Exit, Fiber } from "effect"
import { inTime, settle } from "@portico/testing/clock"
import { acmeAndGlobex, atService, everythingElse, exposed, servedNames, withDomain } from "./edge.ts"
import { attended, dies, jobs, ownCalls } from "./jobs.ts"
import { callsOf, type NamedCall, titleOf, under, whensOf } from "@portico/testing/faults/calls"
import { someFaultsOf } from "@portico/testing/faults/some"
import { from, seedOf } from "@portico/testing/cloud/seeded"
import { sampled } from "@portico/testing/sample/sampled"

const beside = from(await seedOf(acmeAndGlobex))

type World = Effect.Success<typeof everythingElse>

/** The world is as it was. */
const same = Effect.fnUntraced(function* (before: World, because: string) {
  assert.deepStrictEqual(yield* everythingElse, before, because)
})

for (const request of [withDomain, atService]) {
  const what = request.target.service === undefined ? "an address with a domain" : "a Service"
  const calls = await ownCalls(beside(({ acme }) => callsOf(inTime(createExposure(acme, request)))))

  /** All, or nothing a little later, not even the claim; and then the same request works. */
  const allOrNothing = (fault: Fault) =>
    beside(({ acme }) =>
      Effect.gen(function* () {
        const because = titleOf(fault)
        const before = yield* everythingElse
        const exit = yield* Effect.exit(under(fault, inTime(createExposure(acme, request))))
        if (Exit.isFailure(exit)) {
          assert.include(["BadGateway", "Conflict"], (yield* Effect.flip(exit))._tag, because)
          yield* jobs
          yield* same(before, because)
        }
        const made = Exit.isSuccess(exit) ? exit.value : yield* exposed(acme, request)
        if (request.domain !== undefined) assert.isNotNull(made.domain?.expires_at, because)
        yield* jobs
        assert.deepStrictEqual(yield* servedNames, [made.hostname], because)
        assert.strictEqual((yield* listExposures(acme)).count, 1, because)
      })
    )

  /** Nobody has to wait for the leftovers of a creation that failed. */
  const again = (fault: Fault) =>
    beside(({ acme }) =>
      Effect.gen(function* () {
        const because = titleOf(fault)
        const exit = yield* Effect.exit(under(fault, inTime(createExposure(acme, request))))
        const made = Exit.isSuccess(exit) ? exit.value : yield* exposed(acme, request)
        yield* jobs
        assert.deepStrictEqual(yield* servedNames, [made.hostname], because)
        yield* inTime(removeExposure(acme, made.exposure_id))
        assert.deepStrictEqual(yield* servedNames, [], because)
      })
    )

  const landsLate = (call: NamedCall) =>
    beside(({ acme }) =>
      Effect.gen(function* () {
        const fault: Fault = { ...call, when: "before", times: "always", as: { delay_ms: 45_000 } }
        const before = yield* everythingElse
        const exit = yield* Effect.exit(under(fault, inTime(createExposure(acme, request))))
        // The row waits for it, so that nobody has to find out that it belongs to nothing.
        yield* attended
        if (Exit.isFailure(exit)) yield* same(before, titleOf(fault))
      })
    )

  /** Whoever asked is gone, or the process is: all of it is there, or none. */
  const endsWhole = (fault: Fault, end: "hang-up" | "death") =>
    beside(({ acme }) =>
      Effect.gen(function* () {
        const because = `${titleOf(fault)}, ${end}`
        const creating = createExposure(acme, request)
        if (end === "death") yield* dies(fault, creating)
        else {
          const asked = yield* under(fault, Effect.tap(Effect.forkDetach(creating), settle))
          yield* inTime(Fiber.interrupt(asked))
        }
        yield* jobs
        const { count, exposures } = yield* listExposures(acme)
        const names = exposures.map((_) => _.hostname)
        assert.deepStrictEqual(yield* servedNames, names, because)
        if (count === 0) yield* exposed(acme, request)
        assert.lengthOf(yield* servedNames, 1, because)
      })
    )

  it(`a creation of ${what} makes calls`, () => assert.isAbove(calls.length, 2))
  for (const call of sampled(`calls of a creation of ${what}`, 5, calls)) {
    const at = `${call.method} ${call.path} (${call.nth})`
    it.effect(`${what}: a fault of ${at} leaves all or nothing`, () =>
      Effect.forEach(someFaultsOf(call), allOrNothing, { discard: true })
    )
    it.effect(`${what}: when ${at} gets no answer, the request can be repeated at once`, () =>
      Effect.forEach(whensOf(call), (when) => again({ ...call, when, as: "hang" }), { discard: true })
    )
    it.effect(`${what}: ${at} takes effect long after the answer`, () => landsLate(call))
    it.effect(`${what}: a disconnect or a death at ${at} leaves all or nothing`, () =>
      Effect.forEach(
        whensOf(call),
        (when) => {
          const fault: Fault = { ...call, when, as: "hang" }
          return Effect.andThen(endsWhole(fault, "hang-up"), endsWhole(fault, "death"))
        },
        { discard: true }
      )
    )
  }
}
