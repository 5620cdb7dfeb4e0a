import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { AnswersSecret, Authenticated, MinimumTier, PlatformAdmin, Validated, WellFormed } from "./Access.ts"
import { AdmissionNumbers } from "./Admission.ts"
import { EmailAddress } from "./EmailAddress.ts"
import { failures, throttledFor } from "./Failures.ts"
import { Creates } from "./Idempotency.ts"
import { pageFields, pageQuery } from "./Page.ts"
import { Onboarded, OrganisationName } from "./Tenants.ts"
import { Tier } from "./Tiers.ts"

export const SignupRequest = Schema.Struct({
  email: EmailAddress,
  org_name: OrganisationName.check(Schema.isPattern(/\S/u, { expected: "a name that is not blank" }))
}).annotate({ identifier: "SignupRequest" })
export type SignupRequest = typeof SignupRequest.Type

/** The rate limit's window in seconds; after it any client may sign up again. */
export const signupWindow = 600

/**
 * The response to every signup: a new address, a queued one, one with an
 * account, and one whose organisation has an account. It must not differ in a
 * single byte.
 */
export const SignupReceived = Schema.Struct({
  status: Schema.Literal("received"),
  detail: Schema.String
}).annotate({ identifier: "SignupReceived" })
export type SignupReceived = typeof SignupReceived.Type

/**
 * `pending`: waits for an operator. `approving`: its tenant is being created,
 * or a failed creation rolled back; then it is `onboarded`, or `pending` again.
 * `rejected`: an operator rejected it.
 */
export const SignupState = Schema.Literals(["pending", "approving", "onboarded", "rejected"])
export type SignupState = typeof SignupState.Type

export const SignupRow = Schema.Struct({
  signup_id: Schema.String,
  email: Schema.String,
  org_name: Schema.String,
  state: SignupState,
  /** The onboarding of the last approval, as in GET /v1/journal; null when it was never approved. */
  attempt_id: Schema.NullOr(Schema.String),
  /** The tenant's project, once it is onboarded. */
  project_id: Schema.NullOr(Schema.String),
  /** The operator's user id. */
  decided_by: Schema.NullOr(Schema.String),
  decided_at: Schema.NullOr(Schema.String),
  created_at: Schema.String
}).annotate({ identifier: "Signup" })
export type SignupRow = typeof SignupRow.Type

export const ApproveRequest = Schema.Struct({
  tier: Tier,
  /** Replaces the organisation's name when that is taken or makes no slug. */
  tenant_name: Schema.optionalKey(OrganisationName)
}).annotate({ identifier: "ApproveRequest" })
export type ApproveRequest = typeof ApproveRequest.Type

/** The response of POST /v1/tenants, with the signup and the owner. */
export const Approved = Schema.Struct({
  ...Onboarded.fields,
  signup: SignupRow,
  owner: Schema.Struct({ user_id: Schema.String, email: Schema.String })
}).annotate({ identifier: "Approved" })
export type Approved = typeof Approved.Type

/** The sellable budget before and after one more tenant of each tier. */
export const Capacity = Schema.Struct({
  tenants: Schema.Struct({ discovery: Schema.Int, standard: Schema.Int, extension: Schema.Int }),
  tiers: Schema.Array(AdmissionNumbers)
}).annotate({ identifier: "Capacity" })
export type Capacity = typeof Capacity.Type

/** The only write without authentication. */
export class Signup extends HttpApiGroup.make("signup")
  .add(
    HttpApiEndpoint.post("request", "/signup", {
      payload: SignupRequest,
      success: SignupReceived.pipe(HttpApiSchema.status(202)),
      error: throttledFor(signupWindow, "rate_limited")
    })
  )
  .middleware(WellFormed)
  .middleware(Validated)
  .prefix("/v1") {}

const signupId = { signup_id: Schema.String }

/** Operator plane. */
export class Signups extends HttpApiGroup.make("signups")
  .add(
    HttpApiEndpoint.get("list", "/signups", {
      query: { state: Schema.optionalKey(SignupState), ...pageQuery },
      success: Schema.Struct({ ...pageFields, signups: Schema.Array(SignupRow) }).annotate({ identifier: "SignupList" })
    }),
    HttpApiEndpoint.get("capacity", "/signups/capacity", { success: Capacity, error: failures("upstream_failed") }),
    HttpApiEndpoint.post("approve", "/signups/:signup_id/approve", {
      params: signupId,
      payload: ApproveRequest,
      success: Approved,
      error: failures(
        "budget_exceeded",
        "login_taken",
        "onboarding_failed",
        "onboarding_in_progress",
        "organisation_name_taken",
        "signup_busy",
        "signup_decided",
        "signup_not_found",
        "unusable_name",
        "upstream_failed"
      )
    })
      .annotate(AnswersSecret, "new")
      .middleware(Creates),
    HttpApiEndpoint.post("reject", "/signups/:signup_id/reject", {
      params: signupId,
      success: SignupRow,
      error: failures("signup_busy", "signup_decided", "signup_not_found")
    })
  )
  // The role decides; an administrator holds tier 2.
  .annotateEndpoints(MinimumTier, 0)
  .middleware(WellFormed)
  .middleware(PlatformAdmin)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}
