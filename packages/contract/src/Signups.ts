import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { AnswersSecret, Validated, WellFormed } from "./Access.ts"
import { AdmissionNumbers, Dimension } from "./Admission.ts"
import { EmailAddress } from "./EmailAddress.ts"
import { described, meanings, titled } from "./describe.ts"
import { failures, throttledFor } from "./Failures.ts"
import { operatorRoutes } from "./groups.ts"
import { Creates } from "./Idempotency.ts"
import { pageList, pageQuery } from "./Page.ts"
import { Onboarded, OrganisationName } from "./Tenants.ts"
import { Tier } from "./Tiers.ts"

export const SignupRequest = Schema.Struct({
  email: EmailAddress.annotateKey({
    description:
      "The address of the person who is going to own the account. White space around it is ignored, and the domain is " +
      "kept in lower case."
  }),
  org_name: OrganisationName.check(Schema.isPattern(/\S/u, { expected: "a name that is not blank" })).annotateKey({
    description: "The organisation's name, not blank."
  })
}).annotate({ identifier: "SignupRequest", description: "A request to become a customer." })
export type SignupRequest = typeof SignupRequest.Type

/** The rate limit's window in seconds; after it any client may sign up again. */
export const signupWindow = 600

/**
 * The response to every signup: a new address, a queued one, one with an
 * account, and one whose organisation has an account. It must not differ in a
 * single byte.
 */
export const SignupReceived = Schema.Struct({
  status: Schema.Literal("received").annotateKey({ description: "Always `received`." }),
  detail: Schema.String.annotateKey({ description: "A sentence for people on the next step; always the same." })
}).annotate({ identifier: "SignupReceived", description: "The response to every signup." })
export type SignupReceived = typeof SignupReceived.Type

export const SignupState = meanings("How far the signup is.", {
  pending: "It waits for a decision.",
  approving:
    "Its tenant is being created, or a failed creation is being rolled back. Then it is onboarded, or pending again.",
  onboarded: "Its tenant is live; `project_id` names it.",
  rejected: "A platform administrator rejected it."
})
export type SignupState = typeof SignupState.Type

const signupId = Schema.String.annotateKey({ description: "The signup's id, `signup-…`." })

export const SignupRow = Schema.Struct({
  signup_id: signupId,
  email: Schema.String.annotateKey({ description: "The address of the person who asked." }),
  org_name: Schema.String.annotateKey({ description: "The organisation's name." }),
  state: SignupState,
  attempt_id: Schema.NullOr(Schema.String).annotateKey({
    description: "The id of the last approval's onboarding, as in GET /v1/journal. Null when it was never approved."
  }),
  project_id: Schema.NullOr(Schema.String).annotateKey({
    description: "The id of the tenant's project. Null unless `state` is `onboarded`."
  }),
  decided_by: Schema.NullOr(Schema.String).annotateKey({
    description:
      "The user id of the platform administrator who decided. Null until the signup is onboarded or rejected."
  }),
  decided_at: Schema.NullOr(Schema.String).annotateKey({
    description: "When it was onboarded or rejected: RFC 3339, UTC. Null before that."
  }),
  created_at: Schema.String.annotateKey({ description: "When it was queued: RFC 3339, UTC." })
}).annotate({ identifier: "Signup", description: "One entry of the queue of signups." })
export type SignupRow = typeof SignupRow.Type

export const ApproveRequest = Schema.Struct({
  tier: Tier.annotateKey({ description: "The tier of the new tenant." }),
  tenant_name: Schema.optionalKey(OrganisationName).annotateKey({
    description: "Replaces the organisation's name when that is taken or makes no slug."
  })
}).annotate({ identifier: "ApproveRequest", description: "The approval of a signup." })
export type ApproveRequest = typeof ApproveRequest.Type

export const Approved = Schema.Struct({
  ...Onboarded.fields,
  signup: SignupRow.annotateKey({ description: "The signup, onboarded." }),
  owner: Schema.Struct({
    user_id: Schema.String.annotateKey({ description: "The owner's user id at the identity provider." }),
    email: Schema.String.annotateKey({ description: "The address to which the mail with the link went." })
  }).annotateKey({ description: "The person who owns the new account." })
}).annotate({ identifier: "Approved", description: "A new tenant with its first credential and its owner." })
export type Approved = typeof Approved.Type

const tenantsOf = (tier: Tier) =>
  Schema.Int.annotateKey({
    description: `The number of tenants in the tier \`${tier}\`, unfinished onboardings included.`
  })

const PaceRow = Schema.Struct({
  dimension: Dimension,
  allocated: Schema.Int.annotateKey({
    description: "The sum granted to all tenants and to unfinished onboardings, in the dimension's unit."
  }),
  limit: Schema.Int.annotateKey({ description: "The sellable budget, in the dimension's unit." }),
  per_day: Schema.Finite.annotateKey({
    description:
      "The average sales of a day, in the dimension's unit, to three decimals: new tenants and moves to a larger " +
      "tier, less moves to a smaller tier and ended tenants, divided by `days`. Below zero when more was given " +
      "back."
  }),
  exhausted_at: Schema.NullOr(Schema.String).annotateKey({
    description:
      "When the budget is used up at this pace: now + (`limit` - `allocated`) / `per_day` days. RFC 3339, UTC. The moment " +
      "of the answer when nothing is left; null when something is left and `per_day` is not above zero, or when it is " +
      "more than 100 years away."
  })
}).annotate({ identifier: "PaceRow", description: "One dimension of the sellable budget, and how fast it is sold." })
export type PaceRow = typeof PaceRow.Type

