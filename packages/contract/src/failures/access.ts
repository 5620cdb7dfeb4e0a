import type { Resource } from "./Resource.ts"

/**
 * What the rate limits count. Signups are counted per address and in total; the
 * response does not disclose which of the two was exceeded.
 */
const tooMany = {
  logins: "failed logins",
  deadTokens: "requests from this address brought tokens that are not active",
  signups: "signups",
  sessions: "logins of this person"
} as const

/** Failures of authentication and authorization. */
export const access = {
  Unauthorized: {
    missingBearer: {
      code: "missing_authorization",
      detail: "Missing or invalid Authorization header",
      cause: "The request carries no `Authorization: Bearer …` header, or a malformed one.",
      fix: "Send a Bearer token: an access token of the identity provider or a personal access token."
    },
    tokenNotActive: {
      code: "token_inactive",
      detail: "Token is not active",
      cause:
        "The identity provider says that the token is not active: expired, revoked, unknown, or issued for another audience.",
      fix: "Get a new token, with the project-audience scope of the API."
    },
    introspectionFailed: {
      code: "introspection_failed",
      detail: "Token introspection failed",
      cause: "The identity provider answered the check of the token with something that cannot be used.",
      fix: "Try again; if it stays, report it to the operator."
    },
    revoked: {
      code: "credential_revoked",
      detail: "Credential has been revoked",
      cause: "The credential behind the token was revoked.",
      fix: "Use another credential, or have one minted under POST /v1/credentials."
    },
    expired: {
      code: "credential_expired",
      detail: "Credential has expired",
      cause: "The credential behind the token reached its expiry.",
      fix: "Have a new credential minted under POST /v1/credentials."
    },
    suspended: {
      code: "credential_suspended",
      detail: "Credential is suspended",
      cause: "The credential is held because its project is being deleted or its account closed.",
      fix: "It works again when the deletion is cancelled or the account is reopened."
    }
  },
  Forbidden: {
    noProjectRoles: {
      code: "no_project_roles",
      detail: "Token carries no project roles; tenant access denied",
      cause: "The token's user holds no role in the API's project.",
      fix: "Request the roles scope with the token, or have a role granted."
    },
    noTenant: {
      code: "no_tenant",
      detail: (user: string) =>
        `No tenant assigned for user '${user}': no TENANT_MAP entry and no admin role. ` +
        "Ask an operator to map your user to a project.",
      example: ["ursula"],
      cause: "The user is neither bound to a tenant nor a platform administrator.",
      fix: "Ask an operator to map the user to a project."
    },
    /** @param method of a proxied call, which determines the tier; undefined for a first-class route */
    tierTooLow: {
      code: "tier_too_low",
      detail: (method: string | undefined, needed: number, held: number) =>
        `Insufficient credential tier: ${method ?? "this action"} requires tier ${needed}, the caller's credential is ` +
        `tier ${held}. Tiers: 0 read-only, 1 operate (writes), 2 destructive (deletes).` +
        (method === undefined ? " Create a higher-tier credential under POST /v1/credentials." : ""),
      example: [undefined, 1, 0],
      cause: "The credential's permission tier is below that of the call. Minting a tier needs that tier.",
      fix: "Use a credential of the tier that `detail` names."
    },
    /** Applies to every tier: a machine credential has no role. */
    ownerRequired: {
      code: "owner_required",
      detail: "This action requires the role customer-owner in the account, or the platform administrator role",
      cause: "The action is the account owner's. Machine credentials of every tier have no role.",
      fix: "Have a person with the role customer-owner call it, or a platform administrator."
    },
    /** Constant: it discloses neither the caller's address nor the allowed networks. */
    sourceNetwork: {
      code: "source_network_refused",
      detail: "The credential is limited to source networks, and this call does not come from one of them",
      cause: "The credential was minted with `networks`, and the call comes from an address in none of them.",
      fix: "Call from one of the networks. An operator whose gateway stands behind a proxy has to name it in TRUSTED_PROXIES."
    },
    /** Contract, Authentication 12. */
    agentReadsNoSecret: {
      code: "agent_reads_no_secret",
      detail: "A credential of kind mcp reads no stored secret",
      cause:
        "A credential of kind `mcp`, or one that such a credential minted, asks for a stored secret: agents act, " +
        "and read no secrets.",
      fix: "Read it as a person, or with a credential of kind `api-key`."
    },
    adminRequired: {
      code: "admin_required",
      detail: "This action requires the platform administrator role",
      cause: "The route is for platform administrators.",
      fix: "Call it with a platform administrator's token."
    },
    projectOverride: {
      code: "project_override_refused",
      detail: "The project parameter is for platform administrators",
      cause:
        "A caller who is not a platform administrator sent `?project=`. The response is the same whether or not " +
        "the project exists.",
      fix: "Leave the parameter out: the project follows from the credential."
    },
    /** The same for every route, first-class or proxied. */
    tenantSuspended: {
      code: "tenant_suspended",
      detail: "The tenant is suspended: running resources keep running, and nothing new can be created",
      cause: "The tenant is suspended, and the call would create something, or make something larger.",
      fix:
        "Ask an operator to move the tenant to a tier. Reads, changes of existing resources, power actions and " +
        "deletions work meanwhile."
    }
  },
  Conflict: {
    tenantRequired: {
      code: "tenant_required",
      detail: "A platform credential is scoped to no tenant; this endpoint needs the credential of a tenant",
      cause: "A platform administrator's credential has no tenant, and the endpoint needs one.",
      fix: "Call it with a credential of the tenant, or on the operator plane, where administrators have their powers."
    },
    /** The same sentence for every route, first-class or proxied. */
    closing: {
      code: "concurrent_deletion_state",
      detail:
        "Concurrent deletion state: the project is being deleted or its account is being closed, and nothing in it " +
        "can be changed",
      cause:
        "The project is being deleted, or its account is being closed: it can be read, and nothing in it can be changed.",
      fix: "Wait for the end, or have the deletion cancelled or the account reopened."
    }
  },
  TooManyRequests: {
    /**
     * @param whose a kind of limit, which does not disclose whether a login or
     * token was valid; or the tenant's allowance
     */
    rateLimited: {
      code: "rate_limited",
      detail: (whose: keyof typeof tooMany | number) =>
        typeof whose === "number"
          ? `The tenant's allowance of ${whose} requests a minute is used up; try again later`
          : `Too many ${tooMany[whose]}; try again later`,
      example: [300],
      cause:
        "Too many requests of the tenant, all its credentials together, or too many failed logins, dead tokens or signups from one address, or too many logins of one person at the console, in a short time.",
      fix: "Wait for as many seconds as the header `Retry-After` says."
    }
  },
  Unavailable: {
    identityProvider: {
      code: "identity_provider_unreachable",
      detail: "The identity provider cannot be reached",
      cause: "The identity provider could not be reached, so the token could not be checked.",
      fix: "Try again."
    }
  }
} as const satisfies Resource
