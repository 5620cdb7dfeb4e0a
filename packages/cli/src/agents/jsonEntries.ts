import { Effect, Predicate } from "effect"
import { parse, type ParseError, printParseErrorCode } from "jsonc-parser"
import type { Change } from "../setup/files.ts"
import { unreadable } from "../setup/Target.ts"
import type { Fields } from "./clients.ts"
import { withField, withoutField } from "./jsonText.ts"

/** Where an entry stands: `{"mcpServers": {"portico": …}}`. */
export interface EntryPath {
  readonly key: string
  readonly name: string
}

const positionOf = (text: string, offset: number) => {
  const before = text.slice(0, offset).split("\n")
  return `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`
}

const textOf = ({ before }: Change): string => ((before ?? "").trim() === "" ? "{}\n" : (before ?? ""))

/** The entry of that name; undefined when there is none. A file that its client could not read is an error. */
export const readJson = Effect.fnUntraced(function* (change: Change, { key, name }: EntryPath, comments: boolean) {
  const text = textOf(change)
  const errors: Array<ParseError> = []
  const value: unknown = parse(text, errors, { disallowComments: !comments, allowTrailingComma: comments })
  const [error] = errors
  if (error !== undefined) {
    return yield* unreadable(change.path, `${positionOf(text, error.offset)}: ${printParseErrorCode(error.error)}`)
  }
  if (!Predicate.isObject(value)) return yield* unreadable(change.path, "its top is not an object")
  const servers = value[key] ?? {}
  if (!Predicate.isObject(servers)) return yield* unreadable(change.path, `'${key}' is not an object`)
  return Object.hasOwn(servers, name) ? { value: servers[name] } : undefined
})

/** Every field that an entry of ours may have: what a person put beside them stays. */
const managed = ["type", "command", "args", "env", "url", "httpUrl", "serverUrl", "headers"]

/** The file with the entry in it. Everything else stays letter by letter. */
export const withJson = (change: Change, { key, name }: EntryPath, found: unknown, fields: Fields): Change => {
  const text = textOf(change)
  if (!Predicate.isObject(found)) {
    const value: unknown = parse(text)
    const hasKey = Predicate.isObject(value) && Predicate.isObject(value[key])
    const after = hasKey ? withField(text, [key], name, fields) : withField(text, [], key, { [name]: fields })
    return { ...change, after }
  }
  const entry = [key, name]
  const old = managed.filter((_) => Object.hasOwn(found, _) && !Object.hasOwn(fields, _))
  const news = Object.entries(fields).filter(([_, value]) => JSON.stringify(found[_]) !== JSON.stringify(value))
  const cut = old.reduce((text, _) => withoutField(text, entry, _), text)
  return { ...change, after: news.reduce((text, [field, value]) => withField(text, entry, field, value), cut) }
}

/** The file without the entry. One that had nothing else goes. */
export const withoutJson = (change: Change, { key, name }: EntryPath): Change => {
  const after = withoutField(textOf(change), [key], name)
  const left: unknown = parse(after)
  const isEmpty = Predicate.isObject(left) && Object.keys(left).length === 1 && JSON.stringify(left[key]) === "{}"
  return { ...change, after: isEmpty && !/\/[/*]/.test(after) ? undefined : after }
}
