import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { MinimumTier, WithoutTenant } from "./Access.ts"
import { described, meanings, titled } from "./describe.ts"
import { failures } from "./Failures.ts"
import { formerWords } from "./formerWords.ts"
import { callerRoutes, operatorRoutes } from "./groups.ts"
import { pageList, pageQuery } from "./Page.ts"
import { plainText } from "./Text.ts"
import { Tier } from "./Tiers.ts"
import { optionalBody } from "./optionalBody.ts"

export const AccountState = meanings("Whether the account lives.", {
  open: "The account and its projects work.",
  closing:
    "An owner or a platform administrator closed the account. Nothing in it can be changed and its machine credentials " +
    "are suspended, until the account is reopened or its window ends and it is destroyed.",
  destroyed: "The gateway has destroyed the account's projects and everything in them. Only this record is left."
})
export type AccountState = typeof AccountState.Type

const notClosed = "Null while the account is open, and when it ended with the deletion of its last project."

const shown = {
  number: Schema.Int.annotateKey({
    description: "The account's number: a positive integer of at most 9 digits that is never given again."
  }),
  name: Schema.String.annotateKey({ description: "The name of the organisation that the account belongs to." }),
  state: AccountState,
  created_at: Schema.String.annotateKey({ description: "When the account was created: RFC 3339, UTC." }),
  window_days: Schema.Int.annotateKey({
    description:
      "The days between the closing and the destruction, 0 to 3650; 0 destroys at once. For an open account these are " +
      "the days that a closing would have now. A closing keeps the number that it began with."
  }),
  closed_at: Schema.NullOr(Schema.String).annotateKey({
    description: `When the account was closed: RFC 3339, UTC. ${notClosed}`
  }),
  closed_by: Schema.NullOr(Schema.String).annotateKey({
    description: `The user id of the caller that closed the account. ${notClosed}`
  }),
  reason: Schema.NullOr(Schema.String).annotateKey({
    description: `Why the account was closed. Null when the closing stated no reason. ${notClosed}`
  }),
  closes_at: Schema.NullOr(Schema.String).annotateKey({
    description:
      "When the window of the closing ends: RFC 3339, UTC. From then on the account cannot be reopened, and it is " +
      `destroyed. ${notClosed}`
  }),
  destroying: Schema.Boolean.annotateKey({
    description:
      "True once the destruction of a closing account has been ordered or has begun: the account cannot be reopened " +
      "any more, even within its window."
  })
}

export const Account = Schema.Struct({
  ...shown,
  projects: Schema.Array(
    Schema.Struct({
      project_id: Schema.String.annotateKey({ description: "The project's id, which never changes." }),
      name: Schema.String.annotateKey({ description: "The name of the organisation." }),
      slug: Schema.String.annotateKey({ description: "The project's name at the platform." }),
      tier: Tier.annotateKey({ description: "The project's tier." })
    })
  ).annotateKey({ description: "The account's projects, oldest first." }),
  members: Schema.Int.annotateKey({ description: "The number of people who are members of the account." })
}).annotate({ identifier: "Account", description: "An account: a customer, who owns projects and has members." })
export type Account = typeof Account.Type

