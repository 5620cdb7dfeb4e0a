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
  /** The account's project: the caller's own without it. */
  project_id: Schema.optionalKey(Schema.String),
  /** What follows from the address without it. */
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
  /** As the identity provider has it: `USER_STATE_ACTIVE`, `USER_STATE_INITIAL`, and others. */
  state: Schema.String,
  billing_access: Schema.Boolean,
  /** Of the owning tenant; null for the platform team alone, which has no project. */
  project_id: Schema.NullOr(Schema.String),
  /** As the platform knows it, and as a deletion has to be confirmed; `platform` for the platform team. */
  project_name: Schema.String,
  /** The organisation's; `platform` for the platform team. */
  tenant_name: Schema.String
}

export const OrgUser = Schema.Struct(row).annotate({ identifier: "OrgUser" })
export type OrgUser = typeof OrgUser.Type

/** Somebody who was not in the account before. */
export const Invited = Schema.Struct({ ...row, created: Schema.Literal(true) }).annotate({ identifier: "UserInvited" })
/** Somebody who was, and whose role is now the one of the invitation. */
export const Reinvited = Schema.Struct({
  ...row,
  created: Schema.Literal(false),
  /** The ids of the credentials that the person had minted, and that are of a lower tier from now on: that of the new role. */
  credentials_capped: Schema.Array(Schema.String)
}).annotate({ identifier: "UserUpdated" })

export const BillingGrant = Schema.Struct({ billing_access: Schema.Boolean }).annotate({ identifier: "BillingGrant" })
export type BillingGrant = typeof BillingGrant.Type

export const RemovedUser = Schema.Struct({
  user_id: Schema.String,
  /** The ids of the credentials that the person had minted, through however many others, all revoked now. */
  credentials_revoked: Schema.Array(Schema.String),
  /**
   * The ids of the webhooks and integrations that the person, or one of those credentials, had made. They are the
   * account's and go on; who removes a person looks whether they should.
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
