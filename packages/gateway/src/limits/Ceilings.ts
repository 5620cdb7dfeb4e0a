import { type Tier, tiers } from "@portico/contract/Tiers"
import { tierOf } from "@portico/domain/ceilings/tenantTier"
import type { Tenants } from "@portico/store/Tenants"
import { makeRoom } from "@portico/upstream/TtlCache"
import type { Keystone } from "@portico/upstream/keystone/Keystone"
import { Cache, Clock, Config, Duration, Effect, Schema } from "effect"

/** The rate limit of a tenant. */
export interface Ceiling {
  /** Calls a minute. */
  readonly calls: number
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

/** A whole number of calls a minute, at least one. */
const Calls = Schema.NumberFromString.check(
  Schema.isInt({ expected: "a whole number" }),
  Schema.isGreaterThanOrEqualTo(1)
)

const ceilingOf = (tier: Tier, setting: Config.Config<number>) =>
  setting.pipe(
    Config.withDefault(tiers[tier].api_rpm),
    Config.map((calls): Ceiling => ({ calls, refill: Duration.millis(60_000 / calls) }))
  )

/**
 * Each tenant's ceiling, by its tier. It is cached for half a minute, so nearly every request finds it in memory. A
 * project without a tier has the lowest ceiling. While tiers cannot be read, the last known ceiling applies, else the
 * lowest: an unreadable tier rejects no call.
 */
export const ceilings = Effect.gen(function* () {
  const services = yield* Effect.context<Tenants | Keystone>()
  const clock = yield* Clock.Clock
  const byTier = {
    discovery: yield* ceilingOf("discovery", Config.schema(Calls, "RATE_LIMIT_RPM_DISCOVERY")),
    standard: yield* ceilingOf("standard", Config.schema(Calls, "RATE_LIMIT_RPM_STANDARD")),
    extension: yield* ceilingOf("extension", Config.schema(Calls, "RATE_LIMIT_RPM_EXTENSION"))
  }
  const held = new Map<string, { readonly ceiling: Ceiling; readonly until: number }>()

  const keep = (projectId: string, ceiling: Ceiling, time: number): Ceiling => {
    if (!held.has(projectId)) makeRoom(held, capacity)
    held.set(projectId, { ceiling, until: clock.currentTimeMillisUnsafe() + time })
    return ceiling
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
          keep(projectId, held.get(projectId)?.ceiling ?? byTier.discovery, retryTime)
        )
      ),
      Effect.provideContext(services)
    )

  /** Merges concurrent reads of the same tier; it caches nothing. */
  const reads = yield* Cache.makeWith(read, { capacity, timeToLive: () => Duration.zero })

  return {
    /** The cached ceiling; undefined when it has to be read. */
    known: (projectId: string): Ceiling | undefined => {
      const found = held.get(projectId)
      return found !== undefined && found.until > clock.currentTimeMillisUnsafe() ? found.ceiling : undefined
    },
    read: (projectId: string): Effect.Effect<Ceiling> => Cache.get(reads, projectId)
  }
})
