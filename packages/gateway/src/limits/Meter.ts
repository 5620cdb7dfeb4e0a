import { Context } from "effect"

/** How a tenant stands after a call was counted. */
export interface Standing {
  /** Calls a minute. */
  readonly limit: number
  /** Calls that it may still make at once. */
  readonly remaining: number
  /** Whole seconds until all of them are there again, if none is made meanwhile; at least 1. */
  readonly reset: number
  /** The call was one too many, and took nothing. */
  readonly exceeded: boolean
}

/** What one request counts on: it has a meter where calls are limited, and a standing once it is known whose it is. */
export class Meter {
  standing: Standing | undefined
  /** A route was reached that knows its callers: whoever is not known yet is known to nobody. */
  asked = false
}

/** The meter of the request to a first-class route; undefined on the plane where nothing is limited. */
export const CurrentMeter = Context.Reference<Meter | undefined>("portico/gateway/limits/CurrentMeter", {
  defaultValue: () => undefined
})

/** The headers of an answer to a known tenant: name, value, name, value; none where nothing was counted. */
export const limitHeaders = (meter: Meter | undefined): ReadonlyArray<string> => {
  const standing = meter?.standing
  if (standing === undefined) return none
  const reset = String(standing.reset)
  const told = [
    "RateLimit-Limit",
    String(standing.limit),
    "RateLimit-Remaining",
    String(standing.remaining),
    "RateLimit-Reset",
    reset
  ]
  return standing.exceeded ? [...told, "Retry-After", reset] : told
}

const none: ReadonlyArray<string> = []
