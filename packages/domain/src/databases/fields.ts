import { Predicate } from "effect"

/** What stands under the path in an object of the API server; undefined for what is not there. */
export const at = (object: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((value, key) => (Predicate.isObject(value) ? value[key] : undefined), object)

/** As {@link at}, of strings alone. */
export const stringAt = (object: unknown, ...path: ReadonlyArray<string>): string | undefined => {
  const value = at(object, ...path)
  return typeof value === "string" ? value : undefined
}
