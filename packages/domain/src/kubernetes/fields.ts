import { Predicate } from "effect"

/** The value at a path in an object of the API server; undefined when it is absent. */
export const at = (object: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((value, key) => (Predicate.isObject(value) ? value[key] : undefined), object)

/** As {@link at}, for strings alone. */
export const stringAt = (object: unknown, ...path: ReadonlyArray<string>): string | undefined => {
  const value = at(object, ...path)
  return typeof value === "string" ? value : undefined
}

/**
 * As {@link at}, for whole numbers alone. The API server's are 32 or 64 bits long; one that no answer of ours can hold
 * exactly, such as -1e23, is absent.
 */
export const wholeAt = (object: unknown, ...path: ReadonlyArray<string>): number | undefined => {
  const value = at(object, ...path)
  return Number.isSafeInteger(value) ? Number(value) : undefined
}

/** As {@link at}, for lists: an absent one is empty. */
export const listAt = (object: unknown, ...path: ReadonlyArray<string>): ReadonlyArray<unknown> => {
  const value = at(object, ...path)
  return Array.isArray(value) ? value : []
}

const powers = { Ki: 1024, Mi: 1024 ** 2, Gi: 1024 ** 3, Ti: 1024 ** 4, Pi: 1024 ** 5, Ei: 1024 ** 6 }
const decimals = { m: 0.001, "": 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 }
const factors: Readonly<Record<string, number>> = { ...powers, ...decimals }

const written = /^(\d+(?:\.\d*)?|\.\d+)(?:[eE]([+-]?\d+)|([a-zA-Z]{0,2}))$/

/** The API server caps larger quantities to this (reference: Kubernetes, Quantity). */
const largest = 2 ** 63 - 1

/** A Kubernetes quantity (`20Gi`, `1500M`, `1e9`) in bytes; 0 for an invalid or negative one. */
export const bytesOf = (quantity: unknown): number => {
  if (typeof quantity !== "string" && typeof quantity !== "number") return 0
  const [, digits, exponent, suffix] = written.exec(String(quantity)) ?? []
  if (digits === undefined) return 0
  const factor = exponent === undefined ? (factors[suffix ?? ""] ?? 0) : 10 ** Number(exponent)
  return Math.min(Number(digits) * factor, largest)
}

/** Bytes in whole GiB, rounded up, and no more than an answer can hold exactly. */
export const gibOf = (bytes: number): number => Math.min(Math.ceil(bytes / 1024 ** 3), Number.MAX_SAFE_INTEGER)
