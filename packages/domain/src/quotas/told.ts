import type { QuotaUsage } from "@portico/contract/Quotas"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { Duration, Effect } from "effect"

/** Whoever reads the document waits no longer for one service. */
const patience = Duration.seconds(10)

/**
 * What a service tells; undefined when it cannot be read in time, which the
 * log says with the reason.
 */
export const told = <A, R>(
  source: QuotaUsage["source"],
  read: Effect.Effect<A, UpstreamError, R>
): Effect.Effect<A | undefined, never, R> => {
  const unread = (why: string) =>
    Effect.as(Effect.annotateLogs(Effect.logWarning("quotas cannot be read"), { source, why }), undefined)
  return read.pipe(
    Effect.catchTag("UpstreamError", ({ sentence }) => unread(sentence)),
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => unread(`no answer within ${Duration.format(patience)}`)
    })
  )
}

/** The services do not agree on the word for what is used. */
type Counted = { readonly limit: number; readonly in_use: number } | { readonly limit: number; readonly used: number }

/**
 * A row of what a service limits and counts itself.
 *
 * @param limit the tier's, shown in place of the service's own while that cannot be read
 */
export const ofService = (source: QuotaUsage["source"], limit: number, counted: Counted | undefined): QuotaUsage =>
  counted === undefined
    ? { limit, used: null, source: "unavailable" }
    : { limit: counted.limit, used: "used" in counted ? counted.used : counted.in_use, source }

/** A row of what is counted in one place and limited by the tier alone. */
export const ofTier = (source: QuotaUsage["source"], limit: number, used: number | undefined): QuotaUsage =>
  used === undefined ? { limit, used: null, source: "unavailable" } : { limit, used, source }

/** A row of what nobody counts. */
export const uncounted = (limit: number): QuotaUsage => ({ limit, used: null, source: "tier" })
