import { postJson } from "@portico/upstream/requests"
import * as System from "@portico/upstream/System"
import { orOwn, type Taken, type UpstreamError } from "@portico/upstream/UpstreamError"
import { Config, Context, Effect, Layer, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"

/** A queue of the support desk. `origin` says who opened it. */
interface Queue {
  readonly name: string
  readonly origin: string
}

const Queues = Schema.Struct({ queues: Schema.Array(Schema.Struct({ id: Schema.String })) })

/** The company's support desk: `POST`, `GET ?origin=` and `DELETE` below `/queues`. A name is unique. */
export class Desk extends Context.Service<
  Desk,
  {
    /** Opens the queue. Repeatable for the same origin. */
    open(queue: Queue): Effect.Effect<void, UpstreamError | Taken>
    /** Closes the queues of this origin, if there are any. Repeatable. */
    close(origin: string): Effect.Effect<void, UpstreamError>
  }
>()("company/Desk") {
  static readonly layer = Layer.effect(
    Desk,
    Effect.gen(function* () {
      const url = yield* Config.String("DESK_URL")
      const token = yield* Config.Redacted("DESK_TOKEN")
      const desk = System.make(yield* HttpClient.HttpClient, {
        upstream: "desk",
        url,
        authorize: (request) => Effect.succeed(HttpClientRequest.bearerToken(request, token))
      })
      const ofOrigin = (origin: string) =>
        Effect.map(
          desk.read("list queues", HttpClientRequest.get("/queues", { urlParams: { origin } }), Queues),
          (_) => _.queues
        )
      return Desk.of({
        open: (queue) =>
          Effect.asVoid(
            orOwn(
              desk.send("open queue", postJson("/queues", queue)),
              Effect.map(ofOrigin(queue.origin), ([own]) => own),
              { upstream: "desk", what: `queue '${queue.name}'` }
            )
          ),
        close: Effect.fn("Desk.close")(function* (origin) {
          for (const { id } of yield* ofOrigin(origin)) {
            yield* desk.remove("close queue", HttpClientRequest.delete(`/queues/${encodeURIComponent(id)}`))
          }
        })
      })
    })
  )
}
