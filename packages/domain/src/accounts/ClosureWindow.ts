import { Config, Context, Effect, Layer, Schema } from "effect"

const Days = Schema.NumberFromString.check(
  Schema.isInt({ expected: "a whole number" }),
  Schema.isBetween({ minimum: 0, maximum: 3650 })
)

/** The days between the closing of an account and its destruction: `ACCOUNT_CLOSURE_DAYS`; 0 is no window. */
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
