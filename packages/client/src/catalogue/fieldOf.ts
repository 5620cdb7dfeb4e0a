import type { Field } from "./Catalogue.ts"
import type { Schema } from "./Document.ts"
import { meaningsIn, plainText } from "./plainText.ts"

/** The schema behind references. What stands beside a reference counts more. */
export const resolved = (schema: Schema, schemas: Readonly<Record<string, Schema>>): Schema => {
  if (schema.$ref === undefined) return schema
  const { $ref, ...beside } = schema
  const target = schemas[$ref.split("/").at(-1) ?? ""]
  return target === undefined ? beside : { ...resolved(target, schemas), ...beside }
}

const typeOf = ({ properties, type }: Schema): Field["type"] => {
  if (type === "array") return "list"
  if (type === "integer" || type === "number" || type === "boolean") return type
  return type === "object" || properties !== undefined ? "object" : "string"
}

/** Keys without a value are left out, so that they cost nothing in JSON. */
export function compact<A extends object>(fields: { readonly [K in keyof A]: A[K] | undefined }): A
export function compact(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** The descriptions of a schema and of those that it refers to: values are explained in the innermost one. */
const descriptionsOf = (schema: Schema, schemas: Readonly<Record<string, Schema>>): ReadonlyArray<string> => {
  const target = schema.$ref === undefined ? undefined : schemas[schema.$ref.split("/").at(-1) ?? ""]
  const further = [...(target === undefined ? [] : [target]), ...(schema.anyOf ?? [])]
  const own = schema.description === undefined ? [] : [schema.description]
  return [...own, ...further.flatMap((_) => descriptionsOf(_, schemas))]
}

export interface Named {
  readonly name: string
  readonly required: boolean
  /** Replaces the description of the schema; the meanings of values are looked for in both. */
  readonly description?: string | undefined
}

/** How a field is given on a command line, of its schema. */
export const fieldOf = (named: Named, given: Schema, schemas: Readonly<Record<string, Schema>>): Field => {
  const whole = resolved(given, schemas)
  const nullable = whole.anyOf?.some((_) => _.type === "null") === true
  const other = whole.anyOf?.find((_) => _.type !== "null")
  const schema = other === undefined ? whole : { ...resolved(other, schemas), ...whole }
  const type = typeOf(schema)
  const explained = [named.description ?? "", ...descriptionsOf(given, schemas)].map(meaningsIn)
  const meanings = new Map(explained.toReversed().flatMap((_) => [..._.meanings]))
  const description = plainText(explained.find((_) => _.rest !== "")?.rest ?? "")
  const patterns = [schema, ...(schema.allOf ?? [])].flatMap(({ pattern }) => (pattern === undefined ? [] : [pattern]))
  const required = new Set(schema.required)
  return compact<Field>({
    name: named.name,
    type,
    description: description === "" ? undefined : description,
    required: named.required ? true : undefined,
    nullable: nullable ? true : undefined,
    default: schema.default,
    values: schema.enum?.map((value): readonly [string | number, string?] => {
      const meaning = meanings.get(String(value))
      return meaning === undefined ? [value] : [value, plainText(meaning)]
    }),
    least: schema.minimum ?? schema.minLength ?? schema.minItems,
    most: schema.maximum ?? schema.maxLength ?? schema.maxItems,
    patterns: patterns.length === 0 ? undefined : patterns,
    items: schema.items === undefined ? undefined : fieldOf({ name: "", required: true }, schema.items, schemas),
    fields: Object.entries(schema.properties ?? {}).length === 0 ? undefined : fieldsOf(schema, required, schemas),
    secret: undefined,
    long: type === "string" && (schema.maxLength ?? 0) >= 10_000 ? true : undefined
  })
}

const fieldsOf = (schema: Schema, required: ReadonlySet<string>, schemas: Readonly<Record<string, Schema>>) =>
  Object.entries(schema.properties ?? {}).map(([name, property]) =>
    fieldOf({ name, required: required.has(name), description: property.description }, property, schemas)
  )
