import { Clock, Effect, Option, Predicate, Result, Stream } from "effect"
import { createHash } from "node:crypto"
import { join } from "node:path"
import { kebabCase } from "@portico/client/catalogue/names"
import { byFlag, Profile, Url } from "../globalFlags.ts"
import type { Portico } from "../Portico.ts"
import { Session } from "../Session.ts"
import { cacheDirectory } from "../session/directories.ts"
import { readPrivate, writePrivate } from "../session/files.ts"
import type { List } from "./lists.ts"

/** A word that fits, and what a person reads beside it. */
export interface Candidate {
  readonly value: string
  readonly description?: string | undefined
}

/** What the command line has before the word. */
export interface Given {
  /** Arguments by the words that the help has for them. */
  readonly args: ReadonlyMap<string, string>
  /** Flags by their long names. */
  readonly flags: ReadonlyMap<string, string>
}

type Row = Readonly<Record<string, unknown>>

const most = 200
const freshMillis = 5_000

const textIn = (row: Row, fields: ReadonlyArray<string>): string | undefined =>
  fields
    .map((_) => row[_])
    .find((_) => typeof _ === "string" && _ !== "")
    ?.toString()

const candidateOf =
  (field: string) =>
  (row: Row): Candidate | undefined => {
    const value = textIn(row, [field, "id", "name"])
    if (value === undefined) return undefined
    const description = textIn(row, ["name", "label", "slug", "url", "status"])
    return { value, ...(description === value ? {} : { description }) }
  }

/** What the path of the list needs, and what a row must have: both are known from the arguments before. */
const inputOf = ({ operation }: List, { args }: Given): Readonly<Record<string, string>> =>
  Object.fromEntries(
    operation.parameters.flatMap(({ name }) => {
      const value = args.get(kebabCase(name))
      return value === undefined ? [] : [[name, value]]
    })
  )

const fits =
  ({ args }: Given) =>
  (row: Row): boolean =>
    [...args].every(([word, value]) => [undefined, value].includes(textIn(row, [word.replaceAll("-", "_")])))

const asked = (portico: Portico, list: List, given: Given) =>
  portico.rows(list.operation.id, inputOf(list, given)).pipe(
    Stream.take(most),
    Stream.runCollect,
    Effect.map((rows) =>
      rows
        .filter(Predicate.isObject)
        .filter(fits(given))
        .map(candidateOf(list.field))
        .filter((_) => _ !== undefined)
    )
  )

interface Kept {
  readonly at: number
  readonly candidates: ReadonlyArray<Candidate>
}

const keptIn = (text: string): Kept | undefined => {
  const parsed = Result.try((): Kept => JSON.parse(text))
  return Result.isSuccess(parsed) ? parsed.success : undefined
}

/** A person presses Tab several times for one word. Each caller has a file of its own, which he alone can read. */
const cached = Effect.fnUntraced(function* (key: string, ask: Effect.Effect<ReadonlyArray<Candidate>, unknown>) {
  const file = join(yield* cacheDirectory, "completions", `${createHash("sha256").update(key).digest("hex")}.json`)
  const now = yield* Clock.currentTimeMillis
  const found = yield* Effect.option(readPrivate(file))
  const kept = Option.isSome(found) && found.value !== undefined ? keptIn(found.value.text) : undefined
  if (kept !== undefined && Math.abs(now - kept.at) < freshMillis) return kept.candidates
  const candidates = yield* ask
  yield* Effect.ignore(writePrivate(file, JSON.stringify({ at: now, candidates } satisfies Kept)))
  return candidates
})

const fetched = Effect.fnUntraced(function* (list: List, given: Given) {
  const { connect, token } = yield* Session
  const portico = yield* connect
  const key = JSON.stringify([portico.url, yield* token, list.operation.id, [...given.args]])
  return yield* cached(key, asked(portico, list, given))
})

/** The names of what the caller has. Nothing when the gateway takes long, refuses, or cannot be reached. */
export const liveValues = Effect.fnUntraced(function* (list: List, given: Given) {
  const url = given.flags.get("url")
  const profile = given.flags.get("profile")
  return yield* fetched(list, given).pipe(
    // Of its own: the session of the command line is that of another address.
    Effect.provide(Session.layer, { local: true }),
    Effect.provideService(Url, url === undefined ? yield* Url : Option.some(byFlag(url))),
    Effect.provideService(Profile, profile === undefined ? yield* Profile : Option.some(byFlag(profile))),
    Effect.timeout("1 second"),
    Effect.catchCause(() => Effect.succeed<ReadonlyArray<Candidate>>([]))
  )
})
