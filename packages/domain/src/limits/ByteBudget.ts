/** Limits the bytes that this thread holds in memory, of each tenant and in all. */
export class ByteBudget {
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
