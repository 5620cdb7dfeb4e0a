import { isObject } from "@portico/contract/isObject"
import type { Parts } from "./Call.ts"
import type { Field, Shape } from "./Catalogue.ts"
import { commandOf } from "./names.ts"
import { type Slot, slotsOf } from "./slots.ts"
import { fileOf, hasSecrets } from "./standIns.ts"

/** The arguments of a command, behind `portico`. */
export interface Arguments {
  readonly args: ReadonlyArray<string>
  /** What has to be in the files that they name. */
  readonly files: Readonly<Record<string, string>>
}

export interface Writing {
  /** Whether texts of many lines come from files, too, as secrets always do. */
  readonly longInFiles?: boolean
}

const textOf = (value: unknown): string =>
  (typeof value === "string" ? value : (JSON.stringify(value) ?? "")).toWellFormed()

const at = (value: unknown, [key, ...rest]: ReadonlyArray<string>): unknown =>
  key === undefined ? value : at(isObject(value) ? value[key] : undefined, rest)

/** A value that looks like a flag is tied to its own. */
const pair = (flag: string, text: string): ReadonlyArray<string> =>
  text.startsWith("-") ? [`--${flag}=${text}`] : [`--${flag}`, text]

const fromFile = (slot: Slot, flag: string, value: unknown): Arguments => {
  const file = fileOf({ name: slot.flag.replace(/-file$/, ""), type: slot.field.type })
  return { args: [`--${flag}`, file], files: { [file]: textOf(value) } }
}

const partOf = (slot: Slot, value: unknown, { longInFiles }: Writing): Arguments => {
  const { field, flag, kind } = slot
  const only = (args: ReadonlyArray<string>) => ({ args, files: {} })
  if (value === null) return only([`--no-${flag}`])
  if (kind === "switch") return only([String(value) === "true" ? `--${flag}` : `--no-${flag}`])
  if (kind === "many") {
    const all: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
    return only(all.flatMap((one) => pair(flag, textOf(one))))
  }
  if (kind === "file") return fromFile(slot, flag, value)
  if (field.long === true && longInFiles === true) return fromFile(slot, `${flag}-file`, value)
  return only(pair(flag, textOf(value)))
}

const limitOf = ({ pages }: Shape, { query }: Parts): ReadonlyArray<string> => {
  const limit = pages === true ? query["limit"] : undefined
  return limit === undefined ? [] : ["--limit", String(limit)]
}

/** What looks like a flag is none behind two dashes. */
const idsOf = (operation: Shape, { ids }: Parts): ReadonlyArray<string> => {
  const all = operation.parameters.map((_) => ids[_.name] ?? "")
  return all.some((_) => _.startsWith("-")) ? ["--", ...all] : all
}

const joined = (all: ReadonlyArray<Arguments>): Arguments => ({
  args: all.flatMap((_) => _.args),
  files: Object.assign({}, ...all.map((_) => _.files))
})

const named = (operation: Shape, parts: Parts, given: Arguments): Arguments => {
  const ids = idsOf(operation, parts)
  const [first, last] = ids[0] === "--" ? [[], ids] : [ids, []]
  const limit = limitOf(operation, parts)
  return {
    ...given,
    args: [...commandOf(operation.id).split(" "), ...first, ...given.args, ...limit, ...last]
  }
}

/** A request as identifiers and flags: those of the fields that the operation has. */
export const argumentsOf = (operation: Shape, parts: Parts, writing: Writing = {}): Arguments => {
  const given = slotsOf(operation).flatMap((slot) => {
    const value = at(slot.place === "query" ? parts.query : parts.body, slot.path)
    return value === undefined ? [] : [partOf(slot, value, writing)]
  })
  return named(operation, parts, joined(given))
}

/** The same with the body as a whole, which is in a file where it has secrets. */
export const argumentsWithBody = (operation: Shape, parts: Parts): Arguments => {
  const { args, files } = argumentsOf({ ...operation, parameters: [], body: [] }, parts)
  const text = textOf(parts.body)
  const file = "body.json"
  const whole = hasSecrets(operation.body, parts.body)
    ? { args: ["--body", `@${file}`], files: { [file]: text } }
    : { args: ["--body", text], files: {} }
  const flags = args.slice(commandOf(operation.id).split(" ").length)
  const { pages: _, ...rest } = operation
  return named(rest, parts, joined([{ args: flags, files }, whole]))
}

const isOf = ({ type }: Field, value: unknown): boolean => {
  switch (type) {
    case "list":
      return Array.isArray(value)
    case "object":
      return isObject(value)
    case "string":
      // No argument holds a NUL.
      return typeof value === "string" && !value.includes("\0")
    case "boolean":
      return typeof value === "boolean"
    case "integer":
    case "number":
      return typeof value === "number"
  }
}

const isExpressible = (field: Field, value: unknown): boolean => {
  if (value === undefined || field.secret === true) return true
  if (value === null) return field.nullable === true && field.fields === undefined
  if (!isOf(field, value)) return false
  if (field.fields !== undefined) return Object.keys(Object(value)).length > 0 && areExpressible(field.fields, value)
  const { items } = field
  if (!Array.isArray(value) || items === undefined || items.type === "list" || items.type === "object") return true
  return value.length > 0 && value.every((_) => isOf(items, _))
}

/** Whether flags can say all of an object: it may have an empty list, or a key that the contract does not name. */
export const areExpressible = (fields: ReadonlyArray<Field>, value: unknown): boolean =>
  isObject(value) &&
  Object.entries(value).every(([key, one]) => {
    const field = fields.find(({ name }) => name === key)
    return field === undefined ? one === undefined : isExpressible(field, one)
  })
