import { Effect, Option, Predicate, Result } from "effect"
import type { Field, Operation } from "@portico/client/catalogue/Catalogue"
import { kebabCase } from "@portico/client/catalogue/names"
import { CliFailure } from "../CliFailure.ts"
import type { Given } from "./flags.ts"
import { type Slot, slotsOf } from "@portico/client/catalogue/slots"
import { readArgument, readSecret, readSource } from "./sources.ts"
import { parse, parseAll, parseObject } from "./values.ts"

// What is sent for a command line. Everything that is wrong with it is found before anything is called.

type Body = Readonly<Record<string, unknown>>

export interface Request {
  readonly ids: Readonly<Record<string, string>>
  readonly query: Body
  /** Undefined where nothing is sent. */
  readonly body: Body | undefined
}

const wrong = (name: string, text: string, expected: string) => `${name}: '${text}' is not ${expected}`

/** A value of a slot, or nothing where the command line has none, or what is wrong with it. */
type Read = Result.Result<Option.Option<unknown>, string>

const nothing: Read = Result.succeed(Option.none())

const parsed = (slot: Slot, text: string): Read => {
  const name = `--${slot.flag}`
  return Result.mapBoth(parse(slot.field, text), {
    onSuccess: Option.some,
    // A secret is not said again.
    onFailure: (_) => (slot.kind === "file" ? `${name}: what it holds is not ${_}` : wrong(name, text, _))
  })
}

const single = Effect.fnUntraced(function* (slot: Slot, text: string) {
  if (slot.kind === "file") return parsed(slot, yield* readSecret(text))
  const isJson = slot.field.type === "list" || slot.field.type === "object"
  return parsed(slot, isJson ? yield* readArgument(text) : text)
})

const valueOf = Effect.fnUntraced(function* (slot: Slot, given: Given) {
  const { field, flag, kind } = slot
  if (given.nulls[flag] === true) return Result.succeed(Option.some(null))
  if (kind === "switch") return Result.succeed(given.switches[flag] ?? Option.none())
  const file = given.files[flag] ?? Option.none()
  if (Option.isSome(file)) return parsed(slot, yield* readSource(file.value))
  const texts = given.texts[flag] ?? []
  const [text] = texts
  if (text === undefined) return nothing
  if (kind !== "many") return yield* single(slot, text)
  const named = (expected: string) => `--${flag}: ${texts.map((_) => `'${_}'`).join(", ")} is not ${expected}`
  return Result.mapBoth(parseAll(field, texts), { onSuccess: Option.some, onFailure: named })
})

/** The same object with a value at a place. */
const withValue = (body: Body, [key = "", ...rest]: ReadonlyArray<string>, value: unknown): Body => {
  const before = body[key]
  return {
    ...body,
    [key]: rest.length === 0 ? value : withValue(Predicate.isObject(before) ? before : {}, rest, value)
  }
}

/** The flags of required fields that are not there. What is above them may be left out, when it is not required itself. */
const missingIn = (fields: ReadonlyArray<Field>, body: Body, above: ReadonlyArray<string>): ReadonlyArray<string> =>
  fields.flatMap((field) => {
    const value = body[field.name]
    const path = [...above, kebabCase(field.name)]
    if (field.fields !== undefined && field.secret !== true && (field.required === true || Predicate.isObject(value))) {
      return missingIn(field.fields, Predicate.isObject(value) ? value : {}, path)
    }
    const flag = `--${path.join(".")}${field.secret === true ? "-file" : ""}`
    return value === undefined && field.required === true ? [flag] : []
  })

/** What names an address is one segment of it. */
const wrongIds = ({ parameters }: Operation, ids: Given["ids"]): ReadonlyArray<string> =>
  parameters.flatMap((field) => {
    const text = ids[field.name] ?? ""
    const name = `<${kebabCase(field.name)}>`
    if (text === "" || text === "." || text === "..") return [wrong(name, text, "an identifier")]
    const read = parse(field, text)
    return Result.isFailure(read) ? [wrong(name, text, read.failure)] : []
  })

