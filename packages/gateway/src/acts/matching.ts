import { Predicate } from "effect"
import { type PermissionTier, tierOf } from "@portico/contract/Access"
import { type IaasService, iaasServices } from "@portico/contract/IaasServices"
import { once, word } from "./reading.ts"
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

/** Their router accepts every path with `index` at its end. */
const routedByPecan: ReadonlySet<string> = new Set(["dns", "key-manager", "load-balancer", "network"])

const matching = (service: string, method: string, segments: ReadonlyArray<string>): ReadonlyArray<Act> => {
  const candidates = patterns.get(indexKeyOf(service, word(segments[0])))
  if (candidates === undefined) return []
  const called = segments.map(word)
  if (routedByPecan.has(service) && called.length > 1 && called.at(-1) === "index") called.pop()
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

const loweredKeysIn = once((body) => new Set(keysOf(body).map((_) => _.toLowerCase())))

/** Whether a call's body and query fulfil the conditions of an act. */
export const holds = (act: Act, call: Pick<Called, "query" | "segments">, body: unknown): boolean =>
  (act.inBody === undefined || act.inBody(body, call.segments)) &&
  (act.inQuery === undefined || act.inQuery(call.query))

/** Whether a call is the act. A key is compared without case, because a service might ignore it. */
export const isAct = (act: Act, call: Pick<Called, "query" | "segments">, body: unknown): boolean => {
  const key = act.key?.toLowerCase()
  return (
    (key === undefined || (Predicate.isReadonlyObject(body) && loweredKeysIn(body).has(key))) && holds(act, call, body)
  )
}

/** Whether only the body can tell if the call is the act. */
export const readsBody = (act: Act): boolean => act.key !== undefined || act.inBody !== undefined

/** The name of an act in a failure detail: `POST of servers/forceDelete`, `PUT of ports with device_id`. */
export const nameOf = (method: string, { field, key, path }: Act, known = true): string => {
  const words = path.split("/").filter((_) => !_.startsWith("*") && _ !== "lbaas" && _ !== "v1")
  if (key === undefined) return `${method} of ${words.join("/")}${field === undefined ? "" : ` with ${field}`}`
  return `${method} of ${known ? [...words.slice(0, -1), key].join("/") : words.join("/")}`
}

/**
 * The tier that a call needs by its method and path. Detaching a volume destroys nothing and needs tier 1, though its
 * method is DELETE (contract, Proxy rules). Acts that destroy need tier 2 with other methods.
 */
export const tierNeeded = ({ method, segments, service }: Omit<Called, "query">): PermissionTier => {
  const [kind, , what] = segments
  const detaches =
    service === "compute" && segments.length === 4 && kind === "servers" && what === "os-volume_attachments"
  return method === "DELETE" && detaches ? 1 : tierOf(method)
}

/** The areas that an act is of besides its service's own, each with the tier by which a policy denies the call. */
export const areasOf = (
  { actsOn, decision }: Act,
  call: Omit<Called, "query">
): ReadonlyArray<readonly [area: IaasService, tier: PermissionTier]> => {
  if (actsOn === undefined) return []
  const called = decision === "destroys" ? 2 : tierNeeded(call)
  return iaasServices.flatMap((area) => {
    const tier = actsOn[area]
    return tier === undefined ? [] : [[area, tier === "as called" ? called : tier] as const]
  })
}
