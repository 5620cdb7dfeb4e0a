import { Predicate } from "effect"
import { textAt } from "./stage.ts"

/** Something at the platform, by its kind, such as `neutron.networks`, and what a person knows it by. */
export interface Thing {
  readonly kind: string
  readonly name: string
}

const names = ["name", "userName", "uid", "access_key", "accessKey", "key", "id"]

const nameOf = (thing: unknown): string => names.map((_) => textAt(thing, _)).find((_) => _ !== "") ?? "without a name"

/** Everything in the cloud that names one of these projects or users: what belongs to it goes with it. */
export const belongingsOf = (state: unknown, ids: ReadonlyArray<string>): ReadonlyArray<Thing> => {
  if (!Predicate.isReadonlyObject(state)) return []
  return Object.entries(state).flatMap(([kind, things]) =>
    (Array.isArray(things) ? things : [])
      .filter((thing) => ids.some((_) => JSON.stringify(thing).includes(_)))
      .map((thing) => ({ kind, name: nameOf(thing) }))
  )
}

/** One line a kind. */
export const inLines = (things: ReadonlyArray<Thing>): ReadonlyArray<string> =>
  [...Map.groupBy(things, (_) => _.kind)].map(([kind, those]) => {
    const all = [...new Set(those.map((_) => _.name))]
    const more = all.length > 4 ? `, and ${all.length - 4} more` : ""
    return `${kind.padEnd(28)} ${String(those.length).padStart(3)}  ${all.slice(0, 4).join(", ")}${more}`
  })
