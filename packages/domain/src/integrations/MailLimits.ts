import { Config, Context, Duration, Effect, Layer, Schema } from "effect"

const Count = Schema.NumberFromString.check(
  Schema.isInt({ expected: "a whole number" }),
  Schema.isBetween({ minimum: 1, maximum: 100_000 }, { expected: "between 1 and 100000" })
)

/** The window that both count in. It slides. */
export const mailWindow = Duration.hours(1)

/** How much mail a tenant may cause in an hour, over all replicas. */
export class MailLimits extends Context.Service<
  MailLimits,
  {
    /** Events by mail, each to all addresses of its integration. */
    readonly mails: number
    /** Addresses that are asked whether they want them. */
    readonly confirmations: number
  }
>()("portico/domain/integrations/MailLimits") {
  static readonly layer = Layer.effect(
    MailLimits,
    Effect.gen(function* () {
      return MailLimits.of({
        mails: yield* Config.schema(Count, "MAIL_PER_HOUR").pipe(Config.withDefault(60)),
        confirmations: yield* Config.schema(Count, "MAIL_CONFIRMATIONS_PER_HOUR").pipe(Config.withDefault(20))
      })
    })
  )
}
