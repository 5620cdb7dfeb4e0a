import { Schema } from "effect"

/** The one way any upstream call fails. `status` is null when no answer came at all. */
export class UpstreamError extends Schema.TaggedError<UpstreamError>()("UpstreamError", {
  /** The system: `nova`, `rgw`. */
  upstream: Schema.String,
  /** What was asked of it, in our words: `createProject`. */
  call: Schema.String,
  status: Schema.NullOr(Schema.Int),
  /** The system's name for what went wrong, where it has one: `BucketNotEmpty`. */
  code: Schema.optionalKey(Schema.String),
  /** The system's own words. */
  words: Schema.String
}) {
  /** Whether the same call may succeed later. */
  get transient(): boolean {
    return this.status === null || this.status === 408 || this.status === 429 || this.status >= 500
  }

  /**
   * Whether the call may yet take effect, although it failed: nobody answered,
   * somebody in between gave up waiting for the system, or said yes in words
   * that are not the system's.
   */
  get unsettled(): boolean {
    return this.status === null || this.status < 300 || this.status === 502 || this.status === 504
  }

  /** One line for a caller: who refused what, with which words. */
  get sentence(): string {
    return `${this.upstream} ${this.call}: ${this.words}`
  }
}

/** Something of that name is there already, and it is not ours. */
export class Taken extends Schema.TaggedError<Taken>()("Taken", {
  upstream: Schema.String,
  what: Schema.String
}) {
  readonly transient = false

  get sentence(): string {
    return `${this.upstream} has a ${this.what} that is not ours`
  }
}
