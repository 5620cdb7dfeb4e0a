import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { EmailAddress } from "./EmailAddress.ts"
import { described, meanings, titled } from "./describe.ts"
import { failures } from "./Failures.ts"
import { callerRoutes } from "./groups.ts"
import { Creates } from "./Idempotency.ts"
import { pageList, pageQuery } from "./Page.ts"
import { text } from "./Text.ts"

export const UserScope = meanings("Whose people are listed.", {
  tenant: "Those of one account.",
  all: "Those of every account. Only for platform administrators.",
  platform: "The platform's own team. Only for platform administrators."
})
export type UserScope = typeof UserScope.Type

/** The roles that an invitation may name, and who may name them: docs/tenants/people.md. */
export const InvitedRole = meanings(
  "The role of a person. Owners and customer-admins give the roles `customer-admin`, `customer`, " +
    "`customer-engineer` and `customer-viewer`; a platform administrator gives every role.",
  {
    customer: "Permission tier 2: reads, writes and deletes resources; manages no people.",
    "customer-viewer": "Permission tier 0: only reads.",
    "customer-engineer": "Permission tier 1: reads and writes, deletes nothing.",
    "customer-admin": "Permission tier 2, and manages people, organisation units and access policies.",
    "customer-owner":
      "Permission tier 2, manages people, organisation units and access policies, grants access to costs, deletes " +
      "projects and closes the account.",
    admin: "A platform administrator: the platform's own team, which acts on every account."
  }
).annotate({ identifier: "InvitedRole" })
export type InvitedRole = typeof InvitedRole.Type

export const InviteRequest = Schema.Struct({
  email: EmailAddress.annotateKey({
    description:
      "The person's address, to which the mail with the link goes. White space around it is ignored, and the domain is " +
      "kept in lower case."
  }),
  role: InvitedRole.annotateKey({ description: "The role that the person gets." }),
  project_id: Schema.optionalKey(Schema.String).annotateKey({
    description:
      "A project of the account. Default: the caller's own, and any other is a 404. Platform administrators, who have " +
      "none, must send it, except with the role `admin`, where it is refused."
  }),
  display_name: Schema.optionalKey(
    text(
      100,
      /^[^\p{Cc}\p{Cs}]*[^\p{Cc}\p{Cs}\s][^\p{Cc}\p{Cs}]*$/u,
      "a name that is not blank, without control characters"
    )
  ).annotateKey({
    description:
      "The person's name: 1 to 100 characters of text that people see, not blank. Default: derived from the address."
  })
}).annotate({ identifier: "UserInvite", description: "An invitation of a person into an account." })
export type InviteRequest = typeof InviteRequest.Type

const row = {
  user_id: Schema.String.annotateKey({ description: "The person's user id at the identity provider." }),
  display_name: Schema.String.annotateKey({ description: "The person's name." }),
  email: Schema.String.annotateKey({ description: "The person's e-mail address." }),
  roles: Schema.Array(Schema.String).annotateKey({
    description: "The person's role in the account, as the only entry; for the platform team the administrator's role."
  }),
  state: Schema.String.annotateKey({
    description:
      "The state of the login at the identity provider. `USER_STATE_INITIAL`: the person has not followed the link yet. " +
      "`USER_STATE_ACTIVE`: the person can log in. `USER_STATE_DELETED`: the login does not exist any more. There " +
      "may be others."
  }),
  billing_access: Schema.Boolean.annotateKey({
    description: "Whether the person may see the account's costs. Owners and the platform team always may."
  }),
  project_id: Schema.NullOr(Schema.String).annotateKey({
    description: "The account's project. Null for the platform team, which has none."
  }),
  project_name: Schema.String.annotateKey({
    description:
      "The project's name at the platform, which `confirm` takes when the project is deleted. `platform` for the " +
      "platform team."
  }),
  tenant_name: Schema.String.annotateKey({
    description: "The organisation's name. `platform` for the platform team."
  })
}

export const OrgUser = Schema.Struct(row).annotate({ identifier: "OrgUser", description: "A person of an account." })
export type OrgUser = typeof OrgUser.Type

export const Invited = Schema.Struct({
  ...row,
  created: Schema.Literal(true).annotateKey({ description: "Always true: the person is new." })
}).annotate({ identifier: "UserInvited", description: "A person who was not in the account before." })
export const Reinvited = Schema.Struct({
  ...row,
  created: Schema.Literal(false).annotateKey({ description: "Always false: the person was in the account before." }),
  credentials_capped: Schema.Array(Schema.String).annotateKey({
    description:
      "The ids of the live credentials that the person had minted, directly or through other credentials, and that the " +
      "new role's lower tier limits now. Empty when the tier did not fall."
  })
}).annotate({
  identifier: "UserUpdated",
  description: "A person who was in the account before, and now has the invitation's role."
})

export const BillingGrant = Schema.Struct({
  billing_access: Schema.Boolean.annotateKey({
    description: "Whether the person, and the credentials that the person made, may see the account's costs."
  })
}).annotate({ identifier: "BillingGrant", description: "Access to an account's costs." })
export type BillingGrant = typeof BillingGrant.Type

