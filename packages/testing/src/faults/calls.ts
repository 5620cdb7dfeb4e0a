import type { Fault, FaultKind } from "@portico/simulator/Fault"
import { type LoggedCall, SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, type Fiber } from "effect"
import { settle } from "../clock.ts"

/** A call of a run, with its ordinal among identical calls, so that the same call of another run can be hit. */
export type NamedCall = Required<Pick<Fault, "service" | "method" | "path" | "nth">>

/** The calls of a log, named. */
export const named = (calls: ReadonlyArray<LoggedCall>): ReadonlyArray<NamedCall> =>
  calls.map(({ method, route, service }, index) => ({
    service,
    method,
    path: route,
    nth: calls.slice(0, index + 1).filter((_) => _.service === service && _.method === method && _.route === route)
      .length
  }))

/** Runs the effect, and returns the upstream calls that it makes, so that each of them can be failed in another run. */
export const callsOf = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const cloud = yield* SimulatedCloud
  yield* cloud.clearCalls
  yield* effect
  return named(yield* cloud.calls)
})

/** How a call fails, before its effect and after it. */
export const kinds: ReadonlyArray<FaultKind> = [
  { status: 403 },
  { status: 409 },
  { status: 500 },
  { status: 503 },
  "reset",
  "hang",
  "garbage"
]

export const whens = ["before", "after"] as const

/** A read has no effect: before and after it are one. */
export const whensOf = ({ method }: Pick<Fault, "method">): ReadonlyArray<Fault["when"]> =>
  method === "GET" || method === "HEAD" ? ["before"] : whens

/** Every way in which the call can fail. */
export const faultsOf = (call: NamedCall): ReadonlyArray<Fault> =>
  whensOf(call).flatMap((when) => kinds.map((as) => ({ ...call, when, as })))

/** The fault in words, for the title of a test or the message of an assertion. */
export const titleOf = ({ as, method, nth, path, service, when }: Fault): string =>
  `${service} ${method} ${path}, call ${nth ?? 1}: ${JSON.stringify(as)} ${when} its effect`

/** Runs the effect with the fault, and clears it. */
export const under = Effect.fnUntraced(function* <A, E, R>(fault: Fault, effect: Effect.Effect<A, E, R>) {
  const cloud = yield* SimulatedCloud
  yield* cloud.fault(fault)
  return yield* Effect.ensuring(effect, cloud.clearFaults)
})

/** Goes on once the fiber waits for the answer of an upstream that does not come by itself, or is done. */
export const waitsForAnswer = Effect.fnUntraced(function* <A, E>(fiber: Fiber.Fiber<A, E>) {
  const { calls } = yield* SimulatedCloud
  for (let rounds = 0; rounds < 200 && fiber.pollUnsafe() === undefined; rounds++) {
    const before = (yield* calls).length
    yield* settle
    const now = yield* calls
    // A name may be looked up outside of the simulated cloud meanwhile, which no turn of the event loop waits for.
    if (now.length === before && now.some((_) => _.status === null)) return
  }
})
