import type { LedgerEvent } from "@portico/simulator/billing/state"

/**
 * What a project used in a span, by price: for every second that begins in it,
 * every resource is asked what it is at that moment. It is slow, and knows
 * nothing of stretches, sums or products.
 */
export const countedSecondBySecond = (
  events: ReadonlyArray<LedgerEvent>,
  project: string,
  span: { readonly start: number; readonly end: number },
  now: number
): Record<string, number> => {
  const counted: Record<string, number> = {}
  const resources = [...new Set(events.map((_) => `${_.resource_type}/${_.resource_id}`))]
  for (let moment = 0; moment < span.end && moment < now; moment += 1000) {
    if (moment < span.start) continue
    for (const resource of resources) {
      const own = events.filter((_) => `${_.resource_type}/${_.resource_id}` === resource)
      for (const price of costing(own, project, moment)) counted[price] = (counted[price] ?? 0) + 1
    }
  }
  return counted
}

/** One entry for each unit that the resource takes at that moment, when it is the project's. */
const costing = (events: ReadonlyArray<LedgerEvent>, project: string, moment: number): ReadonlyArray<string> => {
  const creates = events.filter((_) => _.kind.endsWith(".create")).map((_) => _.at)
  const first = creates.length === 0 ? 0 : Math.min(...creates)
  const when = (_: LedgerEvent) => (_.at < first ? first : _.at)
  const step = (_: LedgerEvent) => (_.kind.endsWith(".create") ? "a" : _.kind.endsWith(".delete") ? "c" : "b")
  const past = events
    .filter((_) => when(_) <= moment)
    .toSorted((a, b) => when(a) - when(b) || step(a).localeCompare(step(b)) || (a.id < b.id ? -1 : 1))

  let owner: string | null = null
  let alive = false
  let shelved = false
  let flavors: Array<string | null> = []
  let size: number | null = null
  let type: string | null = null
  for (const { flavor, kind, project_id, size_gb, volume_type } of past) {
    const what = kind.split(".")[1]
    if (what === "create") {
      owner = project_id
      alive = true
      shelved = false
      flavors = [flavor]
      size = size_gb
      type = volume_type
    }
    if (what === "delete") alive = false
    if (what === "restore") alive = true
    if (what === "shelve") shelved = true
    if (what === "unshelve") shelved = false
    if (what === "resize") flavors = [flavors[1] ?? flavors[0] ?? null, flavor]
    if (what === "confirm_resize") flavors = [flavors[1] ?? flavors[0] ?? null]
    if (what === "revert_resize") flavors = [flavors[0] ?? null]
    if (what === "extend" && size_gb !== null) size = size_gb
    if (what === "retype" && volume_type !== null) type = volume_type
    if (what === "transfer") owner = project_id
    if (what === "absent") alive = false
    if (kind.startsWith("inventory.") && what !== "absent") {
      owner = project_id
      alive = true
      shelved = what === "shelved"
      flavors = [flavor]
      size = size_gb
      type = volume_type
    }
  }
  if (!alive || owner !== project) return []
  const names: Record<string, string> = {
    "2": "compute.m1.small",
    "m1.large": "compute.m1.large",
    odd: "compute.other"
  }
  switch (events[0]?.resource_type) {
    case "server":
      return shelved ? [] : flavors.flatMap((_) => (_ === null ? [] : [names[_] ?? ""]))
    case "volume":
      return Array.from({ length: size ?? 0 }, () => `block-storage.${type === "ssd" ? "ssd" : "standard"}`)
    case "floating_ip":
      return ["network.floating-ip"]
    default:
      return ["load-balancer.load-balancer"]
  }
}
