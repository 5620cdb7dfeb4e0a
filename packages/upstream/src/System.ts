import { Context, Duration, Effect, Schedule, Schema, Stream } from "effect"
import { type HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { observed, traced } from "./observed.ts"
import { passFence } from "./Fence.ts"
import { turnToParse } from "./limits/longTexts.ts"
import { answerTooLong, UpstreamError } from "./UpstreamError.ts"
import { detailOf } from "./errorDetail.ts"

/**
 * The time limit of one upstream call, the body of its response included. The limits of operations and their leases are
 * made for its default; another value is for tests on systems that are slower than any in production.
 */
export const TimeLimit = Context.Reference<Duration.Duration>("portico/upstream/TimeLimit", {
  defaultValue: () => Duration.seconds(10)
})

/**
 * The most bytes of a response that are read. Any page is far shorter. An
 * endless response would exhaust the memory.
 */
export const AnswerLimit = Context.Reference<number>("portico/upstream/AnswerLimit", {
  defaultValue: () => 64 * 1024 * 1024
})

/** A response with its whole body. */
export interface SystemResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** What is specific to an upstream: its base URL and its credentials. */
export interface Dialect {
  readonly upstream: string
  /** Precedes the path of every request. */
  readonly url: string
  /** Adds the credentials. */
  authorize(
    request: HttpClientRequest.HttpClientRequest
  ): Effect.Effect<HttpClientRequest.HttpClientRequest, UpstreamError>
  /**
   * Runs when the upstream answers 401. True when a second attempt with fresh credentials makes sense. Absent for
   * credentials that never change.
   */
  readonly rejected?: Effect.Effect<boolean>
}

export interface System {
  /** The upstream's name in failures. */
  readonly upstream: string
  /** A read. It is retried after a transient failure. */
  read<A, I>(
    call: string,
    request: HttpClientRequest.HttpClientRequest,
    schema: Schema.Codec<A, I>
  ): Effect.Effect<A, UpstreamError>
  /** A read of a resource that may be absent: undefined for 404. */
  find<A, I>(
    call: string,
    request: HttpClientRequest.HttpClientRequest,
    schema: Schema.Codec<A, I>
  ): Effect.Effect<A | undefined, UpstreamError>
  /** A write. It is sent once, because it may take effect although its response is lost. */
  write<A, I>(
    call: string,
    request: HttpClientRequest.HttpClientRequest,
    schema: Schema.Codec<A, I>
  ): Effect.Effect<A, UpstreamError>
  /** A write of whose response only the status matters. */
  send(call: string, request: HttpClientRequest.HttpClientRequest): Effect.Effect<void, UpstreamError>
  /** A removal. A 404 counts as success. */
  remove(call: string, request: HttpClientRequest.HttpClientRequest): Effect.Effect<void, UpstreamError>
}

const retryPauses = Schedule.exponential("100 millis")

/** Retries a transient failure up to twice. Only for repeatable calls. */
export const retryTransient = <A>(effect: Effect.Effect<A, UpstreamError>): Effect.Effect<A, UpstreamError> =>
  Effect.retry(effect, { times: 2, schedule: retryPauses, while: (error) => error.transient })

/** Fails when there is no result in time: that of the call, or else {@link TimeLimit}. */
export const inTime =
  (upstream: string, call: string, own?: Duration.Duration) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | UpstreamError, R> =>
    Effect.flatMap(own === undefined ? TimeLimit : Effect.succeed(own), (duration) =>
      Effect.timeoutOrElse(effect, {
        duration,
        orElse: () =>
          new UpstreamError({ upstream, call, status: null, detail: `no answer within ${Duration.format(duration)}` })
      })
    )

/** What {@link exchange} names in its failures. */
export interface Exchange {
  readonly upstream: string
  readonly call: string
  /** The detail when no response came. */
  readonly noAnswer?: string
  /** The detail when the response ended early. */
  readonly brokenOff?: string
}

const noAnswer = "no answer: the connection failed or broke off"

/** Sends a request once and reads the whole response, whatever its status is. */
export const exchange = (
  client: HttpClient.HttpClient,
  { brokenOff = noAnswer, call, noAnswer: silent = noAnswer, upstream }: Exchange,
  request: HttpClientRequest.HttpClientRequest
): Effect.Effect<SystemResponse, UpstreamError> => {
  const unanswered = (detail: string) => new UpstreamError({ upstream, call, status: null, detail })
  const sent = observed(
    { system: upstream, name: call, method: request.method },
    Effect.fnUntraced(function* (traceparent) {
      const response = yield* Effect.mapError(client.execute(traced(request, traceparent)), () => unanswered(silent))
      const { headers, status } = response
      const limit = yield* AnswerLimit
      const text = yield* Effect.mapError(textOf(response, limit), (_) =>
        _ === "too long"
          ? new UpstreamError({
              upstream,
              call,
              status,
              code: answerTooLong,
              detail: `answered ${status} with more than ${limit} bytes`
            })
          : unanswered(brokenOff)
      )
      return { status, headers, text: sound(text) }
    })
  )
  return Effect.andThen(passFence(upstream, call, request.method), sent)
}

/**
 * The base of all upstream clients: limited in time, with the upstream's own
 * message in failures, and without following redirects.
 */
export const make = (client: HttpClient.HttpClient, dialect: Dialect): System => {
  const { rejected = Effect.succeed(false), upstream, url } = dialect

  const once = (call: string, request: HttpClientRequest.HttpClientRequest) =>
    request.pipe(
      HttpClientRequest.prependUrl(url),
      HttpClientRequest.acceptJson,
      dialect.authorize,
      Effect.flatMap((_) => exchange(client, { upstream, call }, _)),
      inTime(upstream, call)
    )

  const ask = Effect.fnUntraced(function* (call: string, request: HttpClientRequest.HttpClientRequest) {
    const first = yield* once(call, request)
    const answer = first.status === 401 && (yield* rejected) ? yield* once(call, request) : first
    if (answer.status >= 200 && answer.status < 300) return answer
    return yield* new UpstreamError({
      upstream,
      call,
      status: answer.status,
      detail: detailOf(answer.status, answer.text)
    })
  })

  const decoded =
    <A, I>(call: string, schema: Schema.Codec<A, I>) =>
    ({ status, text }: SystemResponse): Effect.Effect<A, UpstreamError> =>
      Effect.mapError(
        Schema.decodeUnknownEffect(Schema.fromJsonString(schema))(text),
        () =>
          new UpstreamError({ upstream, call, status, detail: `answered ${status} with a body that is not understood` })
      )

  /** A long answer is parsed when its turn has come. */
  const read =
    <A, I>(call: string, schema: Schema.Codec<A, I>) =>
    (answer: SystemResponse): Effect.Effect<A, UpstreamError> =>
      Effect.andThen(turnToParse({ upstream, call }, answer.text.length), decoded(call, schema)(answer))

  /**
   * A body that is neither empty nor JSON does not come from the upstream: an
   * intermediary answered, and the call may have had no effect.
   */
  const requireJson = (call: string) => (answer: SystemResponse) =>
    answer.text.trim() === "" ? Effect.void : Effect.asVoid(decoded(call, Schema.Unknown)(answer))

  return {
    upstream,
    read: (call, request, schema) => ask(call, request).pipe(Effect.flatMap(read(call, schema)), retryTransient),
    find: (call, request, schema) =>
      ask(call, request).pipe(
        Effect.flatMap(read(call, schema)),
        retryTransient,
        Effect.catchIf(
          (error) => error.status === 404,
          () => Effect.undefined
        )
      ),
    write: (call, request, schema) => Effect.flatMap(ask(call, request), decoded(call, schema)),
    send: (call, request) => Effect.flatMap(ask(call, request), requireJson(call)),
    remove: (call, request) =>
      ask(call, request).pipe(
        Effect.flatMap(requireJson(call)),
        retryTransient,
        Effect.catchIf(
          (error) => error.status === 404,
          () => Effect.void
        )
      )
  }
}

/** Most texts have no such escape, and most that have one have whole pairs only. */
const suspect = /\\u(?:0000|[dD][89a-fA-F])/

/**
 * The text without what no path, row or header of ours can hold: U+0000, and halves of characters, which JSON can spell
 * (RFC 8259, section 8.2). They become U+FFFD, as in a text that is no UTF-8.
 *
 * All calls wait meanwhile, and tenants choose how many escapes a text has. So it is read once, byte by byte, and changed
 * in place: the escape of U+FFFD is as long as any other.
 */
const sound = (text: string): string => {
  const whole = text.includes("\0") ? text.replaceAll("\0", "\uFFFD") : text
  if (!suspect.test(whole)) return whole
  const bytes = Buffer.from(whole)
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== backslash) continue
    const unit = escapedUnit(bytes, at)
    // The second of `\\` or `\n`, which begins no escape.
    if (unit === undefined) at += 1
    else if (isHigh(unit) && isLow(escapedUnit(bytes, at + 6))) at += 11
    else {
      if (unit === 0 || isHigh(unit) || isLow(unit)) {
        bytes.fill(0x66, at + 2, at + 5)
        bytes[at + 5] = 0x64
      }
      at += 5
    }
  }
  return bytes.toString()
}

const backslash = 0x5c
const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00
const isLow = (unit: number | undefined): boolean => unit !== undefined && unit >= 0xdc00 && unit < 0xe000

/** The UTF-16 code unit of the escape `\uXXXX` at this place; undefined when there is none. */
const escapedUnit = (bytes: Uint8Array, at: number): number | undefined => {
  if (bytes[at] !== backslash || bytes[at + 1] !== 0x75) return undefined
  let unit = 0
  for (let digit = at + 2; digit < at + 6; digit++) {
    const code = bytes[digit] ?? 0
    const lower = code | 0x20
    if (code >= 0x30 && code <= 0x39) unit = unit * 16 + code - 0x30
    else if (lower >= 0x61 && lower <= 0x66) unit = unit * 16 + lower - 0x57
    else return undefined
  }
  return unit
}

/** The body, up to `limit` bytes. The undici client has no limit of its own here. */
export const textOf = Effect.fnUntraced(function* ({ stream }: HttpClientResponse.HttpClientResponse, limit: number) {
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