export const AccountRow = Schema.Struct({
  ...shown,
  projects: Schema.Array(
    Schema.Struct({
      project_id: Schema.String.annotateKey({ description: "The project's id, which never changes." })
    })
  ).annotateKey({
    description: "The account's projects, oldest first. For a destroyed account, the projects that it had."
  }),
  destroyed_at: Schema.NullOr(Schema.String).annotateKey({
    description: "When the account was destroyed: RFC 3339, UTC. Null unless `state` is `destroyed`."
  }),
  finalized_by: Schema.NullOr(Schema.String).annotateKey({
    description:
      "The user id of the platform administrator who last ordered the destruction. Null when only the end of the window " +
      "began the destruction."
  }),
  finalize_reason: Schema.NullOr(Schema.String).annotateKey({
    description: "Why the destruction did not wait for the end of the window. Null when no order gave a reason."
  }),
  attempts: Schema.Int.annotateKey({
    description: "How often the destruction was started or resumed; 0 before it begins."
  }),
  refusal: Schema.NullOr(
    Schema.Struct({
      message: Schema.String.annotateKey({
        description: "For each project that could not be destroyed its id, the step, and the upstream's message."
      }),
      words: Schema.String.annotateKey(formerWords),
      at: Schema.String.annotateKey({ description: "When the attempt failed: RFC 3339, UTC." })
    })
  ).annotateKey({
    description:
      "The reason for which the last attempt to destroy the account failed. The gateway tries again after 1 " +
      "minute, then 2, 4 and so on, at most an hour. Null when no attempt failed, and once the account is " +
      "destroyed."
  })
}).annotate({ identifier: "AccountRow", description: "An account as platform administrators see it." })
export type AccountRow = typeof AccountRow.Type

const Reason = plainText(1000)

export const CloseRequest = Schema.Struct({
  confirm: Schema.String.annotateKey({
    description: "The account's exact name, against the closing of an account that was not meant."
  }),
  reason: Schema.optionalKey(Reason).annotateKey({
    description: "Why the account is closed. It is kept with the account."
  })
}).annotate({ identifier: "AccountCloseRequest", description: "The closing of an account." })
export type CloseRequest = typeof CloseRequest.Type

export const FinalizeRequest = Schema.Struct({
  reason: Schema.optionalKey(Reason).annotateKey({
    description: "Why the destruction does not wait for the end of the window. Required within the window."
  })
}).annotate({ identifier: "AccountFinalizeRequest", description: "The order to destroy a closing account." })
export type FinalizeRequest = typeof FinalizeRequest.Type

export const Reopened = Schema.Struct({
  account: AccountRow.annotateKey({ description: "The account, open again." }),
  projects: Schema.Array(
    Schema.Struct({
      project_id: Schema.String.annotateKey({ description: "The project's id." }),
      restored_credentials: Schema.Array(Schema.String).annotateKey({
        description:
          "The ids of the machine credentials that are active again. Credentials that are suspended for another " +
          "reason are not among them."
      })
    })
  ).annotateKey({ description: "The account's projects, oldest first." })
}).annotate({ identifier: "AccountReopened", description: "A reopened account, with its restored credentials." })
export type Reopened = typeof Reopened.Type

export const AccountPage = pageList("AccountList", {
  accounts: Schema.Array(AccountRow).annotateKey({ description: "The accounts of this page, oldest first." })
})
export type AccountPage = typeof AccountPage.Type

const override = {
  project: Schema.optionalKey(Schema.String).annotateKey({
    description:
      "The id of a project, to choose its account instead of the caller's own. Only for platform administrators on the " +
      "operator plane, who must send it; every other caller that sends it gets the same 403, whether or not the " +
      "project exists."
  })
}

