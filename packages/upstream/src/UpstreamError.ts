import { Effect, Schema } from "effect"

/** The {@link UpstreamError.code} of an answer with more bytes than its reader takes. No system has it. */
export const answerTooLong = "PorticoAnswerTooLong"

/** The failure of every upstream call. `status` is null without a response. */
export class UpstreamError extends Schema.TaggedError<UpstreamError>()("UpstreamError", {
  /** The system: `nova`, `rgw`. */
  upstream: Schema.String,
  /** What the call does, in lower case: `create project`. */
  call: Schema.String,
  status: Schema.NullOr(Schema.Int),
  /** The system's error code, where it has one: `BucketNotEmpty`. Or {@link answerTooLong}. */
  code: Schema.optionalKey(Schema.String),
  /** The system's own message. It is no part of the error's `message`: a system may quote secrets. */
  detail: Schema.String
}) {
  /** For spans and causes. */
  override get message(): string {
    return `${this.upstream} ${this.call}: ${this.status === null ? "no answer" : `status ${this.status}`}`
  }

  /** Whether the same call may succeed later. A too long answer would be as long again. */
  get transient(): boolean {
    if (this.isTooLong) return false
    return this.status === null || this.status === 408 || this.status === 429 || this.status >= 500
  }

  /** Whether the answer has more bytes than its reader takes: a shorter one has to be asked for. */
  get isTooLong(): boolean {
    return this.code === answerTooLong
  }

  /**
   * Whether the failed call may still take effect: no response came (null), an
   * intermediary timed out (502, 504), or a success response was not the
   * system's own.
   */
  get unsettled(): boolean {
    return this.status === null || this.status < 300 || this.status === 502 || this.status === 504
  }

  /** One line with the system, the call and the message. */
  get summary(): string {
    return `${this.upstream} ${this.call}: ${this.detail}`
  }
}

/** The name is already taken by a resource that does not carry the caller's stamp. */
export class Taken extends Schema.TaggedError<Taken>()("Taken", {
  upstream: Schema.String,
  what: Schema.String
}) {
  readonly transient = false

  get summary(): string {
    return `${this.upstream} has a ${this.what} that is not ours`
  }
}

/**
 * A create that may be repeated: when the name is taken (409), it succeeds with what an earlier attempt of the same
 * caller made.
 *
 * @param own looks for it by the caller's stamp
 */
export const orOwn = <A, B>(
  created: Effect.Effect<A, UpstreamError>,
  own: Effect.Effect<B | undefined, UpstreamError>,
  taken: { readonly upstream: string; readonly what: string }
): Effect.Effect<A | B, UpstreamError | Taken> =>
  Effect.catchIf(
    created,
    (error) => error.status === 409,
    () => Effect.flatMap(own, (found) => (found === undefined ? Effect.fail(new Taken(taken)) : Effect.succeed(found)))
  )
