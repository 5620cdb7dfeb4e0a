import { Context } from "effect"

/** A tenant's allowance after a call was counted. */
export interface Allowance {
  /** Calls a minute. */
  readonly limit: number
  /** Calls that the tenant may still make at once. */
  readonly remaining: number
  /** Whole seconds until the allowance is full again, if the tenant makes no further call; at least 1. */
  readonly reset: number
  /** The call exceeded the allowance, and took nothing from it. */
  readonly exceeded: boolean
}

/**
 * The rate-limit state of one request. A request has a meter where calls are limited, and an allowance once its
 * tenant is known.
 */
export class Meter {
  allowance: Allowance | undefined
  /**
   * The request reached a route that authenticates its callers. If the caller is still unknown then, it stays
   * unknown.
   */
  reachedAuthentication = false
}

/** The meter of a request to a first-class route; undefined on the plane without rate limits. */
export const CurrentMeter = Context.Reference<Meter | undefined>("portico/gateway/limits/CurrentMeter", {
  defaultValue: () => undefined
})

/** The rate-limit headers of an answer: name, value, name, value; empty where no call was counted. */
export const limitHeaders = (meter: Meter | undefined): ReadonlyArray<string> => {
  const headers: Array<string> = []
  addLimitHeaders(headers, meter)
  return headers
}

/** Adds {@link limitHeaders} to the head of an answer. */
export const addLimitHeaders = (head: Array<string>, meter: Meter | undefined): void => {
  const allowance = meter?.allowance
  if (allowance === undefined) return
  const { exceeded, limit, remaining } = allowance
  const reset = String(allowance.reset)
  head.push("RateLimit-Limit", String(limit), "RateLimit-Remaining", String(remaining), "RateLimit-Reset", reset)
  if (exceeded) head.push("Retry-After", reset)
}
