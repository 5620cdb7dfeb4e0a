import { NodeHttpServerRequest } from "@effect/platform-node"
import { eventCursorOf } from "@portico/contract/EventRoutes"
import type { Watched } from "@portico/domain/events/watchEvents"
import { Duration, Effect, identity, Stream } from "effect"
import { Sse } from "effect/encoding"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { ServerResponse } from "node:http"
import { CurrentOpenCall, type OpenCall, reasonOf } from "../streams/OpenCall.ts"

/** Who takes nothing for so long is let go of, and goes on where it was with `Last-Event-ID`. */
const patience = Duration.seconds(30)

/** When a client that lost its stream comes back. */
const retry = Duration.seconds(3)

/** Kept nowhere, and changed and gathered by nobody on the way: each event is to arrive when it is sent. */
const headers = { "cache-control": "no-store, no-transform", "x-accel-buffering": "no" }

/**
 * What is watched, as server-sent events (WHATWG HTML, section 9.2): each event
 * under the id with which a client that lost the stream goes on behind it, and
 * comments where there is nothing to say.
 */
export const eventStream = Effect.fnUntraced(function* <R>(
  request: HttpServerRequest.HttpServerRequest,
  watched: Stream.Stream<Watched, never, R>
) {
  const context = yield* Effect.context<R>()
  const call = yield* CurrentOpenCall
  const response = NodeHttpServerRequest.toServerResponse(request)
  if (response instanceof ServerResponse) yield* Effect.forkScoped(cutOffWhenStuck(response))
  const body = watched.pipe(
    Stream.provideContext(context),
    Stream.map(written),
    call === undefined ? identity : endedWith(call),
    Stream.encodeText
  )
  return HttpServerResponse.stream(body, { contentType: "text/event-stream", headers })
})

/** When its caller loses the right to it, the stream says so in a comment and ends. */
const endedWith = (call: OpenCall) => (text: Stream.Stream<string>) => {
  const refused = Effect.callback<void>((resume) => {
    const { farewell } = call
    if (call.refusal !== undefined) return resume(Effect.void)
    call.farewell = (refusal) => {
      resume(Effect.void)
      farewell?.(refusal)
    }
  })
  const reason = Stream.suspend(() =>
    call.refusal === undefined ? Stream.empty : Stream.succeed(`: ended: ${reasonOf(call.refusal)}\n\n`)
  )
  return Stream.concat(Stream.interruptWhen(text, refused), reason)
}

const written = (watched: Watched): string => {
  if (watched._tag === "Silence") return ": nothing new\n\n"
  // An id without data is no event to the client, which remembers it all the same.
  if (watched._tag === "Standing") return `id: ${watched.cursor}\n${writtenRetry}`
  return watched.events
    .map(({ event, sequence }) =>
      Sse.encoder.write({ _tag: "Event", event: "message", id: eventCursorOf(sequence), data: JSON.stringify(event) })
    )
    .join("")
}

const writtenRetry = Sse.encoder.write(new Sse.Retry({ duration: retry, lastEventId: undefined }))

/** Of what is to be sent no more is in memory than what one who watches reads at once; this bounds for how long. */
const cutOffWhenStuck = Effect.fnUntraced(function* (response: ServerResponse) {
  let drained = 0
  response.on("drain", () => {
    drained += 1
  })
  for (;;) {
    const before = drained
    const waits = response.writableNeedDrain
    yield* Effect.sleep(patience)
    if (waits && response.writableNeedDrain && drained === before) response.destroy()
  }
})
