/** Reading request bodies that nobody has checked yet: wrong shapes read as absent. */
type JsonObject = { readonly [key: string]: unknown }

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The object under a path of keys; an empty object where there is none. */
export const objectAt = (value: unknown, ...keys: ReadonlyArray<string>): JsonObject => {
  const found = keys.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), value)
  return isObject(found) ? found : {}
}

export const has = (value: unknown, key: string): boolean => isObject(value) && key in value

export const stringAt = (object: JsonObject, key: string): string | undefined => {
  const value = object[key]
  return typeof value === "string" ? value : undefined
}

export const stringsAt = (object: JsonObject, key: string): ReadonlyArray<string> | undefined => {
  const value = object[key]
  return Array.isArray(value) && value.every((_) => typeof _ === "string") ? value : undefined
}

export const numberAt = (object: JsonObject, key: string): number | undefined => {
  const value = object[key]
  return typeof value === "number" ? value : undefined
}

export const booleanAt = (object: JsonObject, key: string): boolean | undefined => {
  const value = object[key]
  return typeof value === "boolean" ? value : undefined
}
