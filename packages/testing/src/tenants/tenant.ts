import { onboard } from "@portico/domain/onboarding/onboard"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import type { Tier } from "@portico/contract/Tiers"
import { Memory } from "../store/Memory.ts"
import { Effect } from "effect"
import { inTime } from "../clock.ts"

/** A tenant that is live, and its project's id. */
export const tenantOf = Effect.fnUntraced(function* (tier: Tier, name = "Acme GmbH") {
  const { tenant } = yield* inTime(onboard({ name, tier }))
  return tenant.project_id
})

/** The tenant's row. */
export const rowOf = Effect.fnUntraced(function* (projectId: string) {
  return (yield* Memory).tenants.get(projectId)
})

/** The tags of a project that say something of its tier. */
export const tierTagsOf = Effect.fnUntraced(function* (projectId: string) {
  const { world } = yield* SimulatedCloud
  return world.keystone.projects[projectId]?.tags.filter((_) => !_.startsWith("portico-attempt:")) ?? []
})

/** Volumes in the tenant's project, of so many GiB each. */
export const volumes = Effect.fnUntraced(function* (projectId: string, sizes: ReadonlyArray<number>) {
  const { world } = yield* SimulatedCloud
  for (const [index, size] of sizes.entries()) {
    const id = `volume-${index}-of-${projectId}`
    world.cinder.volumes[id] = {
      id,
      project_id: projectId,
      user_id: "u",
      name: null,
      description: null,
      size,
      status: "available",
      volume_type: "__DEFAULT__",
      availability_zone: "nova",
      bootable: false,
      snapshot_id: null,
      source_volid: null,
      image_id: null,
      metadata: {},
      attachment: null,
      created_at: 0,
      updated_at: 0,
      due: null
    }
  }
})

export const noVolumes = Effect.map(SimulatedCloud, ({ world }) => {
  for (const id of Object.keys(world.cinder.volumes)) delete world.cinder.volumes[id]
})
