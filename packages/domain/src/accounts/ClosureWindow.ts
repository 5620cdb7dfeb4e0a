import { Config, Context, Effect, Layer, Schema } from "effect"

const Days = Schema.NumberFromString.check(
  Schema.isInt({ expected: "a whole number" }),
  Schema.isBetween({ minimum: 0, maximum: 3650 })
)

/** How many days an account stays closing before it is destroyed: `ACCOUNT_CLOSURE_DAYS`, 0 for not at all. */
export class ClosureWindow extends Context.Service<ClosureWindow, { readonly days: number }>()(
  "portico/domain/accounts/ClosureWindow"
) {
  static readonly layer = Layer.effect(
    ClosureWindow,
    Effect.map(Config.schema(Days, "ACCOUNT_CLOSURE_DAYS").pipe(Config.withDefault(30)), (days) =>
      ClosureWindow.of({ days })
    )
  )
}
