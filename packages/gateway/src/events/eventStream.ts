import { eventCursorOf } from "@portico/contract/EventRoutes"
import type { Watched } from "@portico/domain/events/watchEvents"
import { Duration, Effect, identity, Stream } from "effect"
import { Sse } from "effect/encoding"
import { HttpServerResponse } from "effect/http"
import { CurrentOpenCall, type OpenCall, reasonOf } from "../streams/OpenCall.ts"

/** How long a client waits before it reconnects. */
const retry = Duration.seconds(3)

/** Proxies may neither store, transform nor buffer the stream: each event has to arrive when it is sent. */
const headers = { "cache-control": "no-store, no-transform", "x-accel-buffering": "no" }

/**
 * The watched events as server-sent events (WHATWG HTML, section 9.2). Each event carries the id from which a client
 * resumes after a lost connection. Comments keep the stream alive while there are no events. A client that stops
 * reading is disconnected as from any answer, see `Connections`; until then the stream buffers one read of a watcher at
 * most.
 */
export const eventStream = Effect.fnUntraced(function* <R>(watched: Stream.Stream<Watched, never, R>) {
  const context = yield* Effect.context<R>()
  const call = yield* CurrentOpenCall
  const body = watched.pipe(
    Stream.provideContext(context),
    Stream.map(encoded),
    call === undefined ? identity : endedWith(call),
    Stream.encodeText
  )
  return HttpServerResponse.stream(body, { contentType: "text/event-stream", headers })
})

/** Ends the stream with a comment that names the reason when the caller loses the right to it. */
const endedWith = (call: OpenCall) => (text: Stream.Stream<string>) => {
  const refused = Effect.callback<void>((resume) => {
    const { endWithReason } = call
    if (call.refusal !== undefined) return resume(Effect.void)
    call.endWithReason = (refusal) => {
      resume(Effect.void)
      endWithReason?.(refusal)
    }
  })
  const reason = Stream.suspend(() =>
    call.refusal === undefined ? Stream.empty : Stream.succeed(`: ended: ${reasonOf(call.refusal)}\n\n`)
  )
  return Stream.concat(Stream.interruptWhen(text, refused), reason)
}

const encoded = (watched: Watched): string => {
  if (watched._tag === "Silence") return ": nothing new\n\n"
  // A client dispatches no event for an id without data, but remembers the id.
  if (watched._tag === "Standing") return `id: ${watched.cursor}\n${encodedRetry}`
  return watched.events
    .map(({ event, sequence }) =>
      Sse.encoder.write({ _tag: "Event", event: "message", id: eventCursorOf(sequence), data: JSON.stringify(event) })
    )
    .join("")
}

const encodedRetry = Sse.encoder.write(new Sse.Retry({ duration: retry, lastEventId: undefined }))
