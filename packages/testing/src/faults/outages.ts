import type { Fault, FaultKind } from "@portico/simulator/Fault"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { sampled } from "../sample/sampled.ts"
import { kinds, type NamedCall, whens } from "./calls.ts"

/** A service that fails at a call, and at whatever is asked of it afterwards, until it is well again. */
export interface Outage {
  readonly service: Fault["service"]
  /** In words, for the title of a test or the message of an assertion. */
  readonly title: string
  readonly rules: ReadonlyArray<Fault>
}

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]

const outageOf = (calls: ReadonlyArray<NamedCall>, index: number, when: Fault["when"], as: FaultKind): Outage => {
  const at = calls[index]
  if (at === undefined) throw new Error(`there is no call ${index}`)
  const { service } = at
  const earlier = (method: string) =>
    calls.slice(0, index).filter((_) => _.service === service && _.method === method).length
  return {
    service,
    title: `${service} is out from ${at.method} ${at.path}, call ${at.nth}, on: ${JSON.stringify(as)} ${when} the effect`,
    rules: methods.map((method) => ({
      service,
      method,
      path: "**",
      nth: 1 + earlier(method),
      times: "always",
      when,
      as
    }))
  }
}

/**
 * The service of a call goes out with it, in every way: whatever undoes or
 * repeats the call fails as well. One way before the effects and one after them
 * are drawn; every way in a run of everything.
 *
 * @param calls of a run in which nothing fails
 */
export const someOutagesAt = (calls: ReadonlyArray<NamedCall>, index: number): ReadonlyArray<Outage> =>
  whens.flatMap((when) =>
    sampled(`an outage ${when} ${JSON.stringify(calls[index])}`, 1, kinds).map((as) => outageOf(calls, index, when, as))
  )

/** Runs the effect during the outage, and ends it. */
export const during = Effect.fnUntraced(function* <A, E, R>({ rules }: Outage, effect: Effect.Effect<A, E, R>) {
  const cloud = yield* SimulatedCloud
  yield* Effect.forEach(rules, cloud.fault, { discard: true })
  return yield* Effect.ensuring(effect, cloud.clearFaults)
})
