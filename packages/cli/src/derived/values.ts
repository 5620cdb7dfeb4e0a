import { Predicate, Result } from "effect"
import type { Field } from "@portico/client/catalogue/Catalogue"
import { isRepeated } from "@portico/client/catalogue/slots"

// Values of fields, from texts of a command line. What is wrong is said in words, before anything is called.

/** `'a', 'b' or 'c'` */
const either = (values: ReadonlyArray<string>): string =>
  values.length < 2 ? values.join("") : `${values.slice(0, -1).join(", ")} or ${values.at(-1) ?? ""}`

const bounds = ({ least, most }: Field, unit: string): string => {
  if (least !== undefined && most !== undefined) {
    return unit === "" ? ` from ${least} to ${most}` : ` of ${least} to ${most} ${unit}`
  }
  const of = unit === "" ? "" : " of"
  const rest = unit === "" ? "" : ` ${unit}`
  if (least !== undefined && (least > 0 || unit === "")) return `${of} at least ${least}${rest}`
  return most === undefined ? "" : `${of} at most ${most}${rest}`
}

/** What a field takes: `a whole number from 1 to 250`. */
export const expected = (field: Field): string => {
  if (field.values !== undefined) return either(field.values.map(([value]) => `'${value}'`))
  switch (field.type) {
    case "integer":
      return `a whole number${bounds(field, "")}`
    case "number":
      return `a number${bounds(field, "")}`
    case "boolean":
      return "'true' or 'false'"
    case "list":
      return isRepeated(field) ? `a list${bounds(field, "values")}` : "JSON of a list"
    case "object":
      return "JSON of an object"
    case "string": {
      const form = field.patterns === undefined ? "" : ", without line breaks and in the form that --help describes"
      return `a text${bounds(field, "characters")}${form}`
    }
  }
}

const within = ({ least, most }: Field, size: number): boolean =>
  size >= (least ?? Number.NEGATIVE_INFINITY) && size <= (most ?? Number.POSITIVE_INFINITY)

const fits = (field: Field, text: string): boolean =>
  within(field, [...text].length) && (field.patterns ?? []).every((_) => new RegExp(_, "u").test(text))

const json = (text: string): Result.Result<unknown, unknown> => Result.try((): unknown => JSON.parse(text))

/** The number that a text stands for; undefined when it is not a number. */
const numberIn = (field: Field, text: string): number | undefined => {
  const form = field.type === "integer" ? /^[+-]?\d+$/ : /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i
  const value = Number(text)
  return form.test(text) && Number.isFinite(value) && within(field, value) ? value : undefined
}

const valueIn = (field: Field, text: string): unknown => {
  if (field.values !== undefined) return field.values.find(([value]) => String(value) === text)?.[0]
  switch (field.type) {
    case "integer":
    case "number":
      return numberIn(field, text)
    case "boolean":
      return text === "true" ? true : text === "false" ? false : undefined
    case "string":
      return fits(field, text) ? text : undefined
    case "list":
    case "object": {
      const parsed = Result.getOrUndefined(json(text))
      const isRight = field.type === "list" ? Array.isArray(parsed) : Predicate.isObject(parsed)
      return isRight ? parsed : undefined
    }
  }
}

/** The value that a text is for a field, or what the field takes instead. */
export const parse = (field: Field, text: string): Result.Result<unknown, string> => {
  const value = valueIn(field, text)
  return value === undefined ? Result.fail(expected(field)) : Result.succeed(value)
}

/** The same for the texts of a repeated flag. */
export const parseAll = (field: Field, texts: ReadonlyArray<string>): Result.Result<unknown, string> => {
  const { items } = field
  if (items === undefined || !within(field, texts.length)) return Result.fail(expected(field))
  const values = texts.map((text) => valueIn(items, text))
  return values.includes(undefined) ? Result.fail(expected(items)) : Result.succeed(values)
}

/** A JSON object, as a whole body is one. */
export const parseObject = (text: string): Readonly<Record<string, unknown>> | undefined => {
  const parsed = Result.getOrUndefined(json(text))
  return Predicate.isObject(parsed) ? parsed : undefined
}
