import { partsOf } from "@portico/client/catalogue/Call"
import type { Field, Shape } from "@portico/client/catalogue/Catalogue"
import { withStandIns } from "@portico/client/catalogue/standIns"
import { isObject } from "@portico/client/isObject"
import * as v from "valibot"

/** What a form holds of a field: texts as they were typed, null as such. What is left out is undefined. */
export type Value = string | null | undefined | ReadonlyArray<Value> | Values
export interface Values {
  readonly [name: string]: Value
}

export const places = ["path", "query", "body"] as const
export type Place = (typeof places)[number]

/** What a form holds of an operation. */
export type Draft = Readonly<Record<Place, Values>>

export type Input = Readonly<Record<string, unknown>>

/** What the service behind a catch-all gets: whatever it takes. */
const rawBody: Field = { name: "body", type: "object", long: true }

/** The fields of an operation, by place. */
export const fieldsOf = ({ body, parameters, query, takes }: Shape): Readonly<Record<Place, ReadonlyArray<Field>>> => ({
  path: parameters,
  query,
  body: takes === "raw" ? [rawBody] : body
})

export const isValues = (value: Value): value is Values => isObject(value)

const isGroup = (value: Value): value is ReadonlyArray<Value> => Array.isArray(value)

export const itemsOf = (value: Value): ReadonlyArray<Value> => (isGroup(value) ? value : [])
export const valuesOf = (value: Value): Values => (isValues(value) ? value : {})
export const textOf = (value: Value): string => (typeof value === "string" ? value : "")

/** Whether it is typed as JSON: the contract does not say what is in it. */
export const isJson = ({ fields, items, type }: Field): boolean =>
  (type === "object" && fields === undefined) || (type === "list" && items === undefined)

const Json = v.pipe(v.string(), v.parseJson())

/** What is no JSON is sent as it is: the gateway says what is wrong with it. */
const parsed = (text: string): unknown => {
  const json = v.safeParse(Json, text)
  return json.success ? json.output : text
}

const numberOf = (text: string): unknown => {
  const number = Number(text)
  return Number.isFinite(number) && text.trim() !== "" ? number : text
}

const scalarOf = (field: Field, text: string): unknown => {
  if (isJson(field)) return parsed(text)
  if (field.type === "boolean") return text === "true" ? true : text === "false" ? false : text
  return field.type === "integer" || field.type === "number" ? numberOf(text) : text
}

/** The value of a field as the client takes it. */
const givenOf = (field: Field, value: Value): unknown => {
  if (value === undefined || value === null) return value
  if (typeof value === "string") return scalarOf(field, value)
  const { fields = [], items } = field
  if (isGroup(value)) return items === undefined ? undefined : value.map((_) => givenOf(items, _))
  return objectOf(fields, value)
}

const objectOf = (fields: ReadonlyArray<Field>, values: Values): Input =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const given = givenOf(field, values[field.name])
      return given === undefined ? [] : [[field.name, given] as const]
    })
  )

/** What is sent although nothing was typed: an object that has to be there. */
export const blankOf = (field: Field): Value =>
  field.type === "object" && field.fields !== undefined ? blanksOf(field.fields) : undefined

export const blanksOf = (fields: ReadonlyArray<Field>): Values =>
  Object.fromEntries(fields.filter((_) => _.required === true).map((_) => [_.name, blankOf(_)]))

const heldOf = (field: Field, given: unknown): Value => {
  if (given === undefined) return field.required === true ? blankOf(field) : undefined
  if (given === null) return null
  if (isJson(field)) return typeof given === "string" ? given : JSON.stringify(given, undefined, 2)
  const { fields, items } = field
  if (fields !== undefined) return heldIn(fields, given)
  if (items === undefined) return typeof given === "object" ? JSON.stringify(given) : String(given)
  const all: ReadonlyArray<unknown> = Array.isArray(given) ? given : [given]
  return all.map((_) => heldOf(items, _))
}

const heldIn = (fields: ReadonlyArray<Field>, given: unknown): Values => {
  const known = isObject(given) ? given : {}
  return Object.fromEntries(fields.map((_) => [_.name, heldOf(_, known[_.name])]))
}

/** Whether a key of the body is one of the path too: the body is then apart in the input. */
const isApart = ({ body, parameters, query }: Shape): boolean =>
  body.some(({ name }) => [...parameters, ...query].some((_) => _.name === name))

/** The form of an input, such as that of a link. */
export const draftOf = (shape: Shape, input: Input): Draft => {
  const fields = fieldsOf(shape)
  if (shape.catchAll === true) {
    return { path: heldIn(fields.path, input), query: {}, body: heldIn(fields.body, input) }
  }
  const { body, query } = partsOf(shape, input)
  return { path: heldIn(fields.path, input), query: heldIn(fields.query, query), body: heldIn(fields.body, body) }
}

/** The input of a form, as the client takes it. */
export const inputOf = (shape: Shape, { body, path, query }: Draft): Input => {
  const fields = fieldsOf(shape)
  const sent = objectOf(fields.body, body)
  return {
    ...objectOf(fields.path, path),
    ...objectOf(fields.query, query),
    ...(isApart(shape) ? { body: sent } : sent)
  }
}

/** An input without secrets, for a link. What is sent to a service behind a catch-all may have some. */
export const linked = (shape: Shape, input: Input): string => {
  const shown = withStandIns(
    shape.takes === "raw" ? [{ ...rawBody, secret: true }] : shape.body,
    input,
    () => undefined
  )
  const text = JSON.stringify(shown)
  return text === "{}" ? "" : text
}

/** The input of a link. */
export const inputIn = (text: string): Input => {
  const json = v.safeParse(v.pipe(Json, v.record(v.string(), v.unknown())), text)
  return json.success ? json.output : {}
}
