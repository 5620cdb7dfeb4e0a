import { floatingIpPrice, loadBalancerPrice, type Price, serverPrice, volumePrice } from "./prices.ts"
import type { LedgerEvent } from "./state.ts"

/** The amount of a priced unit that a resource uses every second. */
interface Taken {
  readonly price: Price
  readonly quantity: bigint
}

/** The time between two changes of a resource: half-open, in milliseconds. */
export interface Stretch {
  readonly from: number
  readonly to: number
  readonly project_id: string
  readonly taken: ReadonlyArray<Taken>
}

/** A resource as its events describe it. */
export interface Resource {
  readonly project_id: string | null
  readonly isThere: boolean
  readonly isShelved: boolean
  readonly flavor: string | null
  /** The target of a resize; both flavors are billed until the resize is confirmed or reverted. */
  readonly target: string | null
  readonly size: number | null
  readonly type: string | null
}

const nothing: Resource = {
  project_id: null,
  isThere: false,
  isShelved: false,
  flavor: null,
  target: null,
  size: null,
  type: null
}

/**
 * The life of one resource. Its events are sorted by the time when they happened, not by arrival. An event dated
 * before the creation, by another clock, counts at the creation.
 * @param until the end of the last stretch, when no event ends it
 */
export const stretchesOf = (events: ReadonlyArray<LedgerEvent>, until: number): ReadonlyArray<Stretch> => {
  const ordered = inOrder(events)
  let resource = nothing
  return ordered.flatMap(({ at, event }, index) => {
    resource = after(resource, event)
    const to = Math.min(ordered[index + 1]?.at ?? until, until)
    const taken = takenBy(event.resource_type, resource)
    return resource.project_id === null || taken.length === 0 || to <= at
      ? []
      : [{ from: at, to, project_id: resource.project_id, taken }]
  })
}

/** The state of a resource after all of its events. */
export const resourceOf = (events: ReadonlyArray<LedgerEvent>): Resource =>
  inOrder(events).reduce((resource, { event }) => after(resource, event), nothing)

/** Kinds that tell whether a resource is there. */
const tellsPresence = (kind: string): boolean => /^inventory\.|\.(?:create|delete|restore)$/.test(kind)

const changingPrice: ReadonlySet<string> = new Set([
  "server.resize",
  "server.confirm_resize",
  "server.revert_resize",
  "server.shelve",
  "server.shelve_offload",
  "server.unshelve",
  "volume.extend",
  "volume.retype",
  "volume.transfer"
])

/** Whether events of a kind change what a resource costs, or to whom. */
export const changesPrice = (kind: string): boolean => tellsPresence(kind) || changingPrice.has(kind)

/** Whether the events of a resource begin or end it, and do not leave it without a price. */
export const isKnown = (type: string, events: ReadonlyArray<LedgerEvent>): boolean => {
  const resource = resourceOf(events)
  const isFree = resource.isThere && !resource.isShelved && takenBy(type, resource).length === 0
  return events.some((_) => tellsPresence(_.kind)) && !isFree
}

const inOrder = (events: ReadonlyArray<LedgerEvent>) => {
  const made = Math.min(...events.filter((_) => rank(_) === 0).map((_) => _.at))
  return events
    .map((event) => ({ event, at: Number.isFinite(made) ? Math.max(event.at, made) : event.at }))
    .toSorted((a, b) => a.at - b.at || rank(a.event) - rank(b.event) || (a.event.id < b.event.id ? -1 : 1))
}

/** Of events at one time, the creation is first and the deletion last. */
const rank = ({ kind }: LedgerEvent): number => (kind.endsWith(".create") ? 0 : kind.endsWith(".delete") ? 2 : 1)

const after = (was: Resource, event: LedgerEvent): Resource => {
  switch (event.kind) {
    case "server.create":
    case "volume.create":
    case "floating_ip.create":
    case "load_balancer.create":
      return {
        ...nothing,
        project_id: event.project_id,
        isThere: true,
        flavor: event.flavor,
        size: event.size_gb,
        type: event.volume_type
      }
    case "server.delete":
    case "volume.delete":
    case "floating_ip.delete":
    case "load_balancer.delete":
      return { ...was, isThere: false }
    case "server.restore":
      return { ...was, isThere: true }
    // Shelving frees the server's resources at once, as `shelved_offload_time` 0 does.
    case "server.shelve":
    case "server.shelve_offload":
      return { ...was, isShelved: true }
    case "server.unshelve":
      return { ...was, isShelved: false }
    case "server.resize":
      // A second resize is possible only after the first is confirmed or reverted.
      return { ...was, flavor: was.target ?? was.flavor, target: event.flavor }
    case "server.confirm_resize":
      return { ...was, flavor: was.target ?? was.flavor, target: null }
    case "server.revert_resize":
      return { ...was, target: null }
    case "volume.extend":
      return { ...was, size: event.size_gb ?? was.size }
    case "volume.retype":
      return { ...was, type: event.volume_type ?? was.type }
    case "volume.transfer":
      return { ...was, project_id: event.project_id }
    // Written by a reconciliation with the inventory, see inventory.ts.
    case "inventory.absent":
      return { ...was, isThere: false }
    case "inventory.present":
    case "inventory.shelved":
      return {
        project_id: event.project_id,
        isThere: true,
        isShelved: event.kind === "inventory.shelved",
        flavor: event.flavor,
        target: null,
        size: event.size_gb,
        type: event.volume_type
      }
    default:
      return was
  }
}

const takenBy = (resourceType: string, { flavor, isShelved, isThere, size, target, type }: Resource) => {
  if (!isThere) return []
  const one = (price: Price): Taken => ({ price, quantity: 1n })
  switch (resourceType) {
    case "server":
      return isShelved ? [] : [flavor, target].flatMap((_) => (_ === null ? [] : [one(serverPrice(_))]))
    case "volume":
      return size === null || size <= 0 ? [] : [{ price: volumePrice(type), quantity: BigInt(size) }]
    case "floating_ip":
      return [one(floatingIpPrice)]
    case "load_balancer":
      return [one(loadBalancerPrice)]
    default:
      return []
  }
}
