import { Option, Schema } from "effect"

/** Readers of unvalidated request bodies: a value of the wrong shape reads as absent. */
export type JsonObject = { readonly [key: string]: unknown }

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The value under a path of keys; undefined where there is none. */
export const valueAt = (value: unknown, ...keys: ReadonlyArray<string>): unknown =>
  keys.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), value)

/** The object under a path of keys; an empty object where there is none. */
export const objectAt = (value: unknown, ...keys: ReadonlyArray<string>): JsonObject => {
  const found = valueAt(value, ...keys)
  return isObject(found) ? found : {}
}

/** The objects of the list under a path of keys; none where there is no list. */
export const objectsAt = (value: unknown, ...keys: ReadonlyArray<string>): ReadonlyArray<JsonObject> => {
  const found = valueAt(value, ...keys)
  return Array.isArray(found) ? found.map((_) => objectAt(_)) : []
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

/** An object whose values are all strings; undefined when one of them is not. */
export const stringMapOf = (value: unknown): Readonly<Record<string, string>> | undefined => {
  const object = objectAt(value)
  const strings = Object.entries(object).flatMap(([key, _]) => (typeof _ === "string" ? [[key, _] as const] : []))
  return strings.length === Object.keys(object).length ? Object.fromEntries(strings) : undefined
}

/** A record's own entry: a client may send `constructor` as an id. */
export const entry = <A>(record: Readonly<Record<string, A>>, key: string | undefined): A | undefined =>
  key !== undefined && Object.hasOwn(record, key) ? record[key] : undefined

const uuid = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i

/** Whether a value is a UUID, with or without its dashes, as OpenStack's services read one. */
export const isUuid = (value: unknown): value is string => typeof value === "string" && uuid.test(value)

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** The parsed JSON of a text; undefined when the text is not JSON. Most calls have no body, and an error takes long to make. */
export const parseJson = (text: string): unknown => (text === "" ? undefined : Option.getOrUndefined(decodeJson(text)))

type Readers<T> = { readonly [Key in keyof T]?: (given: JsonObject, key: string) => T[Key] | undefined }

/** Copies the fields that have a reader from a body; the other fields of the thing stay. */
export const assign = <T extends object>(thing: T, given: JsonObject, readers: Readers<T>): void => {
  for (const key in readers) {
    const value = readers[key]?.(given, key)
    if (value !== undefined) thing[key] = value
  }
}
