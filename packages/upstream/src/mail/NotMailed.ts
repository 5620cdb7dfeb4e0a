import { Predicate, Schema } from "effect"

/** A letter that the mail server has not taken. */
export class NotMailed extends Schema.TaggedError<NotMailed>()("NotMailed", {
  /** The server will never take it: a reply of 5xx to the letter or its recipients (RFC 5321, section 4.2.1). */
  permanent: Schema.Boolean,
  /** The code of the reply; null when none came. */
  status: Schema.NullOr(Schema.Int),
  /** What the server or the network said; it may name machines, so it is for the log. */
  words: Schema.String
}) {
  /** Part of a sentence, for a customer. */
  get sentence(): string {
    if (this.status === null) return "the mail server did not answer"
    return this.permanent
      ? `the mail server refused it (${this.status})`
      : `the mail server did not take it yet (${this.status})`
  }

  /** What the SMTP client threw. Servers that refuse us, and not the letter, are a fault of the platform, which may pass. */
  static readonly of = (error: unknown): NotMailed => {
    const { code, command, rejectedErrors, responseCode } = Predicate.isObject(error) ? asThrown(error) : nothing
    const status = typeof responseCode === "number" && responseCode > 0 ? responseCode : null
    const ofLetter = (code === "EENVELOPE" || code === "EMESSAGE") && command !== "MAIL FROM"
    const all = Array.isArray(rejectedErrors) ? rejectedErrors.map(NotMailed.of) : []
    return new NotMailed({
      permanent: ofLetter && status !== null && status >= 500 && all.every((_) => _.permanent),
      status,
      words: error instanceof Error ? error.message : String(error)
    })
  }
}

interface Thrown {
  readonly code?: unknown
  /** What was said to the server last. */
  readonly command?: unknown
  readonly responseCode?: unknown
  /** One for each recipient that was not taken. */
  readonly rejectedErrors?: unknown
}
const nothing: Thrown = {}
const asThrown = (error: Thrown): Thrown => error
