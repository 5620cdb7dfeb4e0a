import { type Tier, tiers } from "@portico/contract/Tiers"
import { tierOf } from "@portico/domain/ceilings/tenantTier"
import type { Tenants } from "@portico/store/Tenants"
import { makeRoom } from "@portico/upstream/TtlCache"
import type { Keystone } from "@portico/upstream/keystone/Keystone"
import { Cache, Clock, Config, Duration, Effect, Schema } from "effect"

/** How many calls a tenant may make. */
export interface Ceiling {
  /** A minute. */
  readonly calls: number
  /** How long one call takes to come back. */
  readonly refill: Duration.Duration
}

/** A tier that was moved counts within this time; see also {@link patience}. */
const believed = Duration.toMillis(Duration.seconds(30))
/** How long nothing is asked again where the tier could not be read. */
const doubted = Duration.toMillis(Duration.seconds(10))
/** A caller waits no longer for it: it is the limit that is not known, not whether the call is allowed. */
const patience = Duration.seconds(1)
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
 * Each tenant's ceiling, by its tier. It is read once in half a minute, so
 * that nearly every request finds it known. A project without a tier has the
 * lowest ceiling. While tiers cannot be read, the last one that was known
 * counts, else the lowest: it is no reason to refuse anybody.
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
      Effect.timeout(patience),
      Effect.map((_) => keep(projectId, _, believed)),
      Effect.catchCause((cause) =>
        Effect.as(
          Effect.logWarning(`the tier of project ${projectId} cannot be read: it keeps the limit that it had`, cause),
          keep(projectId, held.get(projectId)?.ceiling ?? byTier.discovery, doubted)
        )
      ),
      Effect.provideContext(services)
    )

  /** Only for those who ask at the same time. */
  const asked = yield* Cache.makeWith(read, { capacity, timeToLive: () => Duration.zero })

  return {
    /** What is known of it; undefined when it has to be read. */
    known: (projectId: string): Ceiling | undefined => {
      const found = held.get(projectId)
      return found !== undefined && found.until > clock.currentTimeMillisUnsafe() ? found.ceiling : undefined
    },
    read: (projectId: string): Effect.Effect<Ceiling> => Cache.get(asked, projectId)
  }
})
