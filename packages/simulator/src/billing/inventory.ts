import { booleanAt, numberAt, objectAt, stringAt, stringsAt } from "../Json.ts"
import { type Handler, json } from "../Wire.ts"
import { serverPrice } from "./prices.ts"
import { refuse, scoped } from "./request.ts"
import type { BillingState, LedgerEvent } from "./state.ts"
import { changesPrice, isKnown, type Resource, resourceOf } from "./timeline.ts"

/**
 * The event of a change this recent may still be on its way, and the inventory may not include the change yet. Events
 * that change no price are no such changes: a tenant can make one at any time, and would put off the comparison.
 */
const margin = 600_000

interface Present {
  readonly resource_id: string
  readonly project_id: string
  readonly created_at: number
  readonly busy: boolean
  readonly shelved: boolean
  readonly flavor: string | null
  readonly size_gb: number | null
  readonly volume_type: string | null
}

const types: ReadonlyArray<string> = ["server", "volume", "floating_ip", "load_balancer"]

/**
 * Reconciles the ledger with the inventory of one type in the whole cloud: a resource that the inventory lacks
 * ends, a resource that differs takes the inventory's values from now on, and a resource of a known project that
 * the ledger lacks, or has no price for, begins, although it is busy: a tenant
 * can keep one busy for ever. Past usage does not change.
 */
export const takeInventory: Handler = scoped(({ json: body, world }, scope) => {
  const given = objectAt(body)
  const [at, type] = [Date.parse(stringAt(given, "at") ?? ""), stringAt(given, "resource_type") ?? ""]
  const [projects, listed] = [stringsAt(given, "projects"), given["resources"]]
  if (scope !== "all") return refuse(400, "filter_required", "An inventory is everybody's: send scope=all")
  if (Number.isNaN(at) || !types.includes(type) || projects === undefined || !Array.isArray(listed)) {
    return refuse(422, "invalid_inventory", "An inventory has at, resource_type, projects and resources")
  }
  const resources = listed.map(presentOf)
  const broken = resources.indexOf(undefined)
  if (broken >= 0) return refuse(422, "invalid_inventory", `resources[${broken}] is not one`)
  const present = new Map(resources.flatMap((_) => (_ === undefined ? [] : [[_.resource_id, _] as const])))
  const events = compared(world.billing, { at, type, projects: new Set(projects), present })
  for (const event of events) world.billing.events[event.id] = event
  return json(200, { changed: events.length })
})

const presentOf = (given: unknown): Present | undefined => {
  const resource = objectAt(given)
  const [resource_id, project_id] = [stringAt(resource, "resource_id"), stringAt(resource, "project_id")]
  const created_at = Date.parse(stringAt(resource, "created_at") ?? "")
  if (resource_id === undefined || project_id === undefined || Number.isNaN(created_at)) return undefined
  return {
    resource_id,
    project_id,
    created_at,
    busy: booleanAt(resource, "busy") ?? false,
    shelved: booleanAt(resource, "shelved") ?? false,
    flavor: stringAt(resource, "flavor") ?? null,
    size_gb: numberAt(resource, "size_gb") ?? null,
    volume_type: stringAt(resource, "volume_type") ?? null
  }
}

interface Seen {
  readonly at: number
  readonly type: string
  readonly projects: ReadonlySet<string>
  readonly present: ReadonlyMap<string, Present>
}

const compared = ({ events }: BillingState, seen: Seen): ReadonlyArray<LedgerEvent> => {
  const { at, present, projects, type } = seen
  const known = Map.groupBy(
    Object.values(events).filter((_) => _.resource_type === type),
    (_) => _.resource_id
  )
  return [...new Set([...known.keys(), ...present.keys()])].flatMap((id) => {
    const events = known.get(id) ?? []
    const believed = resourceOf(events)
    const found = present.get(id)
    const begins = found !== undefined && !isKnown(type, events)
    if (!begins && events.some((_) => changesPrice(_.kind) && _.at > at - margin)) return []
    if (found === undefined) return believed.isThere ? [observed(seen, id, "inventory.absent", believed)] : []
    if (found.created_at > at - margin || isAs(believed, found)) return []
    if (begins ? !projects.has(found.project_id) : found.busy) return []
    return [observed(seen, id, found.shelved ? "inventory.shelved" : "inventory.present", found)]
  })
}

const isAs = (believed: Resource, found: Present): boolean =>
  believed.isThere &&
  believed.project_id === found.project_id &&
  believed.isShelved === found.shelved &&
  believed.target === null &&
  keyOf(believed.flavor) === keyOf(found.flavor) &&
  believed.size === found.size_gb &&
  (found.volume_type === null || believed.type === found.volume_type)

/** A flavor has an id and a name. */
const keyOf = (flavor: string | null): string => (flavor === null ? "" : serverPrice(flavor).key)

const observed = (
  { at, type }: Seen,
  id: string,
  kind: string,
  as: { readonly project_id: string | null; readonly flavor: string | null } & (
    | Present
    | Pick<Resource, "size" | "type">
  )
): LedgerEvent => ({
  id: `${kind} ${type} ${id} ${at}`,
  kind,
  at,
  project_id: as.project_id,
  resource_type: type,
  resource_id: id,
  flavor: as.flavor,
  size_gb: "size_gb" in as ? as.size_gb : as.size,
  volume_type: "volume_type" in as ? as.volume_type : as.type
})
