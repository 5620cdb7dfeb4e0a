import { SimulatedCloud, type State } from "@portico/simulator/SimulatedCloud"
import { makeWorld } from "@portico/simulator/World"
import { Effect, Predicate } from "effect"
import { isDeepStrictEqual } from "node:util"

/** What a cloud holds before its first tenant. */
const untouched: State = Effect.runSync(SimulatedCloud.make(makeWorld()).state)

/** The same, with the company's own upstreams, which start empty. */
export const untouchedLike = (state: State): State => ({
  ...Object.fromEntries(Object.keys(state).map((_) => [_, []])),
  ...untouched
})

/** A resource by its kind, such as `neutron.networks`, and by what a person knows it by. */
export interface Resource {
  readonly kind: string
  readonly name: string
}

/** How two states of one cloud differ. */
export interface Difference {
  /** What only the later state holds. A resource that was changed is among both. */
  readonly added: ReadonlyArray<Resource>
  readonly removed: ReadonlyArray<Resource>
}

export const differenceOf = (before: State, after: State): Difference => {
  const kinds = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const only = (these: State, those: State): ReadonlyArray<Resource> =>
    kinds.flatMap((kind) => without(these[kind] ?? [], those[kind] ?? []).map((_) => ({ kind, name: nameOf(_) })))
  return { added: only(after, before), removed: only(before, after) }
}

const without = (these: ReadonlyArray<unknown>, those: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const others = [...those]
  return these.filter((thing) => {
    const at = others.findIndex((_) => isDeepStrictEqual(_, thing))
    if (at >= 0) others.splice(at, 1)
    return at < 0
  })
}

/** What exists beside what a cloud holds before its first tenant, and what is missing of that. */
export const leftIn = (state: State): Difference => differenceOf(untouchedLike(state), state)

/** Where the systems of the cloud keep what a person calls a resource by. The first that is there counts. */
const names = ["name", "userName", "loginName", "key", "email", "uid", "host", "slug", "title", "id"]

const nameOf = (thing: unknown): string => {
  if (!Predicate.isReadonlyObject(thing)) return String(thing)
  const { metadata } = thing
  const places: Readonly<Record<PropertyKey, unknown>> = Predicate.isReadonlyObject(metadata) ? metadata : thing
  const found = names.map((_) => places[_]).find((_) => typeof _ === "string" && _ !== "")
  if (typeof found === "string") return found
  const text = JSON.stringify(thing)
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}

/** A resource in words, the same in every report. */
export const inWords = ({ kind, name }: Resource): string => `${kind} ${name}`
