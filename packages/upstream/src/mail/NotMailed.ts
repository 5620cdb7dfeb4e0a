import { Predicate, Schema } from "effect"

/** The mail server did not accept the letter. */
export class NotMailed extends Schema.TaggedError<NotMailed>()("NotMailed", {
  /** The server refused permanently: a 5xx reply to the letter or its recipients (RFC 5321, section 4.2.1). */
  permanent: Schema.Boolean,
  /** The reply code; null without a reply. */
  status: Schema.NullOr(Schema.Int),
  /** The message of the server or the network. It may name machines, so it is only for the log. */
  detail: Schema.String
}) {
  /** Part of a sentence, for a customer. */
  get summary(): string {
    if (this.status === null) return "the mail server did not answer"
    return this.permanent
      ? `the mail server refused it (${this.status})`
      : `the mail server did not take it yet (${this.status})`
  }

  /**
   * Maps an error of the SMTP client. A server that refuses the gateway, and
   * not the letter, is a fault of the platform, which may pass.
   */
  static readonly of = (error: unknown): NotMailed => {
    const { code, command, rejectedErrors, responseCode } = Predicate.isObject(error) ? asThrown(error) : nothing
    const status = typeof responseCode === "number" && responseCode > 0 ? responseCode : null
    const ofLetter = (code === "EENVELOPE" || code === "EMESSAGE") && command !== "MAIL FROM"
    const all = Array.isArray(rejectedErrors) ? rejectedErrors.map(NotMailed.of) : []
    return new NotMailed({
      permanent: ofLetter && status !== null && status >= 500 && all.every((_) => _.permanent),
      status,
      detail: error instanceof Error ? error.message : String(error)
    })
  }
}

interface Thrown {
  readonly code?: unknown
  /** The last SMTP command. */
  readonly command?: unknown
  readonly responseCode?: unknown
  /** One error for each refused recipient. */
  readonly rejectedErrors?: unknown
}
const nothing: Thrown = {}
const asThrown = (error: Thrown): Thrown => error
