import { furthestAheadMillis } from "./cloudClock.ts"
import { isObject } from "./Json.ts"
import { upgradeCluster } from "./kubernetes/upgrade.ts"
import { makeWorld, type World } from "./World.ts"

/**
 * The world of a snapshot, with empty collections for the kinds that it lacks, or what is wrong with it. A snapshot is
 * the world as JSON: `GET /cloud/snapshot`, and what `Persistence.ts` writes.
 */
export const worldOf = (saved: unknown): World | string => {
  if (!isObject(saved)) return "it holds no object"
  const fresh = Object.entries(makeWorld())
  const wrong = fresh.flatMap(([service, kinds]) => {
    const mine = saved[service] ?? {}
    if (!isObject(mine)) return [service]
    return Object.entries(kinds)
      .filter(([kind, value]) => kind in mine && shape(value) !== shape(mine[kind]))
      .map(([kind]) => `${service}.${kind}`)
  })
  if (wrong.length > 0) return `${wrong.join(", ")} is not what it should be`
  const world = Object.fromEntries(
    fresh.map(([service, kinds]) => {
      const mine = saved[service]
      return [service, { ...kinds, ...(isObject(mine) ? mine : {}) }]
    })
  )
  if (!isWorld(world)) return "a system is missing"
  const { aheadMillis } = world.clock
  if (aheadMillis < 0 || aheadMillis > furthestAheadMillis) {
    return `clock.aheadMillis is not from 0 to ${furthestAheadMillis}`
  }
  upgradeCluster(world.kubernetes)
  // An earlier release had fewer applications, and no route makes or removes one.
  Object.assign(world.zitadel.applications, { ...makeWorld().zitadel.applications, ...world.zitadel.applications })
  return world
}

const shape = (value: unknown): string => (Array.isArray(value) ? "array" : typeof value)

/** Every service exists with every kind; {@link worldOf} has checked their shapes. */
const isWorld = (value: object): value is World => Object.keys(makeWorld()).every((service) => service in value)
