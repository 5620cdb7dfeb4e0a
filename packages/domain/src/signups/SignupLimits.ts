import { signupWindow } from "@portico/contract/Signups"
import type { SignupLimits as Limits } from "@portico/store/Signups"
import { Config, Context, Duration, Effect, Layer, Semaphore } from "effect"

/** No more signups wait in one process: whoever comes then is refused without asking the database. */
const waiting = 32

/** How many signups are let in, and the door in front of them. */
export class SignupLimits extends Context.Service<
  SignupLimits,
  { readonly limits: Limits; readonly door: Semaphore.Semaphore }
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
      return SignupLimits.of({ limits, door: yield* Semaphore.make(waiting) })
    })
  )
}
