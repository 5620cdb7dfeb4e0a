import type { Caller } from "@portico/contract/Access"
import { TooManyRequests } from "@portico/contract/Failures"
import { ceiling } from "@portico/domain/limits/ceiling"
import { Slots } from "@portico/domain/limits/Slots"
import { metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { Context, Effect, Layer, Result, type Scope } from "effect"
import type { IncomingMessage } from "node:http"

/**
 * Uploads that stream through the proxies, without a limit on their total time. Each holds a connection of the plane
 * that cannot be closed to make room, so one tenant's slow uploads could take all connections.
 */
export class Uploads extends Context.Service<
  Uploads,
  {
    /**
     * Takes a slot until the body is complete, or the scope ends. All administrators together have the limit of one
     * tenant.
     *
     * Errors: 429 when all slots of the tenant, or of this process, are taken.
     */
    enter(caller: Caller, from: IncomingMessage): Effect.Effect<void, TooManyRequests, Scope.Scope>
    /**
     * The same without a scope.
     *
     * @returns releases the slot, at the latest at the end of the call
     */
    enterNow(caller: Caller, from: IncomingMessage): Result.Result<() => void, TooManyRequests>
  }
>()("portico/gateway/streams/Uploads") {
  static readonly layer = Layer.effect(
    Uploads,
    Effect.gen(function* () {
      const ofOne = yield* ceiling("UPLOADS_PER_TENANT", 200)
      const slots = yield* Slots.make("uploads", ofOne, yield* ceiling("UPLOADS_TOTAL", 2000))
      const metrics = yield* metricsRegistry
      metrics.gauge("portico_uploads", "Request bodies streaming through the proxies.", {}, () => slots.all)
      const refused = { ofOne: TooManyRequests.uploads, inAll: TooManyRequests.uploadsInAll }
      return Uploads.of({
        enter: ({ tenant }, from) =>
          Effect.map(slots.take(tenant?.projectId, refused), (leave) => leaveAfter(from, leave)),
        enterNow: ({ tenant }, from) => {
          const slot = slots.takeNow(tenant?.projectId, refused)
          if (Result.isSuccess(slot)) leaveAfter(from, slot.success)
          return slot
        }
      })
    })
  )
}

/** Releases a slot when the body is complete, or the request is over. */
const leaveAfter = (from: IncomingMessage, leave: () => void): void => {
  if (from.complete) leave()
  else from.on("end", leave).on("close", leave)
}