export const Pace = Schema.Struct({
  days: Schema.Finite.annotateKey({
    description:
      "The days that `per_day` is an average of: the last 30, or on a platform whose oldest recorded sale is younger, the " +
      "days since then, at least 1."
  }),
  dimensions: Schema.Array(PaceRow).annotateKey({ description: "One entry for each dimension." })
}).annotate({
  identifier: "SalesPace",
  description:
    "The pace at which the sellable budget is sold, as a straight line. It counts tenants that begin, change their " +
    "tier and end, as this gateway records them; of sales before its first record it knows the beginnings of the " +
    "tenants that existed then. Unfinished onboardings count in `allocated` alone."
})
export type Pace = typeof Pace.Type

export const Capacity = Schema.Struct({
  tenants: Schema.Struct({
    discovery: tenantsOf("discovery"),
    standard: tenantsOf("standard"),
    extension: tenantsOf("extension")
  }).annotateKey({ description: "How many tenants each tier has." }),
  tiers: Schema.Array(AdmissionNumbers).annotateKey({
    description: "For each tier, the budget before and after one more tenant of it."
  }),
  pace: Pace.annotateKey({ description: "When the budget is used up at the pace of the last 30 days." })
}).annotate({ identifier: "Capacity", description: "The sellable budget, and how many tenants use it." })
export type Capacity = typeof Capacity.Type

/** The only write without authentication. */
export class Signup extends HttpApiGroup.make("signup")
  .add(
    HttpApiEndpoint.post("request", "/signup", {
      payload: SignupRequest,
      success: SignupReceived.pipe(HttpApiSchema.status(202)),
      error: throttledFor(signupWindow, "rate_limited")
    }).annotateMerge(
      described(
        "Ask to become a customer",
        "Queues a signup for the platform's operators, and does nothing else: no project, no login, no mail. It needs no " +
          "credential. When an operator approves the signup, a mail with a link goes to the address, and the person owns " +
          "the new account.\n\n" +
          "The response is always the same, whether the address or the organisation is new, queued or known, so it " +
          "does not reveal customers. An address queues an organisation once. Too many signups, from one " +
          "network address or altogether, are a 429; try again after ten minutes. If your organisation is a customer " +
          "already, ask its owner to invite you."
      )
    )
  )
  .annotateMerge(titled("Signup", "How a person asks for an account. An operator of the platform decides."))
  .middleware(WellFormed)
  .middleware(Validated)
  .prefix("/v1") {}

/** Operator plane. */
export class Signups extends HttpApiGroup.make("signups")
  .add(
    HttpApiEndpoint.get("list", "/signups", {
      query: {
        state: Schema.optionalKey(SignupState).annotateKey({
          description: "Lists only the signups in this state. Without it signups of every state are listed."
        }),
        ...pageQuery
      },
      success: pageList("SignupList", {
        signups: Schema.Array(SignupRow).annotateKey({ description: "The signups of this page, oldest first." })
      })
    }).annotateMerge(
      described(
        "List signups",
        "Lists the queue of signups, oldest first, decided ones too; send `state=pending` for those that wait. A signup is " +
          "never removed from the list."
      )
    ),
    HttpApiEndpoint.get("capacity", "/signups/capacity", {
      success: Capacity,
      error: failures("upstream_failed")
    }).annotateMerge(
      described(
        "Show the sellable budget",
        "Returns for each tier whether one more tenant fits into the sellable budget, with the numbers, and how many " +
          "tenants each tier has, and when the budget is used up at the present pace. It counts every tenant, every onboarding that is not rolled back, and every project of " +
          "the platform that carries a tier's tag. The same numbers decide about approvals, onboardings and moves."
      )
    ),
    HttpApiEndpoint.post("approve", "/signups/:signup_id/approve", {
      params: { signup_id: signupId },
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
      .annotateMerge(
        described(
          "Approve a signup",
          "Onboards a tenant for the organisation, whole or not at all, as POST /v1/tenants does, and makes the person " +
            "who asked its owner, with the role `customer-owner`. The identity provider mails that person a link to a " +
            "new login. The response has the secret of the tenant's first credential, this once.\n\n" +
            "- It needs room in the sellable budget, a free name (or `tenant_name`) and an address without a " +
            "login; otherwise it is a 409. A signup that is decided or being approved is a 409 too.\n" +
            "- It takes seconds, and after 90 seconds it turns back. After any failure, and when the client disconnects, " +
            "everything is removed, and then the signup is pending again."
        )
      )
      .middleware(Creates),
    HttpApiEndpoint.post("reject", "/signups/:signup_id/reject", {
      params: { signup_id: signupId },
      success: SignupRow,
      error: failures("signup_busy", "signup_decided", "signup_not_found")
    }).annotateMerge(
      described(
        "Reject a signup",
        "Marks the signup as rejected. No mail goes out, and the person may ask again. It may be repeated. A signup that is " +
          "being approved, or whose tenant is live, is a 409; to end a tenant, close its account."
      )
    )
  )
  .annotateMerge(
    titled(
      "Signup Queue",
      "Signups that wait for a decision. A platform administrator approves them into a tier or rejects them. The " +
        "sellable budget is the sum that the platform may grant to all tenants together."
    )
  )
  .pipe(operatorRoutes) {}
