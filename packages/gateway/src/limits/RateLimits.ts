import { type Tier, tiers } from "@portico/contract/Tiers"
import { ceiling } from "@portico/domain/limits/ceiling"
import type { Rate } from "@portico/domain/limits/FixedWindows"
import { tierOf } from "@portico/domain/limits/tenantTier"
import type { Tenants } from "@portico/store/Tenants"
import { singleFlight } from "@portico/upstream/SingleFlight"
import { makeRoom } from "@portico/upstream/TtlCache"
import type { Keystone } from "@portico/upstream/keystone/Keystone"
import { Clock, Config, Duration, Effect } from "effect"

/** The rate limit of a tenant: calls a minute. */
export interface RateLimit extends Rate {
  /** Time until one call of the allowance comes back. */
  readonly refill: Duration.Duration
}

/** Cache lifetime in milliseconds: a change of tier takes effect within this time; see also {@link tierTimeout}. */
const cacheTime = Duration.toMillis(Duration.seconds(30))
/** Milliseconds until the tier is read again after a failed read. */
const retryTime = Duration.toMillis(Duration.seconds(10))
/**
 * Time that a call waits for its tenant's tier. Without it only the limit is unknown, not whether the call is
 * allowed.
 */
const tierTimeout = Duration.seconds(1)
const capacity = 50_000

const rateLimitOf = (setting: string, tier: Tier) =>
  Config.map(ceiling(setting, tiers[tier].api_rpm), (calls): RateLimit => {
    const refill = Duration.millis(60_000 / calls)
    return { calls, refill, refillMillis: Duration.toMillis(refill) }
  })

/**
 * Each tenant's limit, by its tier. It is cached for half a minute, so nearly every request finds it in memory. A
 * project without a tier has the lowest limit. While tiers cannot be read, the last known limit applies, else the
 * lowest: an unreadable tier rejects no call.
 */
export const rateLimits = Effect.gen(function* () {
  const services = yield* Effect.context<Tenants | Keystone>()
  const clock = yield* Clock.Clock
  const byTier = {
    discovery: yield* rateLimitOf("RATE_LIMIT_RPM_DISCOVERY", "discovery"),
    standard: yield* rateLimitOf("RATE_LIMIT_RPM_STANDARD", "standard"),
    extension: yield* rateLimitOf("RATE_LIMIT_RPM_EXTENSION", "extension")
  }
  const held = new Map<string, { readonly limit: RateLimit; readonly until: number }>()

  const keep = (projectId: string, limit: RateLimit, time: number): RateLimit => {
    if (!held.has(projectId)) makeRoom(held, capacity)
    held.set(projectId, { limit, until: clock.currentTimeMillisUnsafe() + time })
    return limit
  }

  const read = (projectId: string) =>
    tierOf(projectId).pipe(
      Effect.map(({ tier }) => byTier[tier]),
      Effect.catchTag("NotFound", () => Effect.succeed(byTier.discovery)),
      Effect.timeout(tierTimeout),
      Effect.map((_) => keep(projectId, _, cacheTime)),
      Effect.catchCause((cause) =>
        Effect.as(
          Effect.logWarning(
            `the tier of project ${projectId} cannot be read; its previous rate limit stays in force`,
            cause
          ),
          keep(projectId, held.get(projectId)?.limit ?? byTier.discovery, retryTime)
        )
      ),
      Effect.provideContext(services)
    )

  const reads = yield* singleFlight<RateLimit>()

  return {
    /** The cached limit; undefined when it has to be read. */
    known: (projectId: string): RateLimit | undefined => {
      const found = held.get(projectId)
      return found !== undefined && found.until > clock.currentTimeMillisUnsafe() ? found.limit : undefined
    },
    read: (projectId: string): Effect.Effect<RateLimit> => reads.get(projectId, read(projectId))
  }
})
