import { isObject } from "@portico/contract/isObject"
import type { Field } from "./Catalogue.ts"

const standInOf = (field: Field | undefined, value: unknown, standIn: (field: Field) => unknown): unknown => {
  if (field === undefined || value === undefined || value === null) return value
  if (field.secret === true) return standIn(field)
  if (field.fields !== undefined) return withStandIns(field.fields, value, standIn)
  const { items } = field
  return items !== undefined && Array.isArray(value) ? value.map((_) => standInOf(items, _, standIn)) : value
}

/** A body with something else in the place of each secret of the caller's. */
export const withStandIns = (
  fields: ReadonlyArray<Field>,
  body: unknown,
  standIn: (field: Field) => unknown
): unknown => {
  if (!isObject(body)) return body
  const known = new Map(fields.map((_) => [_.name, _]))
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => [key, standInOf(known.get(key), value, standIn)])
  )
}

/** Whether a body has a secret of the caller's. */
export const hasSecrets = (fields: ReadonlyArray<Field>, body: unknown): boolean => {
  let found = false
  withStandIns(fields, body, () => (found = true))
  return found
}

/** The file that a secret is read from: `password.txt`, and `headers.json` of what is no text. */
export const fileOf = ({ name, type }: Pick<Field, "name" | "type">): string =>
  `${name.replaceAll(/[^\w.-]/g, "-")}.${type === "string" ? "txt" : "json"}`
