import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Authenticated, MinimumTier, PlatformAdmin, Validated, WellFormed } from "./Access.ts"
import { failures } from "./Failures.ts"
import { Tier } from "./Tiers.ts"

/**
 * `running`: going forward. `withdrawing`: being rolled back. `stuck`: a part
 * could not be removed, `left` has the part and the reason; the rollback is
 * retried when the lease ends, or at once by an operator. `resting`: removed,
 * and checked once more when the lease ends, because an answer was lost and the
 * call may have taken effect late.
 */
export const OnboardingState = Schema.Literals(["running", "withdrawing", "stuck", "resting"])
export type OnboardingState = typeof OnboardingState.Type

/** What an undo could not remove, and the upstream's message. */
export const Left = Schema.Struct({ step: Schema.String, words: Schema.String }).annotate({ identifier: "Left" })
export type Left = typeof Left.Type

export const OnboardingRow = Schema.Struct({
  attempt_id: Schema.String,
  name: Schema.String,
  slug: Schema.String,
  tier: Tier,
  state: OnboardingState,
  /** The steps and whether each is done: steps whose dependencies are done run in parallel. */
  steps: Schema.Array(Schema.Struct({ step: Schema.String, done: Schema.Boolean })),
  /** Why it was rolled back; null while it runs or when the process died. */
  failure: Schema.NullOr(Schema.String),
  left: Schema.Array(Left),
  /** The number of rollback attempts. */
  withdrawals: Schema.Int,
  started_at: Schema.String,
  lease_ends: Schema.String
}).annotate({ identifier: "Onboarding" })
export type OnboardingRow = typeof OnboardingRow.Type

export const Retried = Schema.Struct({
  attempt_id: Schema.String,
  /** True when everything is removed. */
  removed: Schema.Boolean,
  left: Schema.Array(Left)
}).annotate({ identifier: "OnboardingRetried" })
export type Retried = typeof Retried.Type

/** Operator plane: the onboardings that are neither complete nor removed. */
export class Journal extends HttpApiGroup.make("journal")
  .add(
    HttpApiEndpoint.get("list", "/journal", {
      success: Schema.Struct({ count: Schema.Int, onboardings: Schema.Array(OnboardingRow) }).annotate({
        identifier: "JournalList"
      })
    }),
    HttpApiEndpoint.post("retry", "/journal/:attempt_id/retry", {
      params: { attempt_id: Schema.String },
      success: Retried,
      error: failures("onboarding_busy", "onboarding_not_found")
    })
  )
  // The role decides; an administrator holds tier 2.
  .annotateEndpoints(MinimumTier, 0)
  .middleware(WellFormed)
  .middleware(PlatformAdmin)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}
