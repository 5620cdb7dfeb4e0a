import { Console, Effect } from "effect"
import { approvals } from "./control/approvals.ts"
import { lists } from "./control/lists.ts"
import { concluded, type Part, printed } from "./results.ts"

/**
 * What manages an account: whether its lists and its policy cost more in a
 * large store than in a small one, and an approval more than an onboarding.
 */
export const controlBench = Effect.gen(function* () {
  const shown = <E, R>(name: string, bench: Effect.Effect<Part, E, R>) =>
    Effect.map(
      Effect.tap(Effect.scoped(bench), (part) => Console.log(printed(part))),
      (part) => ({ name, part })
    )
  const measured = [yield* shown("lists", lists), yield* shown("approvals", approvals)]
  yield* concluded("control", "Large by small, and approvals by onboardings, round by round", measured, {})
})
