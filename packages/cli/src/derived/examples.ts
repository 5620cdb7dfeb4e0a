import type { Field, Operation } from "../catalog/Catalogue.ts"
import { commandOf } from "../catalog/names.ts"
import { quoted } from "./shell.ts"
import { type Slot, slotsOf } from "./slots.ts"
import { isObject } from "./values.ts"

/** The command line of a recorded request. */
export interface DerivedExample {
  /** Behind `portico`. */
  readonly args: ReadonlyArray<string>
  /** What has to be in the files that it names. */
  readonly files: Readonly<Record<string, string>>
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

const at = (value: unknown, [key, ...rest]: ReadonlyArray<string>): unknown =>
  key === undefined ? value : at(isObject(value) ? value[key] : undefined, rest)

const fileName = ({ field, flag }: Slot): string =>
  `${flag.replace(/-file$/, "")}.${field.type === "string" ? "txt" : "json"}`

/** A value that looks like a flag is tied to its own. */
const pair = (flag: string, text: string): ReadonlyArray<string> =>
  text.startsWith("-") ? [`--${flag}=${text}`] : [`--${flag}`, text]

interface Part {
  readonly args: ReadonlyArray<string>
  readonly files?: Readonly<Record<string, string>>
}

const partOf = (slot: Slot, value: unknown): Part => {
  const { field, flag, kind } = slot
  if (value === null) return { args: [`--no-${flag}`] }
  if (kind === "switch") return { args: [value === true ? `--${flag}` : `--no-${flag}`] }
  if (kind === "many") {
    const all: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
    return { args: all.flatMap((one) => pair(flag, textOf(one))) }
  }
  const file = fileName(slot)
  if (kind === "file") return { args: [`--${flag}`, file], files: { [file]: textOf(value) } }
  if (field.long === true) return { args: [`--${flag}-file`, file], files: { [file]: textOf(value) } }
  return { args: pair(flag, textOf(value)) }
}

const limitOf = (operation: Operation): ReadonlyArray<string> => {
  const limit = operation.pages === true ? operation.example.query["limit"] : undefined
  return limit === undefined ? [] : ["--limit", String(limit)]
}

/** A catch-all has its path as it is. */
const isPresent = (operation: Operation) => (field: Field) => operation.example.path[field.name] !== undefined

/** A tenant's command names no project: any other than its own is a 404. */
const isOperators = (operation: Operation, { field, place }: Slot): boolean =>
  place === "query" && field.name === "project_id" && field.required !== true && operation.planes.includes("customer")

/** Undefined where no request of the operation is recorded. */
export const exampleOf = (operation: Operation): DerivedExample | undefined => {
  const { example } = operation
  if (!operation.parameters.every(isPresent(operation))) return undefined
  const ids = operation.parameters.map((_) => String(example.path[_.name]))
  const raw = operation.takes === "raw" && example.body !== undefined ? ["--body", JSON.stringify(example.body)] : []
  const parts = slotsOf(operation).flatMap((slot) => {
    if (isOperators(operation, slot)) return []
    const value = at(slot.place === "query" ? example.query : example.body, slot.path)
    return value === undefined ? [] : [partOf(slot, value)]
  })
  return {
    args: [
      ...commandOf(operation.id).split(" "),
      ...ids,
      ...parts.flatMap((_) => _.args),
      ...raw,
      ...limitOf(operation)
    ],
    files: Object.assign({}, ...parts.map((_) => _.files ?? {}))
  }
}

/** As a person types it. */
export const lineOf = ({ args }: DerivedExample): string => ["portico", ...args.map(quoted)].join(" ")
