import { Config, Context, Duration, Effect, Layer, Schema } from "effect"

const Count = Schema.NumberFromString.check(
  Schema.isInt({ expected: "a whole number" }),
  Schema.isBetween({ minimum: 1, maximum: 100_000 }, { expected: "between 1 and 100000" })
)

/** The sliding window of all limits. */
export const mailWindow = Duration.hours(1)

/** The mail that a tenant may cause in an hour, across all replicas. */
export class MailLimits extends Context.Service<
  MailLimits,
  {
    /** Events sent by mail; an event to all addresses of its integration counts once. */
    readonly mails: number
    /** Addresses that are asked for their consent. */
    readonly confirmations: number
    /** Invitations that a tenant's members send, repeated ones included. */
    readonly invitations: number
  }
>()("portico/domain/MailLimits") {
  static readonly layer = Layer.effect(
    MailLimits,
    Effect.gen(function* () {
      return MailLimits.of({
        mails: yield* Config.schema(Count, "MAIL_PER_HOUR").pipe(Config.withDefault(60)),
        confirmations: yield* Config.schema(Count, "MAIL_CONFIRMATIONS_PER_HOUR").pipe(Config.withDefault(20)),
        invitations: yield* Config.schema(Count, "INVITATION_MAILS_PER_HOUR").pipe(Config.withDefault(50))
      })
    })
  )
}
