import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Authenticated, MinimumTier, PlatformAdmin, Validated, WellFormed, WithoutTenant } from "./Access.ts"
import { failures } from "./Failures.ts"
import { pageFields, pageQuery } from "./Page.ts"
import { Tier } from "./Tiers.ts"

/**
 * `closing`: nothing in the account can be changed and its credentials are
 * held, until it is reopened or its window ends. `destroyed`: only the
 * account's row is left.
 */
export const AccountState = Schema.Literals(["open", "closing", "destroyed"])
export type AccountState = typeof AccountState.Type

const shown = {
  /** A short positive integer, never reused. */
  number: Schema.Int,
  name: Schema.String,
  state: AccountState,
  created_at: Schema.String,
  /**
   * Days between the closing and the destruction; 0 is at once. For an open
   * account, the days that a closing would have now.
   */
  window_days: Schema.Int,
  /** When, by which user id, and why it was closed. Null while it is open, like the fields below. */
  closed_at: Schema.NullOr(Schema.String),
  closed_by: Schema.NullOr(Schema.String),
  reason: Schema.NullOr(Schema.String),
  /** When the window ends: from then on the account cannot be reopened, and is destroyed. */
  closes_at: Schema.NullOr(Schema.String),
  /** The destruction has begun: the account cannot be reopened, whatever is left of the window. */
  destroying: Schema.Boolean
}

export const Account = Schema.Struct({
  ...shown,
  projects: Schema.Array(
    Schema.Struct({ project_id: Schema.String, name: Schema.String, slug: Schema.String, tier: Tier })
  ),
  /** How many people are members. */
  members: Schema.Int
}).annotate({ identifier: "Account" })
export type Account = typeof Account.Type

export const AccountRow = Schema.Struct({
  ...shown,
  /** Project ids; for a destroyed account, those that it had. */
  projects: Schema.Array(Schema.String),
  destroyed_at: Schema.NullOr(Schema.String),
  /** The user id that ended the window early, and the reason. Null when the window ended by itself. */
  finalized_by: Schema.NullOr(Schema.String),
  finalize_reason: Schema.NullOr(Schema.String),
  /** How often the destruction was started or continued. */
  attempts: Schema.Int,
  /** What failed at the last attempt, with the upstream's message; the destruction is retried. */
  refusal: Schema.NullOr(Schema.Struct({ words: Schema.String, at: Schema.String }))
}).annotate({ identifier: "AccountRow" })
export type AccountRow = typeof AccountRow.Type

const Reason = Schema.String.check(
  Schema.isMinLength(1),
  Schema.isMaxLength(1000),
  // Lone surrogates and control characters cannot be stored or displayed in every system.
  Schema.isPattern(/^[^\p{Cc}\p{Cs}]*$/u, { expected: "a string without control characters" })
)

export const CloseRequest = Schema.Struct({
  /** The account's exact name. */
  confirm: Schema.String,
  reason: Schema.optionalKey(Reason)
}).annotate({ identifier: "AccountCloseRequest" })
export type CloseRequest = typeof CloseRequest.Type

export const FinalizeRequest = Schema.Struct({
  /** Why the destruction does not wait for the end of the window. */
  reason: Schema.optionalKey(Reason)
}).annotate({ identifier: "AccountFinalizeRequest" })
export type FinalizeRequest = typeof FinalizeRequest.Type

export const Reopened = Schema.Struct({
  account: AccountRow,
  /** The restored credentials, project by project, without those held for another reason. */
  projects: Schema.Array(
    Schema.Struct({ project_id: Schema.String, restored_credentials: Schema.Array(Schema.String) })
  )
}).annotate({ identifier: "AccountReopened" })
export type Reopened = typeof Reopened.Type

export const AccountPage = Schema.Struct({ ...pageFields, accounts: Schema.Array(AccountRow) }).annotate({
  identifier: "AccountList"
})
export type AccountPage = typeof AccountPage.Type

const override = { project: Schema.optionalKey(Schema.String) }

/** Both planes: the caller's own account; `?project=` is for platform administrators. */
export class AccountGroup extends HttpApiGroup.make("account")
  .add(
    HttpApiEndpoint.get("show", "/account", {
      query: override,
      success: Account,
      error: failures("project_not_found", "project_override_refused", "tenant_required")
    }),
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
    }).annotate(MinimumTier, 2)
  )
  // These endpoints decide for themselves: `?project=` gets the same refusal whatever caller sends it.
  .annotateEndpoints(WithoutTenant, true)
  .middleware(WellFormed)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}

const number = { number: Schema.String }

/** Operator plane. */
export class Accounts extends HttpApiGroup.make("accounts")
  .add(
    HttpApiEndpoint.get("list", "/tenants/accounts", {
      query: { ...pageQuery, state: Schema.optionalKey(AccountState) },
      success: AccountPage
    }),
    HttpApiEndpoint.post("reopen", "/tenants/accounts/:number/reopen", {
      params: number,
      success: Reopened,
      error: failures("account_destroying", "account_not_closing", "account_not_found", "account_window_over")
    }),
    HttpApiEndpoint.post("finalize", "/tenants/accounts/:number/finalize", {
      params: number,
      payload: FinalizeRequest,
      success: AccountRow.pipe(HttpApiSchema.status(202)),
      error: failures("account_in_window", "account_not_closing", "account_not_found")
    })
  )
  // The role decides; an administrator holds tier 2.
  .annotateEndpoints(MinimumTier, 0)
  .middleware(WellFormed)
  .middleware(PlatformAdmin)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}
