import type { Fault, FaultKind } from "@portico/simulator/Fault"
import { type LoggedCall, SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"

/** A call of a run by what it was and the how manieth of its kind, so that the same call of another run can be hit. */
export type Named = Required<Pick<Fault, "service" | "method" | "path" | "nth">>

/** The calls of a log, named. */
export const named = (calls: ReadonlyArray<LoggedCall>): ReadonlyArray<Named> =>
  calls.map(({ method, route, service }, index) => ({
    service,
    method,
    path: route,
    nth: calls.slice(0, index + 1).filter((_) => _.service === service && _.method === method && _.route === route)
      .length
  }))

/** The calls that the effect makes. */
export const callsOf = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const cloud = yield* SimulatedCloud
  yield* cloud.clearCalls
  yield* effect
  return named(yield* cloud.calls)
})

/** How a call fails, before its effect and after it. */
const kinds: ReadonlyArray<FaultKind> = [
  { status: 403 },
  { status: 409 },
  { status: 500 },
  { status: 503 },
  "reset",
  "hang",
  "garbage"
]

export const whens = ["before", "after"] as const

/** Every way in which the call can fail. */
export const faultsOf = (call: Named): ReadonlyArray<Fault> =>
  whens.flatMap((when) => kinds.map((as) => ({ ...call, when, as })))

/** For the message of an assertion. */
export const told = ({ as, method, nth, path, service, when }: Fault): string =>
  `${service} ${method} ${path}, call ${nth ?? 1}: ${JSON.stringify(as)} ${when} its effect`

/** Runs the effect with the fault, and clears it. */
export const under = Effect.fnUntraced(function* <A, E, R>(fault: Fault, effect: Effect.Effect<A, E, R>) {
  const cloud = yield* SimulatedCloud
  yield* cloud.fault(fault)
  return yield* Effect.ensuring(effect, cloud.clearFaults)
})
