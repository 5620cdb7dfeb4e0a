import { TooManyRequests } from "@portico/contract/Failures"
import { metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { Context, Effect, Layer, type Scope, Semaphore } from "effect"
import { ceiling } from "../ceilings/ceiling.ts"
import { Places } from "../ceilings/Places.ts"

/** Pages that are read at once, by all exports together: so many of the database's sessions they use at most. */
const readAtOnce = 2

/** The audit exports of this process: few at once, because each reads as fast as its client takes it. */
export class Exports extends Context.Service<
  Exports,
  {
    /**
     * Takes a place until the scope ends; administrators share one tenant's worth.
     *
     * Errors: 429 when the tenant has all of its places taken, or this process has.
     */
    enter(
      projectId: string | undefined
    ): Effect.Effect<void, TooManyRequests<"audit_exports_exhausted" | "audit_exports_full">, Scope.Scope>
    /** Reads a page in turn with the other exports. */
    read<A, E, R>(page: Effect.Effect<A, E, R>): Effect.Effect<A, E, R>
  }
>()("portico/domain/audit/Exports") {
  static readonly layer = Layer.effect(
    Exports,
    Effect.gen(function* () {
      const ofOne = yield* ceiling("AUDIT_EXPORTS_PER_TENANT", 2)
      const places = new Places(ofOne, yield* ceiling("AUDIT_EXPORTS_TOTAL", 20))
      const reading = yield* Semaphore.make(readAtOnce)
      const counted = yield* metricsRegistry
      counted.gauge("portico_audit_exports", "Audit exports that are under way.", {}, () => places.all)
      const refused = { ofOne: TooManyRequests.auditExports, inAll: TooManyRequests.auditExportsInAll }
      return Exports.of({
        enter: (projectId) => places.enter(projectId, refused),
        read: (page) => reading.withPermits(1)(page)
      })
    })
  )
}
