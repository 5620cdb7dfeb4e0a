import type { Caller } from "@portico/contract/Access"
import { Context } from "effect"

const mebibyte = 1024 * 1024

/**
 * The bytes of request bodies that this thread holds in memory, whether they are complete or not: of each tenant, and
 * in all. Without a bound one key's unfinished bodies would take the memory of the process.
 */
export class HeldBytes {
  readonly #ofTenant: number
  readonly #inAll: number
  readonly #held = new Map<string, number>()
  #all = 0

  /** @param limits in bytes */
  constructor(limits: { readonly ofTenant: number; readonly inAll: number }) {
    this.#ofTenant = limits.ofTenant
    this.#inAll = limits.inAll
  }

  /**
   * Whether there is room for so many bytes more of a tenant. They are held until they are released. The last eighth is
   * for tenants that hold little: a few that hold all they may keep nobody out.
   */
  take(tenant: string, bytes: number): boolean {
    const held = (this.#held.get(tenant) ?? 0) + bytes
    const room = held <= this.#ofTenant / 32 ? this.#inAll : (this.#inAll * 7) / 8
    if (held > this.#ofTenant || this.#all + bytes > room) return false
    this.#held.set(tenant, held)
    this.#all += bytes
    return true
  }

  release(tenant: string, bytes: number): void {
    const left = (this.#held.get(tenant) ?? 0) - bytes
    if (left > 0) this.#held.set(tenant, left)
    else this.#held.delete(tenant)
    this.#all -= bytes
  }
}

/** Whose memory a caller's bodies count against: its tenant's, and the operators' all together. */
export const ownerOf = ({ tenant }: Pick<Caller, "tenant">): string => tenant?.projectId ?? ""

/** Of all requests of this thread. */
export const HeldBodies = Context.Reference("portico/gateway/HeldBodies", {
  defaultValue: () => new HeldBytes({ ofTenant: 32 * mebibyte, inAll: 128 * mebibyte })
})
