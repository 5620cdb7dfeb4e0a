import { TooManyRequests } from "@portico/contract/Failures"
import { metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { Context, Effect, Layer, type Scope, Semaphore } from "effect"
import { ceiling } from "../limits/ceiling.ts"
import { Slots } from "../limits/Slots.ts"

/** The pages that all exports together read at once, which bounds their database sessions. */
const readAtOnce = 2

/**
 * The audit exports of this process. Their number is limited, because each export reads as fast as
 * its client reads.
 */
export class Exports extends Context.Service<
  Exports,
  {
    /**
     * Takes an export slot until the scope ends; all administrators together count as one tenant.
     *
     * Errors: 429 when the tenant or this process has no free slot.
     */
    enter(
      projectId: string | undefined
    ): Effect.Effect<void, TooManyRequests<"audit_exports_exhausted" | "audit_exports_full">, Scope.Scope>
    /** Reads a page, in turn with the other exports. */
    read<A, E, R>(page: Effect.Effect<A, E, R>): Effect.Effect<A, E, R>
  }
>()("portico/domain/audit/Exports") {
  static readonly layer = Layer.effect(
    Exports,
    Effect.gen(function* () {
      const ofOne = yield* ceiling("AUDIT_EXPORTS_PER_TENANT", 2)
      const slots = yield* Slots.make("exports", ofOne, yield* ceiling("AUDIT_EXPORTS_TOTAL", 20))
      const reading = yield* Semaphore.make(readAtOnce)
      const counted = yield* metricsRegistry
      counted.gauge("portico_audit_exports", "Audit exports in progress.", {}, () => slots.all)
      const refused = { ofOne: TooManyRequests.auditExports, inAll: TooManyRequests.auditExportsInAll }
      return Exports.of({
        enter: (projectId) => slots.enter(projectId, refused),
        read: (page) => reading.withPermits(1)(page)
      })
    })
  )
}
