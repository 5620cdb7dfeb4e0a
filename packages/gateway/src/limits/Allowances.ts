import type { Caller } from "@portico/contract/Access"
import { TooManyRequests } from "@portico/contract/Failures"
import { metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { Clock, Config, Context, Effect, Layer } from "effect"
import { RateLimiter } from "effect/persistence"
import { type Ceiling, ceilings } from "./Ceilings.ts"
import type { Meter, Standing } from "./Meter.ts"
import { type LimiterStore, Patience, SharedStore } from "./SharedStore.ts"

/** How many calls were made and not come back yet, this one included, and in how many milliseconds all of them will be. */
type Taken = readonly [count: number, milliseconds: number]

/**
 * How often tenants may call (contract, Authentication 14, and Limits). The
 * allowance is the tenant's: all its credentials share it. A call takes one
 * of it, and calls come back at the steady rate of the ceiling; they do so
 * together, when the last one is due.
 *
 * All replicas count in one store where there is one. While it does not answer
 * each counts for itself, and lets through as much as all of them together
 * should.
 */
export class Allowances extends Context.Service<
  Allowances,
  {
    /**
     * Counts a call, once, on the meter of its request. Callers without a
     * tenant are not limited, and where there is no meter nobody is.
     *
     * Errors: 429 for one too many, which takes nothing.
     */
    admit(caller: Caller, meter: Meter | undefined): Effect.Effect<void, TooManyRequests<"rate_limited">>
  }
>()("portico/gateway/limits/Allowances") {
  static readonly layerNoDeps = Layer.effect(
    Allowances,
    Effect.gen(function* () {
      const isOn = yield* Config.Boolean("RATE_LIMIT").pipe(Config.withDefault(true))
      const shared = yield* SharedStore
      const patience = yield* Patience
      const local = yield* RateLimiter.RateLimiterStore
      const { known, read } = yield* ceilings
      const clock = yield* Clock.Clock
      const all = yield* metricsRegistry
      const refusals = all.count("portico_rate_limited_total", "Calls that were one too many for their tenant.", {})
      const alone = all.count(
        "portico_rate_limit_local_total",
        "Calls that this replica counted for itself, because the shared store did not answer.",
        {}
      )

      /** Tenants that the shared store has nothing left for, and until when: nothing comes back before. */
      const spent = new Map<string, { readonly until: number; readonly calls: number }>()

      const countedAlone = (projectId: string, ceiling: Ceiling): Effect.Effect<Taken> =>
        Effect.suspend(() => {
          if (shared.isWanted) alone.value += 1
          return Effect.orDie(taken(local, projectId, ceiling))
        })

      const counted = (store: LimiterStore, projectId: string, ceiling: Ceiling): Effect.Effect<Taken> => {
        const { calls } = ceiling
        const now = clock.currentTimeMillisUnsafe()
        const held = spent.get(projectId)
        if (held !== undefined) {
          if (held.until > now && held.calls === calls) return Effect.succeed([calls + 1, held.until - now])
          spent.delete(projectId)
        }
        return taken(store, projectId, ceiling).pipe(
          Effect.timeout(patience),
          Effect.tap(([count, milliseconds]) =>
            Effect.sync(() => count > calls && spent.set(projectId, { until: now + milliseconds, calls }))
          ),
          Effect.catch(() => {
            shared.doubt(store)
            return countedAlone(projectId, ceiling)
          })
        )
      }

      const count = Effect.fnUntracedEager(function* (projectId: string, meter: Meter) {
        const ceiling = known(projectId) ?? (yield* read(projectId))
        const store = shared.current()
        const standing = standingOf(
          ceiling,
          yield* store === undefined ? countedAlone(projectId, ceiling) : counted(store, projectId, ceiling)
        )
        meter.standing = standing
        if (!standing.exceeded) return
        refusals.value += 1
        return yield* TooManyRequests.rateLimited(standing.limit)
      })

      return Allowances.of({
        admit: ({ tenant }, meter) =>
          !isOn || meter === undefined || tenant === null || meter.standing !== undefined
            ? Effect.void
            : count(tenant.projectId, meter)
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide(RateLimiter.layerStoreMemory),
    Layer.provideMerge(SharedStore.layer)
  )
}

const taken = (store: LimiterStore, key: string, { calls, refill }: Ceiling) =>
  store.fixedWindow({ key, tokens: 1, refillRate: refill, limit: calls })

/** The part of a millisecond that sums of fractions may be off by. */
const grain = 1e-3

const standingOf = ({ calls }: Ceiling, [count, milliseconds]: Taken): Standing => ({
  limit: calls,
  remaining: Math.max(0, calls - count),
  reset: Math.max(1, Math.ceil((milliseconds - grain) / 1000)),
  exceeded: count > calls
})
