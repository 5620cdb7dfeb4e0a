import type { Caller } from "@portico/contract/Access"
import { TooManyRequests } from "@portico/contract/Failures"
import { FixedWindows, type Taken } from "@portico/domain/limits/FixedWindows"
import { Threads } from "@portico/domain/limits/Threads"
import { metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { Clock, Config, Context, Effect, Layer } from "effect"
import { type RateLimit, rateLimits } from "./RateLimits.ts"
import type { Allowance, Meter } from "./Meter.ts"
import { type LimiterStore, SharedStore, StoreTimeout } from "./SharedStore.ts"

/**
 * The rate limit of tenants (contract, Authentication 14, and Limits). The allowance belongs to the tenant: all its
 * credentials share it. Each call takes one from the allowance, which recovers at the steady rate of the limit. All
 * taken calls come back together, when the last one is due.
 *
 * With a shared store all replicas count in it. While the store does not answer, each replica counts for itself and
 * admits as many calls as all replicas together should.
 */
export class Allowances extends Context.Service<
  Allowances,
  {
    /**
     * Counts a call once, on the meter of its request. Callers without a tenant, and requests without a meter, are
     * not limited.
     *
     * Errors: 429 beyond the allowance; such a call takes nothing from it.
     */
    admit(caller: Caller, meter: Meter | undefined): Effect.Effect<void, TooManyRequests<"rate_limited">>
  }
>()("portico/gateway/limits/Allowances") {
  static readonly layerNoDeps = Layer.effect(
    Allowances,
    Effect.gen(function* () {
      const isOn = yield* Config.Boolean("RATE_LIMIT").pipe(Config.withDefault(true))
      const shared = yield* SharedStore
      const storeTimeout = yield* StoreTimeout
      const local = new FixedWindows((yield* Threads)?.allowances)
      const { known, read } = yield* rateLimits
      const clock = yield* Clock.Clock
      const all = yield* metricsRegistry
      const rejections = all.count(
        "portico_rate_limited_total",
        "Calls rejected because the tenant's rate limit was exceeded.",
        {}
      )
      const localCalls = all.count(
        "portico_rate_limit_local_total",
        "Calls counted by this replica alone, because the shared store did not answer.",
        {}
      )

      /**
       * Tenants whose allowance in the shared store is used up, and until when. Until then calls are rejected without
       * asking the store.
       */
      const exhausted = new Map<string, { readonly until: number; readonly calls: number }>()

      const countLocally = (projectId: string, limit: RateLimit): Taken => {
        if (shared.isConfigured) localCalls.value += 1
        return local.take(projectId, limit, clock.currentTimeMillisUnsafe())
      }

      const counted = (store: LimiterStore, projectId: string, limit: RateLimit): Effect.Effect<Taken> => {
        const { calls } = limit
        const now = clock.currentTimeMillisUnsafe()
        const held = exhausted.get(projectId)
        if (held !== undefined) {
          if (held.until > now && held.calls === calls) return Effect.succeed([calls + 1, held.until - now])
          exhausted.delete(projectId)
        }
        return take(store, projectId, limit).pipe(
          Effect.timeout(storeTimeout),
          Effect.tap(([count, milliseconds]) =>
            Effect.sync(() => count > calls && exhausted.set(projectId, { until: now + milliseconds, calls }))
          ),
          Effect.catch(() => {
            shared.reportFailure(store)
            return Effect.succeed(countLocally(projectId, limit))
          })
        )
      }

      const note = (taken: Taken, limit: RateLimit, meter: Meter) => {
        const allowance = allowanceOf(limit, taken)
        meter.allowance = allowance
        if (!allowance.exceeded) return Effect.void
        rejections.value += 1
        return Effect.fail(TooManyRequests.rateLimited(allowance.limit))
      }

      const countWithin = (limit: RateLimit, projectId: string, meter: Meter) => {
        const store = shared.current()
        return store === undefined
          ? note(countLocally(projectId, limit), limit, meter)
          : Effect.flatMap(counted(store, projectId, limit), (_) => note(_, limit, meter))
      }

      const count = (projectId: string, meter: Meter) => {
        const limit = known(projectId)
        return limit === undefined
          ? Effect.flatMap(read(projectId), (_) => countWithin(_, projectId, meter))
          : countWithin(limit, projectId, meter)
      }

      return Allowances.of({
        admit: ({ tenant }, meter) =>
          !isOn || meter === undefined || tenant === null || meter.allowance !== undefined
            ? Effect.void
            : count(tenant.projectId, meter)
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provideMerge(SharedStore.layer))
}

const take = (store: LimiterStore, key: string, { calls, refill }: RateLimit) =>
  store.fixedWindow({ key, tokens: 1, refillRate: refill, limit: calls })

/** Rounding error of sums of fractions, in milliseconds. */
const roundingError = 1e-3

const allowanceOf = ({ calls }: RateLimit, [count, milliseconds]: Taken): Allowance => ({
  limit: calls,
  remaining: Math.max(0, calls - count),
  reset: Math.max(1, Math.ceil((milliseconds - roundingError) / 1000)),
  exceeded: count > calls
})
