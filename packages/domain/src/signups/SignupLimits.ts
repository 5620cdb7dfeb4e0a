import { signupWindow } from "@portico/contract/Signups"
import type { SignupLimits as Limits } from "@portico/store/Signups"
import { Config, Context, Duration, Effect, Layer, Semaphore } from "effect"

/** How many signups one process handles at once. It refuses further ones without a call to the database. */
const concurrency = 32

/** The rate limits of signups, and the permits of one process. */
export class SignupLimits extends Context.Service<
  SignupLimits,
  { readonly limits: Limits; readonly permits: Semaphore.Semaphore }
>()("portico/domain/signups/SignupLimits") {
  static readonly layer = Layer.effect(
    SignupLimits,
    Effect.gen(function* () {
      const limits = {
        window: Duration.seconds(signupWindow),
        total: yield* Config.Int("SIGNUPS_TOTAL").pipe(Config.withDefault(300)),
        perSource: yield* Config.Int("SIGNUPS_PER_SOURCE").pipe(Config.withDefault(30)),
        perAddress: yield* Config.Int("SIGNUPS_PER_EMAIL").pipe(Config.withDefault(3))
      }
      return SignupLimits.of({ limits, permits: yield* Semaphore.make(concurrency) })
    })
  )
}
