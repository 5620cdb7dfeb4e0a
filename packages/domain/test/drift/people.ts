import { serviceQuotas, type Tier } from "@portico/contract/Tiers"
import { drift } from "@portico/domain/drift/show"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"

type World = SimulatedCloud["Service"]["world"]

const first = { limit: 100, after: undefined }

/** What is said of one tenant. */
export const driftOf = Effect.fnUntraced(function* (projectId: string) {
  const { tenants } = yield* drift(projectId, first)
  const [tenant] = tenants
  return tenant ?? (yield* Effect.die(`nothing is said of ${projectId}`))
})

/** `service.dimension` of all that is not equal, and its state. */
export const notEqual = Effect.fnUntraced(function* (projectId: string) {
  const { dimensions, tag } = yield* driftOf(projectId)
  const rows = dimensions.map((_) => [`${_.service}.${_.dimension}`, _.state] as const)
  return Object.fromEntries([["tag", tag.state] as const, ...rows].filter(([, state]) => state !== "equal"))
})

/** Somebody changes one quota behind the gateway's back. */
export const setQuota = (world: World, projectId: string, service: string, dimension: string, limit: number) => {
  const { cinder, neutron, nova, octavia, rgw } = world
  const user = rgw.users[`tenant$${projectId}`]
  switch (service) {
    case "nova":
      nova.quotas[projectId] = { ...nova.quotas[projectId], [dimension]: limit }
      return
    case "cinder":
      cinder.quotas[projectId] = { ...cinder.quotas[projectId], [dimension]: limit }
      return
    case "neutron":
      Object.assign(neutron.quotas[projectId]?.limits ?? {}, { [dimension]: limit })
      return
    case "octavia":
      Object.assign(octavia.quotas[projectId]?.limits ?? {}, { [dimension]: limit })
      return
    default:
      if (user === undefined) return
      if (dimension === "max_buckets") user.max_buckets = limit
      else user.user_quota = { ...user.user_quota, [dimension]: limit }
  }
}

/** Every dimension of the catalogue, and what the tier grants of it. */
export const dimensions = (tier: Tier) =>
  Object.entries(serviceQuotas(tier)).flatMap(([service, quotas]) =>
    Object.entries<number>(quotas).map(([dimension, wanted]) => ({ service, dimension, wanted }))
  )

/** Everything drifts: all quotas, and the tag. */
export const disturb = Effect.fnUntraced(function* (projectId: string, tier: Tier) {
  const { world } = yield* SimulatedCloud
  for (const { dimension, service, wanted } of dimensions(tier)) {
    setQuota(world, projectId, service, dimension, wanted + 7)
  }
  const project = world.keystone.projects[projectId]
  if (project !== undefined) project.tags = ["their own", "tier:discovery", "tier:standard"]
})
