import { isObject } from "../Json.ts"

/** A value as Go's `%v` prints it: `map[a:1 b:[x y]]`. */
export const goPrint = (value: unknown): string => {
  if (value === null || value === undefined) return "<nil>"
  if (Array.isArray(value)) return `[${value.map(goPrint).join(" ")}]`
  if (!isObject(value)) return String(value)
  const keys = Object.keys(value).toSorted()
  return `map[${keys.map((_) => `${_}:${goPrint(value[_])}`).join(" ")}]`
}
