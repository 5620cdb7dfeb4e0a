import { nameServers, type Recordset, workMillis, type Zone } from "../designate/state.ts"
import type { World } from "../World.ts"
import { isIn, nameOf, type RecordSet } from "./state.ts"

/** A resolver's answer. Without an error and without data of the type, only the name exists. */
export interface Resolved {
  readonly rcode: "NOERROR" | "NXDOMAIN" | "SERVFAIL"
  /** The CNAMEs that were followed, and the data at their end. */
  readonly sets: ReadonlyArray<RecordSet>
}

/** The maximum length of a CNAME chain. */
const mostAliases = 8

/**
 * Resolves a name as a resolver on the internet does. It queries the simulated Designate only below a delegation
 * to its servers: a Designate zone without a delegation is not visible.
 */
export const resolve = (world: World, name: string, type: string, now: number): Resolved => {
  const sets: Array<RecordSet> = []
  let asked = nameOf(name)
  for (let aliases = 0; aliases <= mostAliases; aliases++) {
    const found = answerOf(world, asked, type, now)
    if (found === "lame") return { rcode: "SERVFAIL", sets: [] }
    if (found === "nothing") return { rcode: sets.length === 0 ? "NXDOMAIN" : "NOERROR", sets }
    sets.push(...found.filter((_) => _.data.length > 0))
    const alias = found.find((_) => _.type === "CNAME")?.data[0]
    if (alias === undefined || type === "CNAME") return { rcode: "NOERROR", sets }
    asked = nameOf(alias)
  }
  return { rcode: "SERVFAIL", sets: [] }
}

/** `lame`: the delegated servers do not have the zone. */
type Found = ReadonlyArray<RecordSet> | "nothing" | "lame"

const answerOf = (world: World, name: string, type: string, now: number): Found => {
  const elsewhere = Object.values(world.dns.records)
  const cut = deepest(
    elsewhere.filter((_) => _.type === "NS" && isIn(name, _.name)),
    (_) => _.name
  )
  if (cut === undefined || !cut.data.some(isOurs)) return among(elsewhere, name, type)
  // Of mixed servers any may answer; the other servers know only themselves.
  if (type === "NS" && name === cut.name && !cut.data.every(isOurs)) return [cut]
  const zone = deepest(
    served(Object.values(world.designate.zones), now).filter(
      (_) => (_.deleted_from ?? Infinity) > now && isIn(name, nameOf(_.name)) && isIn(nameOf(_.name), cut.name)
    ),
    (_) => _.name
  )
  return zone === undefined ? "lame" : within(world, zone, name, type, now)
}

const isOurs = (server: string): boolean => nameServers.some((_) => _ === nameOf(server))

const deepest = <A>(all: ReadonlyArray<A>, name: (one: A) => string): A | undefined =>
  all.toSorted((a, b) => name(b).length - name(a).length)[0]

/** The records that the name servers have by now. */
const served = <A extends { readonly created_at: number }>(all: ReadonlyArray<A>, now: number): ReadonlyArray<A> =>
  all.filter((_) => _.created_at + workMillis <= now)

/** The answer of a zone's servers; below one of its delegations, of the delegated servers. */
const within = (world: World, zone: Zone, name: string, type: string, now: number): Found => {
  const apex = nameOf(zone.name)
  const sets = served(Object.values(world.designate.recordsets), now)
    .filter((_) => _.zone_id === zone.id)
    .map((_) => setOf(_, zone))
  const cut = sets.find((_) => _.type === "NS" && _.name !== apex && isIn(name, _.name))
  if (cut === undefined) return among(sets, name, type)
  return cut.name === name && type === "NS" ? [cut] : among(Object.values(world.dns.records), name, type)
}

const setOf = ({ name, records, ttl, type }: Recordset, zone: Zone): RecordSet => ({
  name: nameOf(name),
  type,
  ttl: ttl ?? zone.ttl,
  data: records
})

/** RFC 1034, section 4.3.2: the set, a CNAME, only other types, or nothing; wildcards as in RFC 4592. */
const among = (sets: ReadonlyArray<RecordSet>, name: string, type: string): Found => {
  const at = (owner: string, shown: string): ReadonlyArray<RecordSet> | undefined => {
    const here = sets.filter((_) => _.name === owner && _.data.length > 0)
    if (here.length === 0) return undefined
    const wanted = here.filter((_) => _.type === type || _.type === "CNAME")
    return wanted.map((_) => ({ ..._, name: shown }))
  }
  const exists = (owner: string) => sets.some((_) => _.data.length > 0 && isIn(_.name, owner))
  if (exists(name)) return at(name, name) ?? []
  const labels = name.split(".")
  const encloser = labels.map((_, i) => labels.slice(i).join(".")).find((_) => _ !== "" && exists(_))
  return (encloser === undefined ? undefined : at(`*.${encloser}`, name)) ?? "nothing"
}
