import { entry, type JsonObject, objectAt, stringAt } from "../Json.ts"
import { fixtures } from "../Fixtures.ts"
import { type Answer, type Incoming, json } from "../Wire.ts"
import type { World } from "../World.ts"
import { seedSequence } from "./state.ts"

/** The conventions of proto3 JSON, which Zitadel's REST gateway uses. */
type Fields = JsonObject

const isZero = (value: unknown): boolean =>
  value === undefined || value === "" || value === 0 || value === false || (Array.isArray(value) && value.length === 0)

/** A message without fields at their zero value. */
export const message = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => !isZero(value)))

/** 64-bit numbers are strings, to keep their precision. */
const uint64 = (value: number): string | undefined => (value === 0 ? undefined : String(value))

export const timestamp = (millis: number): string => new Date(millis).toISOString().replace(".000Z", "Z")

/** The next event's sequence. */
export const nextSequence = (world: World): number => {
  world.zitadel.sequence += 1
  return world.zitadel.sequence
}

/** Eighteen digits, like the real generator's, and never an id of the fixtures. */
export const newId = (world: World): string => `2${String(nextSequence(world)).padStart(17, "0")}`

interface Versioned {
  readonly createdAt: number
  readonly changedAt?: number
  readonly sequence: number
}

export const details = ({ createdAt, changedAt = createdAt, sequence }: Versioned): Fields =>
  message({
    sequence: uint64(sequence),
    creationDate: timestamp(createdAt),
    changeDate: timestamp(changedAt),
    resourceOwner: fixtures.idp.orgId
  })

/** Records the event of a write. */
export const touch = ({ now, world }: Incoming, thing: { changedAt: number; sequence: number }): void => {
  thing.changedAt = now
  thing.sequence = nextSequence(world)
}

/** Records the event of a write, and answers with the object's details. */
export const written = (incoming: Incoming, thing: Versioned & { changedAt: number; sequence: number }): Answer => {
  touch(incoming, thing)
  return json(200, { details: details(thing) })
}

/**
 * The lag of searches: they read projections, which follow the events. Zitadel guarantees no bound; about a
 * second is usual.
 */
export const projectionLagMillis = 1000

export const projected =
  (now: number) =>
  ({ createdAt, sequence }: Versioned): boolean =>
    sequence === seedSequence || now - createdAt >= projectionLagMillis

export const itemsAt = (object: JsonObject, key: string): ReadonlyArray<unknown> => {
  const value = object[key]
  return Array.isArray(value) ? value : []
}

const digitsAt = (object: JsonObject, key: string): number => {
  const value = object[key]
  const number = typeof value === "string" ? Number(value) : value
  return typeof number === "number" && Number.isInteger(number) && number > 0 ? number : 0
}

/** One page of a list; `totalResult` counts the whole list. An empty list has neither `result` nor a total. */
export const page = <A>(incoming: Incoming, found: ReadonlyArray<A>, show: (one: A) => Fields): Answer => {
  const query = objectAt(incoming.json, "query")
  const offset = digitsAt(query, "offset")
  const limit = Math.min(digitsAt(query, "limit") || 100, 1000)
  return json(
    200,
    message({
      details: message({ totalResult: uint64(found.length), viewTimestamp: timestamp(incoming.now) }),
      result: found.slice(offset, offset + limit).map(show)
    })
  )
}

const comparisons: Readonly<Record<string, (text: string, part: string) => boolean>> = {
  EQUALS: (text, part) => text === part,
  STARTS_WITH: (text, part) => text.startsWith(part),
  CONTAINS: (text, part) => text.includes(part),
  ENDS_WITH: (text, part) => text.endsWith(part)
}

/** A text query (`{<key>, method}`) as a test; undefined for a method that does not exist. */
export const textQuery = (query: unknown, key: string): ((text: string) => boolean) | undefined => {
  const given = objectAt(query)
  const method = (stringAt(given, "method") ?? "TEXT_QUERY_METHOD_EQUALS").replace("TEXT_QUERY_METHOD_", "")
  const part = stringAt(given, key) ?? ""
  const ignoreCase = method.endsWith("_IGNORE_CASE")
  const name = method.replace("_IGNORE_CASE", "")
  const compare = entry(comparisons, name)
  if (compare === undefined) return undefined
  return (text) => (ignoreCase ? compare(text.toLowerCase(), part.toLowerCase()) : compare(text, part))
}
