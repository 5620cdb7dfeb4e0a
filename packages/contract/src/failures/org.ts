import type { Resource } from "./Resource.ts"

/** Failures of the people of an account. */
export const org = {
  Forbidden: {
    peopleRole: {
      code: "people_role_required",
      detail:
        "This action requires the role customer-owner or customer-admin in the account, or the platform administrator role",
      cause: "The account's owners and customer-admins manage people. Machine credentials of every tier have no role.",
      fix: "Have a person with one of the roles call it, or a platform administrator."
    },
    roleNotGiven: {
      code: "role_not_given",
      detail: (role: string) =>
        `The role '${role}' is not the caller's to give: owners and customer-admins give customer, customer-viewer, ` +
        "customer-engineer and customer-admin; every role requires the platform administrator role",
      example: ["customer-owner"],
      cause: "The invitation gives a role that the caller may not give.",
      fix: "Choose another role, or ask a platform administrator."
    }
  },
  NotFound: {
    /** A person who is not a member of the account, or an unknown user. */
    user: {
      code: "user_not_found",
      detail: (id: string) => `User '${id}' not found`,
      example: ["2000"],
      cause: "No member of the account has this user id.",
      fix: "Take the id from GET /v1/org/users."
    }
  },
  Conflict: {
    /** Does not disclose the account. */
    loginElsewhere: {
      code: "login_elsewhere",
      detail: "The address is a login already, and not one of this account; invite the person with another address",
      cause: "The address is the login of a person who is not in this account. The response does not say whose.",
      fix: "Invite the person with another address."
    },
    invitationAllowance: {
      code: "invitation_allowance",
      detail: (most: number, perAddress: number) =>
        `At most ${most} invitations an hour go out by mail, and ${perAddress} to one address; invite again later`,
      example: [50, 5],
      cause: "The account has sent as many invitations by mail as it may in an hour, or as many to this address.",
      fix: "Wait until an hour has passed since the first of them."
    },
    invitationBusy: {
      code: "invitation_busy",
      detail: "The person is being invited or removed by another request; try again in a moment",
      cause:
        "An invitation of the same address, or the person's removal, is running; one that died half way is " +
        "finished within minutes.",
      fix: "Try again in a moment."
    },
    lastOwner: {
      code: "last_owner",
      detail:
        "The account's last owner can be neither removed nor given another role; make another member an owner first",
      cause: "The account would have no owner.",
      fix: "Have a platform administrator make another member an owner first."
    },
    ownerSeesBilling: {
      code: "owner_sees_billing",
      detail: "An owner of the account always sees its costs",
      cause: "Billing access was to be taken from an owner of the account.",
      fix: "Give the person another role first."
    },
    ownTeamLogin: {
      code: "own_team_login",
      detail: "A platform administrator cannot leave the platform team; another one can remove them",
      cause: "A platform administrator was about to remove the own login.",
      fix: "Have another platform administrator do it."
    },
    loginNotMadeHere: {
      code: "login_not_made_here",
      detail: "The login was not made by an invitation; take the role away at the identity provider",
      cause: "A platform administrator's login that no invitation made was to be removed.",
      fix: "Take its role away at the identity provider."
    }
  },
  Unprocessable: {
    projectIdRequired: {
      code: "project_id_required",
      detail: "A platform administrator has no account: project_id must name the one that the person joins",
      cause: "A platform administrator invited a person without naming the account.",
      fix: "Send `project_id`, or the role `admin` for the platform team."
    },
    projectIdRefused: {
      code: "project_id_refused",
      detail:
        "project_id cannot be given here: the platform team, and the people of all accounts, belong to no project",
      cause: "`project_id` came together with the role `admin`, or with a `scope` that belongs to no project.",
      fix: "Leave `project_id` out."
    }
  }
} as const satisfies Resource
