import type { Caller } from "@portico/contract/Access"
import { TooManyRequests } from "@portico/contract/Failures"
import { ceiling } from "@portico/domain/ceilings/ceiling"
import { Places } from "@portico/domain/ceilings/Places"
import { metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { Context, Effect, Layer, type Scope } from "effect"
import type { IncomingMessage } from "node:http"

/**
 * Bodies that stream through the proxies, which have no time in all. Each holds
 * a connection of the plane that makes room for nothing else, so that slow ones
 * of one tenant would take all of them.
 */
export class Uploads extends Context.Service<
  Uploads,
  {
    /**
     * Takes a place until the body is there, or the scope ends; administrators share one tenant's worth.
     *
     * Errors: 429 when the tenant has all of its places taken, or this process has.
     */
    enter(caller: Caller, from: IncomingMessage): Effect.Effect<void, TooManyRequests, Scope.Scope>
  }
>()("portico/gateway/streams/Uploads") {
  static readonly layer = Layer.effect(
    Uploads,
    Effect.gen(function* () {
      const ofOne = yield* ceiling("UPLOADS_PER_TENANT", 200)
      const places = new Places(ofOne, yield* ceiling("UPLOADS_TOTAL", 2000))
      const counted = yield* metricsRegistry
      counted.gauge("portico_uploads", "Bodies that are streaming through the proxies.", {}, () => places.all)
      const refused = { ofOne: TooManyRequests.uploads, inAll: TooManyRequests.uploadsInAll }
      return Uploads.of({
        enter: ({ tenant }, from) =>
          Effect.map(places.take(tenant?.projectId, refused), (leave) => {
            if (from.complete) leave()
            else from.once("end", leave).once("close", leave)
          })
      })
    })
  )
}
