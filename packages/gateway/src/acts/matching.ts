import { Predicate } from "effect"
import { word } from "./reading.ts"
import type { Act, Called } from "./Act.ts"
import { acts } from "./acts.ts"

interface Pattern {
  readonly act: Act
  readonly words: ReadonlyArray<string>
  /** Whether anything may follow. */
  readonly open: boolean
}

const patternOf = (act: Act): Pattern => {
  const words = act.path.split("/").map((_) => (_.startsWith("*") ? _ : word(_)))
  const open = words.at(-1) === "**"
  return { act, words: open ? words.slice(0, -1) : words, open }
}

const placeOf = (service: string, first: string | undefined): string =>
  service === "kubernetes" ? service : `${service}/${first}`

/** By service and first word, because every call passes here; those of the cluster are few. */
const patterns = Map.groupBy(acts.map(patternOf), ({ act, words }) => placeOf(act.service, words[0]))

/** The acts that a call may come to by its method and path, in whatever spelling a service would take for the table's. */
export const actsAt = ({ method, segments, service }: Omit<Called, "query">): ReadonlyArray<Act> => {
  const found = at(service, method, segments)
  if (service !== "network") return found
  // A collection of Neutron also answers behind the path prefix of any extension.
  return [...found, ...at(service, method, segments.slice(1))]
}

const at = (service: string, method: string, segments: ReadonlyArray<string>): ReadonlyArray<Act> => {
  const near = patterns.get(placeOf(service, word(segments[0])))
  if (near === undefined) return []
  const spoken = segments.map(word)
  // Neutron answers to every path with this at its end.
  if (service === "network" && spoken.length > 1 && spoken.at(-1) === "index") spoken.pop()
  return near
    .filter(
      ({ act, open, words }) =>
        act.methods.some((_) => _ === method) &&
        (open ? spoken.length >= words.length : spoken.length === words.length) &&
        words.every((word, i) => word === "*" || word === spoken[i])
    )
    .map(({ act }) => act)
}

/** The keys of a body that names its act by one; a service refuses more than one, and anything but an object. */
export const keysOf = (body: unknown): ReadonlyArray<string> =>
  Predicate.isReadonlyObject(body) && !Array.isArray(body) ? Object.keys(body) : []

/** Whether the parts of a call that an act depends on make it one. */
export const holds = (act: Act, call: Pick<Called, "query" | "segments">, body: unknown): boolean =>
  (act.inBody === undefined || act.inBody(body, call.segments)) &&
  (act.inQuery === undefined || act.inQuery(call.query))

/** Whether the body has to be read to tell. */
export const readsBody = (act: Act): boolean => act.key !== undefined || act.inBody !== undefined

/** An act as a refusal names it: `POST of servers/forceDelete`, `PUT of pools/members`. */
export const nameOf = (method: string, { key, path }: Act, known = true): string => {
  const words = path.split("/").filter((_) => !_.startsWith("*") && _ !== "lbaas" && _ !== "v1")
  if (key === undefined) return `${method} of ${words.join("/")}`
  return `${method} of ${known ? [...words.slice(0, -1), key].join("/") : words.join("/")}`
}
