import { Predicate } from "effect"
import { word } from "./reading.ts"
import type { Act, Called } from "./Act.ts"
import { acts } from "./acts.ts"

interface Pattern {
  readonly act: Act
  readonly words: ReadonlyArray<string>
  /** Whether any further segments may follow. */
  readonly open: boolean
}

const patternOf = (act: Act): Pattern => {
  const words = act.path.split("/").map((_) => (_.startsWith("*") ? _ : word(_)))
  const open = words.at(-1) === "**"
  return { act, words: open ? words.slice(0, -1) : words, open }
}

const indexKeyOf = (service: string, first: string | undefined): string =>
  service === "kubernetes" ? service : `${service}/${first}`

/**
 * Indexed by service and first word, because every call passes here. The cluster has few acts and needs no first
 * word.
 */
const patterns = Map.groupBy(acts.map(patternOf), ({ act, words }) => indexKeyOf(act.service, words[0]))

/** The acts that match a call's method and path, in any spelling that a service could accept for the table's path. */
export const actsAt = ({ method, segments, service }: Omit<Called, "query">): ReadonlyArray<Act> => {
  const found = matching(service, method, segments)
  if (service !== "network") return found
  // Neutron also serves a collection behind the path prefix of any extension.
  return [...found, ...matching(service, method, segments.slice(1))]
}

const matching = (service: string, method: string, segments: ReadonlyArray<string>): ReadonlyArray<Act> => {
  const candidates = patterns.get(indexKeyOf(service, word(segments[0])))
  if (candidates === undefined) return []
  const called = segments.map(word)
  // Neutron accepts every path with `index` at its end.
  if (service === "network" && called.length > 1 && called.at(-1) === "index") called.pop()
  return candidates
    .filter(
      ({ act, open, words }) =>
        act.methods.some((_) => _ === method) &&
        (open ? called.length >= words.length : called.length === words.length) &&
        words.every((word, i) => word === "*" || word === called[i])
    )
    .map(({ act }) => act)
}

/**
 * The keys of a body that names its act by one key. The service itself rejects several keys, and anything but an
 * object.
 */
export const keysOf = (body: unknown): ReadonlyArray<string> =>
  Predicate.isReadonlyObject(body) ? Object.keys(body) : []

/** Whether a call's body and query fulfil the conditions of an act. */
export const holds = (act: Act, call: Pick<Called, "query" | "segments">, body: unknown): boolean =>
  (act.inBody === undefined || act.inBody(body, call.segments)) &&
  (act.inQuery === undefined || act.inQuery(call.query))

/** Whether only the body can tell if the call is the act. */
export const readsBody = (act: Act): boolean => act.key !== undefined || act.inBody !== undefined

/** The name of an act in a failure detail: `POST of servers/forceDelete`, `PUT of pools/members`. */
export const nameOf = (method: string, { key, path }: Act, known = true): string => {
  const words = path.split("/").filter((_) => !_.startsWith("*") && _ !== "lbaas" && _ !== "v1")
  if (key === undefined) return `${method} of ${words.join("/")}`
  return `${method} of ${known ? [...words.slice(0, -1), key].join("/") : words.join("/")}`
}
