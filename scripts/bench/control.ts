import { Effect } from "effect"
import { approvals } from "./control/approvals.ts"
import { lists } from "./control/lists.ts"
import { concluded, shown } from "./results.ts"

/**
 * What manages an account: whether its lists and its policy cost more in a
 * large store than in a small one, and an approval more than an onboarding.
 */
export const controlBench = Effect.gen(function* () {
  const measured = [yield* shown("lists", lists), yield* shown("approvals", approvals)]
  yield* concluded("control", "Large by small, and approvals by onboardings, round by round", measured, {})
})