export const RemovedUser = Schema.Struct({
  user_id: Schema.String.annotateKey({ description: "The user id that the person had." }),
  credentials_revoked: Schema.Array(Schema.String).annotateKey({
    description:
      "The ids of all credentials that the person had minted, directly or through other credentials. All are revoked."
  }),
  webhooks_kept: Schema.Array(Schema.String).annotateKey({
    description:
      "The ids of the webhooks that the person, or one of those credentials, had made. They belong to the account and " +
      "stay: check their addresses and rotate their secrets, which the person has seen."
  }),
  integrations_kept: Schema.Array(Schema.String).annotateKey({
    description:
      "The ids of the integrations that the person, or one of those credentials, had made. They stay too; the person's " +
      "address has left those that send mail."
  })
}).annotate({
  identifier: "UserRemoved",
  description: "The removal of a person: the credentials that it ended, and the webhooks and integrations that stay."
})
export type RemovedUser = typeof RemovedUser.Type

const userId = { user_id: Schema.String.annotateKey({ description: "The person's user id at the identity provider." }) }

/** The people of an account. Both planes. */
export class OrgUsers extends HttpApiGroup.make("org-users")
  .add(
    HttpApiEndpoint.get("list", "/org/users", {
      query: {
        project_id: Schema.optionalKey(Schema.String).annotateKey({
          description:
            "A project of the account. Default: the caller's own, and any other is a 404. Platform administrators, who " +
            "have none, must send it unless `scope` is `all` or `platform`, with which it is refused."
        }),
        scope: Schema.optionalKey(UserScope).annotateKey({ description: "Default: `tenant`." }),
        ...pageQuery
      },
      success: pageList("OrgUserList", {
        users: Schema.Array(OrgUser).annotateKey({
          description: "The people of this page, oldest membership first; the platform team by user id."
        })
      }),
      error: failures(
        "admin_required",
        "people_role_required",
        "project_id_refused",
        "project_not_found",
        "tenant_required",
        "upstream_failed"
      )
    }).annotateMerge(
      described(
        "List the people of the account",
        "Lists the people of the caller's account with their roles, the state of their logins and their access to costs. " +
          "It is for people who manage people: owners, customer-admins and platform administrators; every other caller, " +
          "machine credentials included, gets a 403. An invited person is listed from the invitation on."
      )
    ),
    HttpApiEndpoint.post("invite", "/org/users/invite", {
      payload: InviteRequest,
      success: [Invited.pipe(HttpApiSchema.status(201)), Reinvited],
      error: failures(
        "admin_required",
        "concurrent_deletion_state",
        "credential_allowance_reached",
        "invitation_allowance",
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
    })
      .annotateMerge(
        described(
          "Invite a person or change a role",
          "Creates a login for the person, with the role, and the identity provider mails a link to it. A person who is in " +
            "the account already gets the role of this invitation (200 instead of 201), and the mail once more as long as " +
            "the link was not followed.\n\n" +
            "- It is for owners, customer-admins and platform administrators. The caller gives no role whose tier is above " +
            "its own, and only an owner changes an owner. The last owner keeps the role.\n" +
            "- A role of a lower tier limits all credentials that the person made from the next call on.\n" +
            "- A member counts against the project's allowance of credentials, and begins in the caller's organisation " +
            "unit.\n" +
            "- A person who has a login elsewhere is a 409. In a suspended project a new person is a 403; roles can be " +
            "changed.\n" +
            "- It runs to its end when the client disconnects, and may be repeated when its response was lost. A failed " +
            "invitation is taken back."
        )
      )
      .middleware(Creates),
    HttpApiEndpoint.put("setBilling", "/org/users/:user_id/billing", {
      params: userId,
      payload: BillingGrant,
      success: OrgUser,
      error: failures("owner_required", "owner_sees_billing", "upstream_failed", "user_not_found")
    }).annotateMerge(
      described(
        "Show costs to a member, or hide them",
        "Grants a member access to the account's costs, or takes it away, also for all credentials that the " +
          "member made. It is for owners and platform administrators. Owners always see costs, so taking it from " +
          "one is a 409. It takes effect at once; a replica of the gateway that misses the change takes 60 seconds " +
          "at most."
      )
    ),
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
    }).annotateMerge(
      described(
        "Remove a person from the account",
        "Takes all access from the person first, then revokes every credential that the person made, directly or through " +
          "other credentials, takes the person's address out of the account's mail integrations, and removes the login. " +
          "Webhooks and integrations that the person made stay, and the response lists them. To keep a credential that " +
          "machines use, rotate it as another person first.\n\n" +
          "It is for owners, customer-admins and platform administrators; only an owner removes an owner, and the last " +
          "owner cannot be removed. A removal that was cut short is finished by a repeated call, or by the gateway within " +
          "minutes."
      )
    )
  )
  .annotateMerge(
    titled(
      "People",
      "The members of an account, with their roles. Each has a login at the identity provider and one role, which decides " +
        "the permission tier and the other rights of the person. Machines have credentials instead, and no role."
    )
  )
  .pipe(callerRoutes) {}