/** A secret in a body that stands among the arguments of the process. */
const shownSecrets = ({ body }: Operation, given: Body): ReadonlyArray<string> =>
  body.filter(({ name, secret }) => secret === true && given[name] !== undefined).map((_) => _.name)

const wholeBody = Effect.fnUntraced(function* (operation: Operation, given: Given) {
  const argument = Option.getOrUndefined(given.words["body"] ?? Option.none())
  if (argument === undefined) return undefined
  const found = parseObject(yield* readArgument(argument))
  if (found === undefined) {
    return yield* new CliFailure({ exit: "usage", message: "--body: what it gives is not JSON of an object" })
  }
  const shown = argument.startsWith("@") || argument === "-" ? [] : shownSecrets(operation, found)
  if (shown.length > 0) {
    return yield* new CliFailure({
      exit: "usage",
      message: `--body: everybody on this machine can see ${shown.map((_) => `'${_}'`).join(" and ")} in an argument`,
      hint: "Give the body from a file, --body @file, or from standard input, --body -"
    })
  }
  return found
})

/** Standard input can be read once. */
const inputsFrom = (given: Given): number =>
  [
    ...Object.values(given.texts).flat(),
    ...Object.values(given.files).flatMap(Option.toArray),
    ...Option.toArray(given.words["body"] ?? Option.none())
  ].filter((_) => _ === "-").length

/** A flag and the one that removes it cannot be given together. */
const contradictions = (slots: ReadonlyArray<Slot>, given: Given): ReadonlyArray<string> =>
  slots.flatMap(({ flag }) => {
    const ways = [
      ...((given.texts[flag] ?? []).length > 0 ? [`--${flag}`] : []),
      ...(Option.isSome(given.files[flag] ?? Option.none()) ? [`--${flag}-file`] : []),
      ...(given.nulls[flag] === true ? [`--no-${flag}`] : [])
    ]
    return ways.length > 1 ? [`${ways.join(" and ")} contradict each other`] : []
  })

/** What a command line asks to be sent. */
export const requestOf = Effect.fnUntraced(function* (operation: Operation, given: Given, command: string) {
  const slots = slotsOf(operation)
  const twice = inputsFrom(given) > 1 ? ["Standard input can be read once: only one flag takes '-'"] : []
  const early = [...wrongIds(operation, given.ids), ...contradictions(slots, given), ...twice]
  if (early.length > 0) return yield* refused(early, command)
  const whole = yield* wholeBody(operation, given)
  const read = yield* Effect.forEach(slots, (slot) => Effect.map(valueOf(slot, given), (value) => ({ slot, value })))
  const values = read.flatMap(({ slot, value }) =>
    Result.isSuccess(value) && Option.isSome(value.success) ? [{ slot, value: value.success.value }] : []
  )
  const placed = (place: Slot["place"], start: Body) =>
    values.filter((_) => _.slot.place === place).reduce((all, _) => withValue(all, _.slot.path, _.value), start)
  const query = placed("query", {})
  const body = placed("body", whole ?? {})
  // With `optional`, a body without fields is one as well.
  const sends = operation.takes !== undefined && (operation.optional !== true || Object.keys(body).length > 0)
  const isWrong = (flag: string) => read.some(({ slot, value }) => Result.isFailure(value) && `--${slot.flag}` === flag)
  const missing = [
    ...missingIn(operation.query, query, []),
    // A body that was given whole is the gateway's to judge.
    ...(whole === undefined && sends ? missingIn(operation.body, body, []) : [])
  ]
  const problems = [
    ...read.flatMap(({ value }) => (Result.isFailure(value) ? [value.failure] : [])),
    ...missing.filter((_) => !isWrong(_)).map((_) => `${_} is required`)
  ]
  if (problems.length > 0) return yield* refused(problems, command)
  return { ids: given.ids, query, body: sends ? body : undefined } satisfies Request
})

const refused = (problems: ReadonlyArray<string>, command: string) =>
  new CliFailure({ exit: "usage", message: problems.join("\n"), hint: `See '${command} --help'` })
