import { decodeJson } from "@portico/contract/decodeJson"
import { Option, Predicate } from "effect"
import type { ApiRequest } from "../Api.ts"

/** Undefined when the text is not JSON. */
export const parsed = (text: string): unknown => Option.getOrUndefined(decodeJson(text))

export const bodyOf = ({ body }: Pick<ApiRequest, "body">): unknown => (body === undefined ? undefined : parsed(body))

/** The value at a path of keys; undefined where there is none. */
export const at = (value: unknown, ...keys: ReadonlyArray<string>): unknown =>
  keys.reduce<unknown>((inner, key) => (Predicate.isReadonlyObject(inner) ? inner[key] : undefined), value)

export const listAt = (value: unknown, ...keys: ReadonlyArray<string>): ReadonlyArray<unknown> => {
  const found = at(value, ...keys)
  return Array.isArray(found) ? found : []
}

/** A finite number. Whole numbers may be text, because some upstreams accept them so. */
export const numberAt = (value: unknown, ...keys: ReadonlyArray<string>): number | undefined => {
  const found = at(value, ...keys)
  const number = typeof found === "string" && /^\d{1,15}$/.test(found) ? Number(found) : found
  return typeof number === "number" && Number.isFinite(number) ? number : undefined
}

export const textAt = (value: unknown, ...keys: ReadonlyArray<string>): string | undefined => {
  const found = at(value, ...keys)
  return typeof found === "string" && found !== "" ? found : undefined
}
