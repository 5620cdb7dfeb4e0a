import type { QuotaUsage } from "@portico/contract/Quotas"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { Duration, Effect } from "effect"

/** The longest that the whole document waits for one service. */
const readTimeout = Duration.seconds(10)

/** Reads from a service. Undefined when it cannot be read in time; the log has the reason. */
export const unlessUnavailable = <A, R>(
  source: QuotaUsage["source"],
  read: Effect.Effect<A, UpstreamError, R>
): Effect.Effect<A | undefined, never, R> => {
  const unread = (why: string) =>
    Effect.as(Effect.annotateLogs(Effect.logWarning("quotas cannot be read"), { source, why }), undefined)
  return read.pipe(
    Effect.catchTag("UpstreamError", ({ summary }) => unread(summary)),
    Effect.timeoutOrElse({
      duration: readTimeout,
      orElse: () => unread(`no answer within ${Duration.format(readTimeout)}`)
    })
  )
}

/** Some services report the usage as `in_use`, others as `used`. */
type Counted = { readonly limit: number; readonly in_use: number } | { readonly limit: number; readonly used: number }

/**
 * A row of a resource that a service limits and counts itself.
 *
 * @param limit the tier's, shown while the service's own cannot be read
 */
export const ofService = (source: QuotaUsage["source"], limit: number, counted: Counted | undefined): QuotaUsage =>
  counted === undefined
    ? { limit, used: null, source: "unavailable" }
    : { limit: counted.limit, used: "used" in counted ? counted.used : counted.in_use, source }

/** A row of a resource that is counted in one place and limited by the tier alone. */
export const ofTier = (source: QuotaUsage["source"], limit: number, used: number | undefined): QuotaUsage =>
  used === undefined ? { limit, used: null, source: "unavailable" } : { limit, used, source }

/** A row of a resource that is not counted. */
export const uncounted = (limit: number): QuotaUsage => ({ limit, used: null, source: "tier" })
