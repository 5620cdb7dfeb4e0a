import { sampled } from "@portico/testing/sample/sampled"
import { assert, it } from "@effect/vitest"
import { reconcilePurges } from "@portico/domain/projects/purge"
import type { Fault, FaultKind } from "@portico/simulator/Fault"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { inTime } from "@portico/testing/clock"
import { callsOf, type NamedCall, titleOf, whensOf } from "@portico/testing/faults/calls"
import { acmeBesideGlobex, carriedOut, condemned, gone, liveAgain } from "./purged.ts"
import { from, seedOf } from "@portico/testing/cloud/seeded"

const seed = await seedOf(Effect.tap(acmeBesideGlobex, ({ projectId }) => condemned(projectId)))
const begun = from(seed)

const calls = await Effect.runPromise(
  Effect.provide(
    begun(() => callsOf(inTime(reconcilePurges))),
    TestClock.layer()
  )
)

const nameOf = ({ method, path, service }: NamedCall): string => `${service} ${method} ${path}`
const kinds: ReadonlyArray<FaultKind> = [{ status: 503 }, { status: 403 }, "reset", "hang", "garbage"]

/** A call is asked again at once where that helps; only what goes on is noticed. */
const often = { times: 3 } as const

/** Every call of its kind once, in every way; and the last of its kind, which comes when the kind is believed to be empty. */
const faults = new Map<string, ReadonlyArray<Fault>>()
for (const name of new Set(calls.map(nameOf))) {
  const same = calls.filter((_) => nameOf(_) === name)
  const [first] = same
  const last = same.at(-1)
  if (first === undefined || last === undefined) continue
  const all = whensOf(first).flatMap((when) => kinds.map((as): Fault => ({ ...first, ...often, when, as })))
  const late = kinds.slice(0, 2).map((as): Fault => ({ ...last, ...often, when: "before", as }))
  faults.set(name, last === first ? all : [...all, ...late])
}

const suffers = Effect.fnUntraced(function* (fault: Fault) {
  const because = titleOf(fault)
  yield* begun((acme) =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      yield* cloud.fault(fault)
      const over = yield* carriedOut(acme.projectId)
      yield* cloud.clearFaults
      if (over === undefined) return yield* gone(acme, because)
      // What may pass is waited for.
      assert.deepStrictEqual([over.state, fault.as], ["refused", { status: 403 }], because)
      assert.match(over.refusal?.message ?? "", /^[a-z]+ .+: simulated 403$/, because)
      yield* liveAgain(acme, because)
      // And what was refused once can be asked for again.
      yield* condemned(acme.projectId)
      assert.isUndefined(yield* carriedOut(acme.projectId), because)
      yield* gone(acme, because)
    })
  )
})

for (const [name, ways] of sampled("calls of a purge", 30, [...faults])) {
  it.effect(`a purge ends clean or with a live tenant when ${name} fails`, () =>
    Effect.forEach(sampled(name, 1, ways), suffers, { discard: true })
  )
}
