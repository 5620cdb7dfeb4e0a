import { Predicate } from "effect"
import { exceptions } from "./exceptions.ts"

export interface Difference {
  /** Where in the outcome: `created/body/network/mtu`. */
  readonly at: string
  /** Undefined where there is nothing. */
  readonly simulated: unknown
  readonly real: unknown
}

/** Every place where two outcomes are not the same; lists of one length are looked into. */
export const differences = (simulated: unknown, real: unknown, at = ""): ReadonlyArray<Difference> => {
  const inside = (key: string | number) => (at === "" ? String(key) : `${at}/${key}`)
  if (Predicate.isObject(simulated) && Predicate.isObject(real)) {
    return [...new Set([...Object.keys(simulated), ...Object.keys(real)])].flatMap((key) =>
      differences(simulated[key], real[key], inside(key))
    )
  }
  if (Array.isArray(simulated) && Array.isArray(real) && simulated.length === real.length) {
    return simulated.flatMap((item, index) => differences(item, real[index], inside(index)))
  }
  return JSON.stringify(simulated) === JSON.stringify(real) ? [] : [{ at, simulated, real }]
}

/** Why a place may differ; undefined for one that may not. */
export const exceptionOf = (
  client: string,
  name: string,
  { at }: Difference
): (typeof exceptions)[number] | undefined =>
  exceptions.find((_) => _.client === client && _.patterns.some((pattern) => pattern.test(`${name}/${at}`)))
