import type { Allowance } from "../limits/Meter.ts"
import { Context } from "effect"

/**
 * What a request to the agent plane has taken from its tenant's allowance: one call for each JSON-RPC request in it,
 * and one at least. That pays for as many API calls of its tools. Each further API call counts by itself. So a tool
 * call counts once, whether it leads to an API call or is refused before.
 */
export class Payment {
  readonly #allowances: Array<Allowance> = []

  add(allowance: Allowance): void {
    this.#allowances.push(allowance)
  }

  /** Pays for an API call. Undefined when nothing is left: the call then counts by itself. */
  take(): Allowance | undefined {
    return this.#allowances.pop()
  }
}

/** The payment of the current request to the agent plane. */
export const CurrentPayment = Context.Reference<Payment | undefined>("portico/gateway/agent/CurrentPayment", {
  defaultValue: () => undefined
})
