import { makeRoom } from "@portico/upstream/Kept"
import { Pace } from "./Pace.ts"

/** So many refused calls of a tenant are recorded at once, and so many a second afterwards. */
export const burst = 60
export const perSecond = 1

/** Tenants that were refused something lately are few. */
const capacity = 10_000

/**
 * How many of a tenant's calls may still be recorded that were refused with a
 * 429. Nothing limits how often those are made, and they change nothing: a
 * client that does not stop must not fill the database, nor the audit of its
 * own tenant.
 */
export class Refusals {
  readonly #paces = new Map<string, Pace>()

  /** Of the tenant of this project. */
  of(projectId: string): Pace {
    const held = this.#paces.get(projectId)
    if (held !== undefined) return held
    makeRoom(this.#paces, capacity)
    const pace = new Pace(burst, perSecond)
    this.#paces.set(projectId, pace)
    return pace
  }
}
