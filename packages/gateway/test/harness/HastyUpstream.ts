import { Context, Effect, Layer, Predicate } from "effect"
import { Worker } from "node:worker_threads"

/**
 * A service that answers as soon as a request has begun, and closes at once,
 * with the rest of the request unread. It runs beside the gateway, in a thread
 * of its own: in one thread the gateway would always find the answer before it
 * writes on.
 *
 * The id of the image picks the answer, see `hasty.worker.ts`.
 */
export class HastyUpstream extends Context.Service<HastyUpstream, { readonly url: string }>()(
  "portico/gateway/test/HastyUpstream"
) {
  static readonly layer = Layer.effect(
    HastyUpstream,
    Effect.gen(function* () {
      const worker = yield* Effect.acquireRelease(
        Effect.sync(() => new Worker(new URL("./hasty.worker.ts", import.meta.url))),
        (worker) => Effect.promise(() => worker.terminate())
      )
      const port = yield* Effect.callback<unknown>((resume) => {
        worker.once("message", (message) => resume(Effect.succeed(message)))
        worker.once("error", (error) => resume(Effect.die(error)))
      })
      return HastyUpstream.of({ url: `http://127.0.0.1:${Predicate.isNumber(port) ? port : ""}` })
    })
  )
}