/** Both planes: the caller's own account; `?project=` is for platform administrators. */
export class AccountGroup extends HttpApiGroup.make("account")
  .add(
    HttpApiEndpoint.get("show", "/account", {
      query: override,
      success: Account,
      error: failures("project_not_found", "project_override_refused", "tenant_required")
    }).annotateMerge(
      described(
        "Show your account",
        "Returns the account that the caller's project belongs to: its state, its projects with their tiers, its number " +
          "of members and, while it is closing, the moment of its destruction. Every credential and member of the " +
          "account may call it. While the account is closing only members can, because machine credentials are " +
          "suspended."
      )
    ),
    HttpApiEndpoint.post("close", "/account/close", {
      query: override,
      payload: CloseRequest,
      success: Account.pipe(HttpApiSchema.status(202)),
      error: failures(
        "account_not_found",
        "closing_not_confirmed",
        "concurrent_deletion_state",
        "owner_required",
        "project_not_found",
        "project_override_refused",
        "tenant_required",
        "tier_move_in_progress"
      )
    })
      .annotate(MinimumTier, 2)
      .annotateMerge(
        described(
          "Close your account",
          "Closes the account and all its projects. Only a person with the role `customer-owner` or a platform " +
            "administrator may do so; a machine credential of any tier gets a 403.\n\n" +
            "- The closing itself destroys nothing and is complete with the response. From then on machine credentials " +
            "are suspended, members can still log in and read, and every change is refused with a 409.\n" +
            "- Everything that runs keeps running and keeps costing until `closes_at`, `window_days` after the closing. " +
            "Then the gateway destroys all projects with everything in them; no call restores them.\n" +
            "- Until `closes_at` the platform's operators can reopen the account on request.\n" +
            "- A second call is refused with a 409."
        )
      )
  )
  // These endpoints decide for themselves: `?project=` gets the same refusal whatever caller sends it.
  .annotateEndpoints(WithoutTenant, true)
  .annotateMerge(
    titled(
      "Account",
      "The account that the caller belongs to. An account is a customer of the platform. It owns one or more projects, has members, and is open, closing or " +
        "destroyed. These operations show the caller's own account and close it."
    )
  )
  .pipe(callerRoutes) {}

const number = {
  number: Schema.String.annotateKey({
    description: "The account's number, such as `42`. A malformed number is a 404, like an unknown one."
  })
}

/** Operator plane. */
export class Accounts extends HttpApiGroup.make("accounts")
  .add(
    HttpApiEndpoint.get("list", "/tenants/accounts", {
      query: {
        ...pageQuery,
        state: Schema.optionalKey(AccountState).annotateKey({
          description: "Lists only the accounts in this state. Without it accounts of every state are listed."
        })
      },
      success: AccountPage
    }).annotateMerge(
      described(
        "List all accounts",
        "Lists the accounts of all customers, destroyed ones too, oldest first. For an account whose destruction failed, " +
          "`refusal` has the upstream's message and `attempts` the number of attempts."
      )
    ),
    HttpApiEndpoint.post("reopen", "/tenants/accounts/:number/reopen", {
      params: number,
      success: Reopened,
      error: failures("account_destroying", "account_not_closing", "account_not_found", "account_window_over")
    }).annotateMerge(
      described(
        "Reopen a closing account",
        "Takes a closing back, in one transaction and without a call to any other system: the account is open, its " +
          "projects can be changed, and the machine credentials that only the closing suspended work again. " +
          "Credentials that were revoked or expired meanwhile stay so, and a project that is also being deleted stays " +
          "held. After `closes_at`, or once the destruction was ordered or has begun, the answer is a 409."
      )
    ),
    HttpApiEndpoint.post("finalize", "/tenants/accounts/:number/finalize", {
      params: number,
      payload: optionalBody(FinalizeRequest),
      success: AccountRow.pipe(HttpApiSchema.status(202)),
      error: failures("account_in_window", "account_not_closing", "account_not_found")
    }).annotateMerge(
      described(
        "Destroy a closing account now",
        "Orders the destruction of a closing account: all its projects with everything in them. Within the window a " +
          "`reason` is required, otherwise the answer is a 409. Nothing restores the account from here on.\n\n" +
          "The destruction runs in the background, and takes minutes or longer with the number of resources. It is done " +
          "when the list of accounts shows the state `destroyed`; a failed attempt shows there as `refusal` and is " +
          "repeated. Calling again after a failed attempt starts the next one at once; while an attempt runs it changes " +
          "nothing."
      )
    )
  )
  .annotateMerge(
    titled(
      "Accounts",
      "The accounts of all customers, for platform administrators. A closed account is `closing` for a window of " +
        "days, in which it can be reopened; then its projects are destroyed and only its record stays."
    )
  )
  .pipe(operatorRoutes) {}
