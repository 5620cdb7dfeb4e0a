import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Authenticated, Validated, WellFormed } from "./Access.ts"
import { EmailAddress } from "./EmailAddress.ts"
import { failures } from "./Failures.ts"
import { Creates } from "./Idempotency.ts"
import { pageFields, pageQuery } from "./Page.ts"

/**
 * `tenant`: one account. `all`: every account. `platform`: the platform's own
 * team. The last two are for platform administrators.
 */
export const UserScope = Schema.Literals(["tenant", "all", "platform"])
export type UserScope = typeof UserScope.Type

/** The roles that an invitation may name, and who may name them: docs/tenants/people.md. */
export const InvitedRole = Schema.Literals([
  "customer",
  "customer-viewer",
  "customer-engineer",
  "customer-admin",
  "customer-owner",
  "admin"
]).annotate({ identifier: "InvitedRole" })
export type InvitedRole = typeof InvitedRole.Type

export const InviteRequest = Schema.Struct({
  email: EmailAddress,
  role: InvitedRole,
  /** The account's project. Default: the caller's own. */
  project_id: Schema.optionalKey(Schema.String),
  /** Default: derived from the address. */
  display_name: Schema.optionalKey(
    Schema.String.check(
      Schema.isMinLength(1),
      Schema.isMaxLength(100),
      Schema.isPattern(/^[^\p{Cc}\p{Cs}]*[^\p{Cc}\p{Cs}\s][^\p{Cc}\p{Cs}]*$/u, {
        expected: "a name that is not blank, without control characters"
      })
    )
  )
}).annotate({ identifier: "UserInvite" })
export type InviteRequest = typeof InviteRequest.Type

const row = {
  user_id: Schema.String,
  display_name: Schema.String,
  email: Schema.String,
  roles: Schema.Array(Schema.String),
  /** The identity provider's state: `USER_STATE_ACTIVE`, `USER_STATE_INITIAL`, and others. */
  state: Schema.String,
  billing_access: Schema.Boolean,
  /** The owning tenant's project; null only for the platform team, which has none. */
  project_id: Schema.NullOr(Schema.String),
  /** The platform's name of the project, which confirms a deletion; `platform` for the platform team. */
  project_name: Schema.String,
  /** The organisation's name; `platform` for the platform team. */
  tenant_name: Schema.String
}

export const OrgUser = Schema.Struct(row).annotate({ identifier: "OrgUser" })
export type OrgUser = typeof OrgUser.Type

/** A person who was not in the account before. */
export const Invited = Schema.Struct({ ...row, created: Schema.Literal(true) }).annotate({ identifier: "UserInvited" })
/** A person who was in the account before, and now has the invitation's role. */
export const Reinvited = Schema.Struct({
  ...row,
  created: Schema.Literal(false),
  /** The ids of the credentials that the person had minted and that the new role's tier now caps. */
  credentials_capped: Schema.Array(Schema.String)
}).annotate({ identifier: "UserUpdated" })

export const BillingGrant = Schema.Struct({ billing_access: Schema.Boolean }).annotate({ identifier: "BillingGrant" })
export type BillingGrant = typeof BillingGrant.Type

export const RemovedUser = Schema.Struct({
  user_id: Schema.String,
  /**
   * The ids of all credentials that the person had minted, directly or through
   * other credentials; all are revoked now.
   */
  credentials_revoked: Schema.Array(Schema.String),
  /**
   * The ids of the webhooks and integrations that the person, or one of those
   * credentials, had made. They belong to the account and stay; the caller
   * decides whether to remove them.
   */
  webhooks_kept: Schema.Array(Schema.String),
  integrations_kept: Schema.Array(Schema.String)
}).annotate({ identifier: "UserRemoved" })
export type RemovedUser = typeof RemovedUser.Type

const userId = { user_id: Schema.String }

/** The people of an account. Both planes. */
export class OrgUsers extends HttpApiGroup.make("org-users")
  .add(
    HttpApiEndpoint.get("list", "/org/users", {
      query: { project_id: Schema.optionalKey(Schema.String), scope: Schema.optionalKey(UserScope), ...pageQuery },
      success: Schema.Struct({ ...pageFields, users: Schema.Array(OrgUser) }).annotate({ identifier: "OrgUserList" }),
      error: failures(
        "admin_required",
        "people_role_required",
        "project_id_refused",
        "project_not_found",
        "tenant_required",
        "upstream_failed"
      )
    }),
    HttpApiEndpoint.post("invite", "/org/users/invite", {
      payload: InviteRequest,
      success: [Invited.pipe(HttpApiSchema.status(201)), Reinvited],
      error: failures(
        "admin_required",
        "concurrent_deletion_state",
        "credential_allowance_reached",
        "invitation_busy",
        "last_owner",
        "login_elsewhere",
        "owner_required",
        "people_role_required",
        "project_id_refused",
        "project_id_required",
        "project_not_found",
        "role_not_given",
        "tenant_suspended",
        "tier_too_low",
        "upstream_failed"
      )
    }).middleware(Creates),
    HttpApiEndpoint.put("setBilling", "/org/users/:user_id/billing", {
      params: userId,
      payload: BillingGrant,
      success: OrgUser,
      error: failures("owner_required", "owner_sees_billing", "upstream_failed", "user_not_found")
    }),
    HttpApiEndpoint.delete("remove", "/org/users/:user_id", {
      params: userId,
      success: RemovedUser,
      error: failures(
        "admin_required",
        "concurrent_change",
        "last_owner",
        "login_not_made_here",
        "own_team_login",
        "owner_required",
        "people_role_required",
        "upstream_failed",
        "user_not_found"
      )
    })
  )
  .middleware(WellFormed)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}
