import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { described, meanings, titled } from "./describe.ts"
import { failures } from "./Failures.ts"
import { formerWords } from "./formerWords.ts"
import { operatorRoutes } from "./groups.ts"
import { pageList, pageQuery } from "./Page.ts"
import { Tier } from "./Tiers.ts"

export const OnboardingState = meanings("How far the onboarding is.", {
  running: "It goes forward. When its process ends, another replica rolls it back at `lease_ends`.",
  withdrawing: "It is being rolled back.",
  stuck:
    "A part could not be removed; `left` has the part and the reason. The gateway tries again at `lease_ends`, or at once " +
    "on a retry.",
  resting:
    "It is removed, and its name is free. An upstream call had no response and may take effect late, so the gateway " +
    "checks once more at `lease_ends`."
})
export type OnboardingState = typeof OnboardingState.Type

export const Left = Schema.Struct({
  step: Schema.String.annotateKey({ description: "The step that could not be undone, as in `steps`." }),
  message: Schema.String.annotateKey({
    description: "The upstream's message, or `kept until … is removed` for a part that another one depends on."
  }),
  words: Schema.String.annotateKey(formerWords)
}).annotate({ identifier: "Left", description: "A part of an onboarding that could not be removed." })
export type Left = typeof Left.Type

export const OnboardingRow = Schema.Struct({
  attempt_id: Schema.String.annotateKey({
    description: "The onboarding's id. Everything that it makes carries it in a tag, a description or a display name."
  }),
  name: Schema.String.annotateKey({ description: "The organisation's name." }),
  slug: Schema.String.annotateKey({ description: "The name of the project, derived from the organisation's name." }),
  tier: Tier.annotateKey({ description: "The tier that the tenant is going to have." }),
  state: OnboardingState,
  steps: Schema.Array(
    Schema.Struct({
      step: Schema.String.annotateKey({ description: "The step's name, such as `router interface`." }),
      done: Schema.Boolean.annotateKey({ description: "Whether it was done, going forward." })
    })
  ).annotateKey({ description: "All steps of the onboarding. Steps whose dependencies are done run in parallel." }),
  step: Schema.NullOr(Schema.String).annotateKey({
    description:
      "The step that runs, or that is being undone; of several at once, the first of them. Null when none does: all " +
      "steps are done, or the onboarding is stuck or resting."
  }),
  failure: Schema.NullOr(Schema.String).annotateKey({
    description:
      "The step and message for which it is rolled back. Null while it runs, and when its process died or stopped."
  }),
  left: Schema.Array(Left).annotateKey({
    description: "The parts that the last attempt could not remove. Empty before a rollback has failed."
  }),
  withdrawals: Schema.Int.annotateKey({ description: "How often a rollback was started; 0 while it runs." }),
  started_at: Schema.String.annotateKey({ description: "When the onboarding began: RFC 3339, UTC." }),
  lease_ends: Schema.String.annotateKey({
    description:
      "Until when a process holds it or, for `stuck` and `resting`, when the gateway continues: RFC 3339, UTC."
  })
}).annotate({ identifier: "Onboarding", description: "An onboarding that is neither complete nor removed." })
export type OnboardingRow = typeof OnboardingRow.Type

export const Retried = Schema.Struct({
  attempt_id: Schema.String.annotateKey({ description: "The onboarding's id." }),
  removed: Schema.Boolean.annotateKey({ description: "Whether everything is removed." }),
  left: Schema.Array(Left).annotateKey({
    description: "The parts that could not be removed. Empty when everything is removed."
  })
}).annotate({ identifier: "OnboardingRetried", description: "The outcome of a retried rollback." })
export type Retried = typeof Retried.Type

/** Operator plane: the onboardings that are neither complete nor removed. */
export class Journal extends HttpApiGroup.make("journal")
  .add(
    HttpApiEndpoint.get("list", "/journal", {
      query: {
        state: Schema.optionalKey(OnboardingState).annotateKey({ description: "Only onboardings in this state." }),
        ...pageQuery
      },
      success: pageList("JournalList", {
        onboardings: Schema.Array(OnboardingRow).annotateKey({ description: "The page, oldest onboarding first." })
      })
    }).annotateMerge(
      described(
        "List unfinished onboardings",
        "Returns one page of the onboardings that are running, being rolled back, stuck or resting, each with " +
          "its steps, the reason of its rollback and the remaining parts. An empty list means that there is " +
          "nothing to do."
      )
    ),
    HttpApiEndpoint.post("retry", "/journal/:attempt_id/retry", {
      params: { attempt_id: Schema.String.annotateKey({ description: "The onboarding's id, `attempt_id`." }) },
      success: Retried,
      error: failures("onboarding_busy", "onboarding_not_found")
    }).annotateMerge(
      described(
        "Retry the rollback of an onboarding",
        "Tries at once to remove the parts of an unfinished onboarding; it never completes the onboarding. Mend " +
          "the cause in `left` first, or remove the part by hand: an undo accepts that its part is missing. It " +
          "takes 80 seconds at most. `removed` says whether the name is free again; otherwise each failed try " +
          "lengthens the pause before the gateway's next one. It is a 409 while a process holds the onboarding, at " +
          "the longest until `lease_ends`."
      )
    )
  )
  .annotateMerge(
    titled(
      "Onboarding Journal",
      "Onboardings that are running, rolled back or stuck. An onboarding creates a tenant in steps, and is " +
        "rolled back when one fails. The journal has every onboarding that is neither complete nor removed, also " +
        "after a crash, because each is recorded before its first upstream call."
    )
  )
  .pipe(operatorRoutes) {}
