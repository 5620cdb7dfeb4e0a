import { floatingIpPrice, loadBalancerPrice, type Price, serverPrice, volumePrice } from "./prices.ts"
import type { LedgerEvent } from "./state.ts"

/** What a resource takes of something that has a price, every second. */
interface Taken {
  readonly price: Price
  readonly quantity: bigint
}

/** From one change of a resource to the next: half-open, in milliseconds. */
export interface Stretch {
  readonly from: number
  readonly to: number
  readonly project_id: string
  readonly taken: ReadonlyArray<Taken>
}

/** A resource as its events tell of it. */
export interface Resource {
  readonly project_id: string | null
  readonly isThere: boolean
  readonly isShelved: boolean
  readonly flavor: string | null
  /** What a resize moves it to; both count until one of them is given up. */
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
 * The life of one resource, whatever the order in which its events have
 * arrived: they are put in the order in which they happened. Nothing happens to
 * a resource before it was made, so that an event that is dated earlier, by
 * another clock, counts at that moment.
 *
 * @param until when the last stretch ends, if nothing else ends it
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

/** What a resource is after all of its events. */
export const resourceOf = (events: ReadonlyArray<LedgerEvent>): Resource =>
  inOrder(events).reduce((resource, { event }) => after(resource, event), nothing)

const inOrder = (events: ReadonlyArray<LedgerEvent>) => {
  const made = Math.min(...events.filter((_) => rank(_) === 0).map((_) => _.at))
  return events
    .map((event) => ({ event, at: Number.isFinite(made) ? Math.max(event.at, made) : event.at }))
    .toSorted((a, b) => a.at - b.at || rank(a.event) - rank(b.event) || (a.event.id < b.event.id ? -1 : 1))
}

/** At one moment it is made first, and ends last. */
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
    // The stock platform lets go of what a shelved server held at once.
    case "server.shelve":
    case "server.shelve_offload":
      return { ...was, isShelved: true }
    case "server.unshelve":
      return { ...was, isShelved: false }
    case "server.resize":
      // It can be resized again only when the resize before is settled.
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
    // What the platform says of it, see inventory.ts.
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
