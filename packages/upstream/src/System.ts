import { Context, Duration, Effect, Schedule, Schema, Stream } from "effect"
import type { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { observed, traced } from "./observed.ts"
import { UpstreamError } from "./UpstreamError.ts"
import { wordsOf } from "./words.ts"

/** No call to an upstream lasts longer, its answer's body included. */
export const timeLimit = Duration.seconds(10)

/** So many bytes of an answer are read. A page of anything is far shorter; one without an end would take all memory. */
export const AnswerLimit = Context.Reference<number>("portico/upstream/AnswerLimit", {
  defaultValue: () => 64 * 1024 * 1024
})

/** An answer that was read whole. */
export interface SystemResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** How a request becomes one of this system: its base address and its credentials. */
export interface Dialect {
  readonly upstream: string
  readonly url: string
  /** Adds what proves who we are. */
  authorize(
    request: HttpClientRequest.HttpClientRequest
  ): Effect.Effect<HttpClientRequest.HttpClientRequest, UpstreamError>
  /** Called when the system did not accept the proof; true when a second try with a fresh one makes sense. */
  readonly rejected: Effect.Effect<boolean>
}

export interface System {
  /** Its name in failures. */
  readonly upstream: string
  /** A read: asked again when it fails in a way that may pass. */
  read<A, I>(
    call: string,
    request: HttpClientRequest.HttpClientRequest,
    schema: Schema.Codec<A, I>
  ): Effect.Effect<A, UpstreamError>
  /** A read of what may be absent: undefined for 404. */
  find<A, I>(
    call: string,
    request: HttpClientRequest.HttpClientRequest,
    schema: Schema.Codec<A, I>
  ): Effect.Effect<A | undefined, UpstreamError>
  /** A write: asked once, because its answer may be lost after its effect. */
  write<A, I>(
    call: string,
    request: HttpClientRequest.HttpClientRequest,
    schema: Schema.Codec<A, I>
  ): Effect.Effect<A, UpstreamError>
  /** A write whose answer does not matter beyond its status. */
  send(call: string, request: HttpClientRequest.HttpClientRequest): Effect.Effect<void, UpstreamError>
  /** A removal: what is gone already is gone. */
  remove(call: string, request: HttpClientRequest.HttpClientRequest): Effect.Effect<void, UpstreamError>
}

const passing = Schedule.exponential("100 millis")

/** Again, twice at most, when it fails in a way that may pass: for what may be done more than once. */
export const patiently = <A>(effect: Effect.Effect<A, UpstreamError>): Effect.Effect<A, UpstreamError> =>
  Effect.retry(effect, { times: 2, schedule: passing, while: (error) => error.transient })

/** The way all upstream clients speak: bounded in time, in the words of the system when it refuses, never following redirects. */
export const make = (client: HttpClient.HttpClient, dialect: Dialect): System => {
  const { upstream } = dialect

  const answered = Effect.fnUntraced(function* (call: string, request: HttpClientRequest.HttpClientRequest) {
    const response = yield* Effect.mapError(client.execute(request), unanswered(upstream, call))
    const { headers, status } = response
    const limit = yield* AnswerLimit
    const text = yield* Effect.mapError(textOf(response, limit), (_) =>
      _ === "too long"
        ? new UpstreamError({ upstream, call, status, words: `answered ${status} with more than ${limit} bytes` })
        : unanswered(upstream, call)(_)
    )
    return { status, headers, text } satisfies SystemResponse
  })

  const once = Effect.fnUntraced(
    function* (call: string, request: HttpClientRequest.HttpClientRequest) {
      const authorized = yield* dialect.authorize(request)
      return yield* observed({ system: upstream, name: call, method: request.method }, (traceparent) =>
        answered(call, traced(authorized, traceparent))
      )
    },
    (effect, call) =>
      Effect.timeoutOrElse(effect, {
        duration: timeLimit,
        orElse: () =>
          new UpstreamError({ upstream, call, status: null, words: `no answer within ${Duration.format(timeLimit)}` })
      })
  )

  const ask = Effect.fnUntraced(function* (call: string, request: HttpClientRequest.HttpClientRequest) {
    const first = yield* once(call, request)
    const answer = first.status === 401 && (yield* dialect.rejected) ? yield* once(call, request) : first
    if (answer.status >= 200 && answer.status < 300) return answer
    return yield* new UpstreamError({
      upstream,
      call,
      status: answer.status,
      words: wordsOf(answer.status, answer.text)
    })
  })

  const decoded =
    <A, I>(call: string, schema: Schema.Codec<A, I>) =>
    ({ status, text }: SystemResponse): Effect.Effect<A, UpstreamError> =>
      Effect.mapError(
        Schema.decodeUnknownEffect(Schema.fromJsonString(schema))(text),
        () =>
          new UpstreamError({ upstream, call, status, words: `answered ${status} with a body that is not understood` })
      )

  /** An answer that is neither empty nor JSON is not the system's: something in between answered, and nothing may have been done. */
  const sound = (call: string) => (answer: SystemResponse) =>
    answer.text.trim() === "" ? Effect.void : Effect.asVoid(decoded(call, Schema.Unknown)(answer))

  return {
    upstream,
    read: (call, request, schema) => ask(call, request).pipe(Effect.flatMap(decoded(call, schema)), patiently),
    find: (call, request, schema) =>
      ask(call, request).pipe(
        Effect.flatMap(decoded(call, schema)),
        patiently,
        Effect.catchIf(
          (error) => error.status === 404,
          () => Effect.undefined
        )
      ),
    write: (call, request, schema) => Effect.flatMap(ask(call, request), decoded(call, schema)),
    send: (call, request) => Effect.flatMap(ask(call, request), sound(call)),
    remove: (call, request) =>
      ask(call, request).pipe(
        Effect.flatMap(sound(call)),
        patiently,
        Effect.catchIf(
          (error) => error.status === 404,
          () => Effect.void
        )
      )
  }
}

/** The body, up to so many bytes; the client of undici knows no limit of its own. */
const textOf = Effect.fnUntraced(function* ({ stream }: HttpClientResponse.HttpClientResponse, limit: number) {
  const pieces: Array<Uint8Array> = []
  let size = 0
  yield* stream.pipe(
    Stream.runForEach((piece) => {
      size += piece.length
      if (size > limit) return Effect.fail("too long" as const)
      pieces.push(piece)
      return Effect.void
    }),
    Effect.catchIf(
      (error) => error !== "too long" && error.reason._tag === "EmptyBodyError",
      () => Effect.void
    )
  )
  return new TextDecoder().decode(Buffer.concat(pieces))
})

const unanswered =
  (upstream: string, call: string) =>
  (_: unknown): UpstreamError =>
    new UpstreamError({ upstream, call, status: null, words: "no answer: the connection failed or broke off" })
