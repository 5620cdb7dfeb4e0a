import { Effect, Predicate, Result } from "effect"
import { parse } from "effect/encoding/Toml"
import { isDeepStrictEqual } from "node:util"
import { CliFailure } from "../CliFailure.ts"
import type { Change } from "../setup/files.ts"
import { unreadable } from "../setup/Target.ts"
import type { Fields } from "./clients.ts"
import type { EntryPath } from "./jsonEntries.ts"

// Only what stands in tables of its own is edited, by lines, and the result is read again: whatever else a file has is
// the same then as before.

const valueOf = (text: string): Fields | undefined => Result.getOrUndefined(parse(text))

/** The entry of that name; undefined when there is none. */
export const readToml = Effect.fnUntraced(function* ({ before = "", path }: Change, { key, name }: EntryPath) {
  const parsed = parse(before)
  if (Result.isFailure(parsed)) return yield* unreadable(path, parsed.failure.message)
  const servers = parsed.success[key] ?? {}
  if (!Predicate.isObject(servers)) return yield* unreadable(path, `'${key}' is not a table`)
  return Object.hasOwn(servers, name) ? { value: servers[name] } : undefined
})

/** The escapes of a basic string are those of JSON, but for DEL. */
const text = (value: string): string => JSON.stringify(value).replaceAll("\u007F", "\\u007F")

const keyOf = (name: string): string => (/^[\w-]+$/.test(name) ? name : text(name))

const literal = (value: unknown): string =>
  Array.isArray(value) ? `[${value.map(literal).join(", ")}]` : text(String(value))

const rendered = ({ key, name }: EntryPath, fields: Fields): string => {
  const plain = Object.entries(fields).filter(([, value]) => !Predicate.isObject(value))
  const tables = Object.entries(fields).flatMap(([field, value]) =>
    Predicate.isObject(value) ? [[field, value] as const] : []
  )
  const lines = (entries: ReadonlyArray<readonly [string, unknown]>) =>
    entries.map(([field, value]) => `${keyOf(field)} = ${literal(value)}\n`).join("")
  const header = `${key}.${keyOf(name)}`
  return (
    `[${header}]\n${lines(plain)}` +
    tables.map(([field, value]) => `\n[${header}.${keyOf(field)}]\n${lines(Object.entries(value))}`).join("")
  )
}

/** The name of the table that a line begins. */
const headerIn = (line: string): ReadonlyArray<string> | undefined => {
  const [, header] = /^\s*\[\[?([^[\]]+)\]\]?\s*(?:#.*)?$/.exec(line) ?? []
  return header?.split(".").map((_) => _.trim().replace(/^(["'])(.*)\1$/, "$2"))
}

/** The lines of the file without the tables of the entry, and the line on which the first of them stood. */
const cut = (before: string, { key, name }: EntryPath) => {
  const kept: Array<string> = []
  let at: number | undefined
  let isOurs = false
  for (const line of before.split(/(?<=\n)/)) {
    const header = headerIn(line)
    if (header !== undefined) isOurs = header[0] === key && header[1] === name
    if (isOurs) at ??= kept.length
    else kept.push(line)
  }
  return { kept, at }
}

/** All but the entry. */
const others = (source: string, { key, name }: EntryPath): unknown => {
  const value = valueOf(source)
  const servers = value?.[key]
  const rest = Object.entries(Predicate.isObject(servers) ? servers : {}).filter(([_]) => _ !== name)
  return JSON.parse(JSON.stringify({ ...value, [key]: Object.fromEntries(rest) }))
}

const checked = Effect.fnUntraced(function* (change: Change, place: EntryPath, wanted: Fields | undefined) {
  const after = valueOf(change.after ?? "")
  const servers = after?.[place.key]
  const entry: unknown = Predicate.isObject(servers) ? servers[place.name] : undefined
  const isThere = wanted === undefined ? entry === undefined : isDeepStrictEqual(plain(entry), plain(wanted))
  if (
    after !== undefined &&
    isThere &&
    isDeepStrictEqual(others(change.before ?? "", place), others(change.after ?? "", place))
  ) {
    return change
  }
  return yield* new CliFailure({
    exit: "refused",
    message: `${change.path} has '${place.key}' in a form that is not edited here, and was left alone`,
    hint: "'portico agents connect json' prints the entry, to be put there by hand"
  })
})

const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)))

/** The file with the entry in tables of its own. */
export const withToml = Effect.fnUntraced(function* (change: Change, place: EntryPath, found: unknown, fields: Fields) {
  const { before = "" } = change
  if (Predicate.isObject(found) && isDeepStrictEqual(plain(found), plain(fields))) return change
  const { at, kept } = cut(before, place)
  const entry = rendered(place, fields)
  if (at === undefined) {
    const head = before === "" || before.endsWith("\n") ? before : `${before}\n`
    const after = head.trim() === "" ? `${head}${entry}` : `${head}\n${entry}`
    return yield* checked({ ...change, after }, place, fields)
  }
  const [head, tail] = [kept.slice(0, at).join(""), kept.slice(at).join("")]
  return yield* checked({ ...change, after: `${head}${entry}${tail === "" ? "" : `\n${tail}`}` }, place, fields)
})

/** The file without the entry. One that had nothing else goes. */
export const withoutToml = Effect.fnUntraced(function* (change: Change, place: EntryPath) {
  const left = cut(change.before ?? "", place).kept.join("")
  const after = yield* checked({ ...change, after: left.replace(/\n\n+$/, "\n") }, place, undefined)
  return { ...after, after: left.trim() === "" ? undefined : after.after } satisfies Change
})
