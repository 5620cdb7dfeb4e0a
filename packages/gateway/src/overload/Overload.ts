import { Callers } from "@portico/domain/access/Callers"
import { bearerToken } from "@portico/domain/access/PresentedToken"
import { ceiling } from "@portico/domain/ceilings/Places"
import { metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { Clock, Context, Duration, Effect, Exit, Layer } from "effect"
import type { IncomingMessage } from "node:http"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { isHealth } from "../requests/route.ts"
import { rawArrivalOf, SourceAddresses } from "../requests/sourceAddress.ts"
import { type Owner, Pace } from "./Pace.ts"

/** Sampling interval of the event loop, in milliseconds. */
const resolution = 10

const window = Duration.millis(100)

/** Returns how many milliseconds the event loop was late since the last question, on average. */
export const Lateness = Context.Reference<Effect.Effect<() => number>>("portico/gateway/overload/Lateness", {
  defaultValue: () =>
    Effect.sync(() => {
      const delay = monitorEventLoopDelay({ resolution })
      delay.enable()
      return () => {
        const { count, mean } = delay
        delay.reset()
        // Nothing was sampled in a window that one turn of the loop filled.
        return count === 0 ? Number.POSITIVE_INFINITY : Math.max(0, mean / 1e6 - resolution)
      }
    })
})

/**
 * Refuses calls while the event loop of this process is late, before anything is done for them: a call that is refused
 * has to cost little, and a call that is served has to be served in time. Tenants that ask for more than their share
 * are refused; see {@link Pace}.
 */
export class Overload extends Context.Service<
  Overload,
  {
    /** Counts a new request, and returns whether it is refused. */
    refuses(from: IncomingMessage): boolean
    /** Counts the end of a request that was not refused. */
    ended(): void
  }
>()("portico/gateway/overload/Overload") {
  static readonly layer = Layer.effect(
    Overload,
    Effect.gen(function* () {
      const callers = yield* Callers
      const sources = yield* SourceAddresses
      const lateness = yield* yield* Lateness
      const clock = yield* Clock.Clock
      /** Milliseconds of a clock that is never set. */
      const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
      const pace = new Pace(yield* ceiling("OVERLOAD_DELAY_MS", 250), now())
      const all = yield* metricsRegistry
      const refused = all.count(
        "portico_overload_refused_total",
        "Calls refused because the event loop of this process was late.",
        {}
      )
      all.gauge(
        "portico_overload",
        "1 while calls may be refused because the event loop of this process is late.",
        {},
        () => (pace.isLimiting ? 1 : 0)
      )
      const turn = Effect.sync(() => {
        const before = pace.isLimiting
        pace.turn(now(), lateness())
        return before === pace.isLimiting ? undefined : pace.isLimiting
      }).pipe(
        Effect.flatMap((began) =>
          began === undefined
            ? Effect.void
            : began
              ? Effect.logWarning("the event loop is late: calls of tenants above their share are refused")
              : Effect.logInfo("the event loop is in time again: all calls are served")
        )
      )
      yield* Effect.forkScoped(Effect.forever(Effect.delay(turn, window)))

      /** The tenant of a caller that is in memory. Nobody is asked about a call that may be refused. */
      const ownerOf = (from: IncomingMessage): Owner => {
        const { authorization, "x-auth-token": openstack } = from.headers
        const presented = authorization ?? (typeof openstack === "string" ? `Bearer ${openstack}` : undefined)
        return known(
          Effect.flatMapEager(bearerToken(presented), (token) =>
            callers.resolve(token, "customer", () => sources.of(rawArrivalOf(from)))
          )
        )?.tenant?.projectId
      }

      return Overload.of({
        ended: () => pace.ended(),
        refuses: (from) => {
          if (pace.admits(() => ownerOf(from)) || isHealth(from.url ?? "")) return false
          refused.value += 1
          return true
        }
      })
    })
  )
}

/** What an effect succeeds with, if that is known without running it. */
const known = <A, E>(effect: Effect.Effect<A, E> | Exit.Exit<A, E>): A | undefined =>
  Exit.isExit(effect) && Exit.isSuccess(effect) ? effect.value : undefined
