import type { Caller } from "@portico/contract/Access"
import { TooManyRequests } from "@portico/contract/Failures"
import type { SharedTable } from "@portico/domain/limits/SharedTable"
import { Threads } from "@portico/domain/limits/Threads"
import { metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { Clock, Config, Context, Effect, Layer } from "effect"
import { type Ceiling, ceilings } from "./Ceilings.ts"
import type { Allowance, Meter } from "./Meter.ts"
import { type LimiterStore, SharedStore, StoreTimeout } from "./SharedStore.ts"

/**
 * The calls that the allowance has not recovered yet, this one included, and the milliseconds until it has recovered
 * all of them.
 */
type Taken = readonly [count: number, milliseconds: number]

/** What a tenant has not recovered, and when it will have. */
interface Held {
  count: number
  /** Milliseconds since the epoch. */
  until: number
}

/** Takes a call from the allowance, unless it is exceeded, as the library's store in memory does. */
const takenFrom = (held: Held, { calls, refillMillis }: Ceiling, now: number): Taken => {
  if (held.until <= now) Object.assign(held, { count: 0, until: now })
  if (held.count + 1 > calls) return [held.count + 1, held.until - now]
  held.count += 1
  held.until += refillMillis
  return [held.count, held.until - now]
}

/**
 * The counts of this process, of all its threads. The library's store in memory counts alike, but it is an effect,
 * and with it every call would need a fiber before anything is known about it.
 */
class LocalCounts {
  readonly #recovering = new Map<string, Held>()
  readonly #shared: SharedTable | undefined
  readonly #untils: Float64Array

  constructor(shared: SharedTable | undefined) {
    this.#shared = shared
    this.#untils = new Float64Array(shared?.cells.buffer ?? new ArrayBuffer())
  }

  /** @param now milliseconds since the epoch */
  take(key: string, ceiling: Ceiling, now: number): Taken {
    const place = this.#shared?.find(key)
    if (this.#shared !== undefined && place !== undefined) return this.#takeShared(this.#shared, place, ceiling, now)
    const found = this.#recovering.get(key)
    const held = found ?? { count: 0, until: now }
    if (found === undefined) this.#recovering.set(key, held)
    return takenFrom(held, ceiling, now)
  }

  #takeShared(shared: SharedTable, place: number, ceiling: Ceiling, now: number): Taken {
    const { cells } = shared
    return shared.exclusively(place, () => {
      const held = { count: cells[place] ?? 0, until: this.#untils[place / 2 + 1] ?? 0 }
      const taken = takenFrom(held, ceiling, now)
      cells[place] = held.count
      this.#untils[place / 2 + 1] = held.until
      return taken
    })
  }
}

/**
 * The rate limit of tenants (contract, Authentication 14, and Limits). The allowance belongs to the tenant: all its
 * credentials share it. Each call takes one from the allowance, which recovers at the steady rate of the ceiling. All
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
      const local = new LocalCounts((yield* Threads)?.allowances)
      const { known, read } = yield* ceilings
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

      const countLocally = (projectId: string, ceiling: Ceiling): Taken => {
        if (shared.isConfigured) localCalls.value += 1
        return local.take(projectId, ceiling, clock.currentTimeMillisUnsafe())
      }

      const counted = (store: LimiterStore, projectId: string, ceiling: Ceiling): Effect.Effect<Taken> => {
        const { calls } = ceiling
        const now = clock.currentTimeMillisUnsafe()
        const held = exhausted.get(projectId)
        if (held !== undefined) {
          if (held.until > now && held.calls === calls) return Effect.succeed([calls + 1, held.until - now])
          exhausted.delete(projectId)
        }
        return take(store, projectId, ceiling).pipe(
          Effect.timeout(storeTimeout),
          Effect.tap(([count, milliseconds]) =>
            Effect.sync(() => count > calls && exhausted.set(projectId, { until: now + milliseconds, calls }))
          ),
          Effect.catch(() => {
            shared.reportFailure(store)
            return Effect.succeed(countLocally(projectId, ceiling))
          })
        )
      }

      const note = (taken: Taken, ceiling: Ceiling, meter: Meter) => {
        const allowance = allowanceOf(ceiling, taken)
        meter.allowance = allowance
        if (!allowance.exceeded) return Effect.void
        rejections.value += 1
        return Effect.fail(TooManyRequests.rateLimited(allowance.limit))
      }

      const countWithin = (ceiling: Ceiling, projectId: string, meter: Meter) => {
        const store = shared.current()
        return store === undefined
          ? note(countLocally(projectId, ceiling), ceiling, meter)
          : Effect.flatMap(counted(store, projectId, ceiling), (_) => note(_, ceiling, meter))
      }

      const count = (projectId: string, meter: Meter) => {
        const ceiling = known(projectId)
        return ceiling === undefined
          ? Effect.flatMap(read(projectId), (_) => countWithin(_, projectId, meter))
          : countWithin(ceiling, projectId, meter)
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

const take = (store: LimiterStore, key: string, { calls, refill }: Ceiling) =>
  store.fixedWindow({ key, tokens: 1, refillRate: refill, limit: calls })

/** Rounding error of sums of fractions, in milliseconds. */
const roundingError = 1e-3

const allowanceOf = ({ calls }: Ceiling, [count, milliseconds]: Taken): Allowance => ({
  limit: calls,
  remaining: Math.max(0, calls - count),
  reset: Math.max(1, Math.ceil((milliseconds - roundingError) / 1000)),
  exceeded: count > calls
})
