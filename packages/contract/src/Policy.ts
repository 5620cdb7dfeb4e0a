import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { MinimumTier, OwnersAlways, PermissionTier } from "./Access.ts"
import { described, titled } from "./describe.ts"
import { failures } from "./Failures.ts"
import { callerRoutes } from "./groups.ts"
import { Creates } from "./Idempotency.ts"
import { pageList, pageQuery } from "./Page.ts"

/** At most eight labels of a-z, 0-9 and hyphens, up to 63 characters each. */
const labels = "[a-z0-9-]{1,63}(?:\\.[a-z0-9-]{1,63}){0,7}"
const unitPath = new RegExp(`^${labels}$`)

export const UnitPath = Schema.String.check(
  Schema.isPattern(unitPath, {
    expected: "a dotted path of at most 8 labels, each of 1 to 63 characters a-z, 0-9 and hyphens"
  })
).annotate({
  description:
    "The dotted path of an organisation unit, which names its parents: `engineering.backend.ci` is below " +
    "`engineering.backend`. At most 8 labels of 1 to 63 characters a-z, 0-9 and hyphens."
})

const Scope = Schema.String.check(
  Schema.isPattern(new RegExp(`^(?:${labels})?$`), {
    expected: "the dotted path of an organisation unit, or empty for the whole account"
  })
).annotate({ description: "The dotted path of an organisation unit, or empty for the whole account." })

/** The parent unit; undefined for a unit directly below the account. */
export const parentOf = (path: string): string | undefined => {
  const at = path.lastIndexOf(".")
  return at < 0 ? undefined : path.slice(0, at)
}

/** The units whose policies apply to this one, in order: from the account itself (the empty path) down to the unit. */
export const lineageOf = (path: string): ReadonlyArray<string> => {
  if (path === "") return [""]
  const labels = path.split(".")
  return ["", ...labels.map((_, depth) => labels.slice(0, depth + 1).join("."))]
}

/** The calls of an area that a deny refuses: those that need this tier or a higher one. */
export const denyLevels = { read: 0, operate: 1, destroy: 2 } as const satisfies Record<string, PermissionTier>

export const OrganisationUnit = Schema.Struct({
  path: Schema.String.annotateKey({ description: "The unit's dotted path; it never changes." }),
  parent: Schema.NullOr(Schema.String).annotateKey({
    description: "The path of the parent unit. Null for a unit directly below the account."
  }),
  created_at: Schema.String.annotateKey({ description: "When the unit was created: RFC 3339, UTC." }),
  created_by: Schema.String.annotateKey({ description: "The user id of the caller that created it." })
}).annotate({
  identifier: "OrganisationUnit",
  description: "A part of an account, which credentials and members are put into and policies apply to."
})
export type OrganisationUnit = typeof OrganisationUnit.Type

export const UnitRequest = Schema.Struct({
  path: UnitPath.annotateKey({ description: "The path of the new unit. Its parent unit must exist." })
}).annotate({ identifier: "OrganisationUnitRequest", description: "A new organisation unit." })
export type UnitRequest = typeof UnitRequest.Type

export const UnitMember = Schema.Struct({
  credential_id: Schema.NullOr(Schema.String).annotateKey({ description: "The credential's id. Null for a person." }),
  user_id: Schema.NullOr(Schema.String).annotateKey({ description: "The person's user id. Null for a credential." }),
  ou: Schema.NullOr(Schema.String).annotateKey({
    description: "The path of the unit. Null for no unit: only the account's own policy applies."
  })
}).annotate({ identifier: "OrganisationUnitMember", description: "A credential or a person, and its unit." })
export type UnitMember = typeof UnitMember.Type

const stated = {
  max_tier: {
    description:
      "The highest permission tier that callers in the unit and below have. Null when the policy caps no tier."
  },
  denies: {
    description:
      "A denial for the unit and the units below, as the policy states it: `area`, `area:operate` or `area:destroy`."
  }
}

export const AccessPolicy = Schema.Struct({
  ou: Schema.String.annotateKey({ description: "The path of the policy's unit. Empty for the whole account." }),
  max_tier: Schema.NullOr(PermissionTier).annotateKey(stated.max_tier),
  denies: Schema.Array(Schema.String).annotateKey(stated.denies),
  created_at: Schema.String.annotateKey({ description: "When the policy was created: RFC 3339, UTC." }),
  updated_at: Schema.String.annotateKey({ description: "When the policy was last replaced: RFC 3339, UTC." }),
  updated_by: Schema.String.annotateKey({ description: "The user id of the caller that last replaced it." })
}).annotate({
  identifier: "AccessPolicy",
  description: "The restrictions of callers in one organisation unit, or in the whole account."
})
export type AccessPolicy = typeof AccessPolicy.Type

/** All of `areas.ts`, which reads them from the declarations and so cannot be read here; a test compares the two. */
const areaNames =
  "`access`, `account`, `agents`, `alarms`, `audit`, `autoscaling`, `budgets`, `compute`, `cost`, `credentials`, `databases`, " +
  "`dns`, `edge`, `events`, `identity`, `image`, `integrations`, `invoices`, `key-manager`, `kubernetes`, " +
  "`load-balancer`, `metrics`, `nat-gateways`, `network`, `object-storage`, `org`, `projects`, `quotas`, `registry`, " +
  "`status`, `volume`, `webhooks`, `whoami`, `workload-identity`"

export const PolicyRequest = Schema.Struct({
  ou: Scope,
  max_tier: Schema.optionalKey(PermissionTier).annotateKey({
    description:
      "The highest permission tier that callers in the unit and below have. Of all policies from the account down to a " +
      "caller's unit the lowest counts. Absent when the policy caps no tier."
  }),
  denies: Schema.optionalKey(Schema.Array(Schema.String).check(Schema.isMaxLength(100))).annotateKey({
    description:
      "Calls to refuse at every tier: at most 100. Absent when the policy denies nothing.\n\n" +
      "- `area` denies every call of the area, and so does `area:read`.\n" +
      "- `area:operate` denies calls that need tier 1 or 2.\n" +
      "- `area:destroy` denies calls that need tier 2.\n\n" +
      "An area is a service of the platform or the first segment of a path after `/v1`; a name that is both denies both. " +
      `The areas: ${areaNames}.`
  })
}).annotate({ identifier: "AccessPolicyRequest", description: "The policy of a unit or of the whole account." })
export type PolicyRequest = typeof PolicyRequest.Type

export const EffectivePolicy = Schema.Struct({
  project_id: Schema.String.annotateKey({ description: "The account's project." }),
  ou: Schema.String.annotateKey({
    description: "The subject's unit, or the unit that was asked about. Empty for the account itself."
  }),
  credential_id: Schema.NullOr(Schema.String).annotateKey({
    description: "The credential that the answer is about. Null for a person, and for a unit."
  }),
  user_id: Schema.NullOr(Schema.String).annotateKey({
    description: "The person that the answer is about. Null for a credential, and for a unit."
  }),
  tier: Schema.NullOr(PermissionTier).annotateKey({
    description:
      "The permission tier before policies: the lowest of the credential or membership and its makers. Null for a unit, " +
      "and for a caller without a record of its own."
  }),
  effective_tier: Schema.NullOr(PermissionTier).annotateKey({
    description:
      "The permission tier that all policies leave, those of the makers' units included. Null when `tier` is null."
  }),
  max_tier: Schema.NullOr(PermissionTier).annotateKey({
    description: "The lowest cap from the account down to `ou`. Null when no policy there has one."
  }),
  max_tier_from: Schema.NullOr(Schema.String).annotateKey({
    description:
      "The unit whose policy decided `max_tier`: of units that say the same, the one nearest to the account, which is " +
      "empty. Null when `max_tier` is null."
  }),
  denies: Schema.Array(
    Schema.Struct({
      deny: Schema.String.annotateKey({ description: "The deny, as the policy states it." }),
      from: Schema.String.annotateKey({
        description: "The unit nearest to the account that states it. Empty for the account itself."
      })
    })
  ).annotateKey({ description: "The denies of all policies from the account down to `ou`." }),
  units: Schema.Array(
    Schema.Struct({
      ou: Schema.String.annotateKey({ description: "The unit's path. Empty for the account itself." }),
      max_tier: Schema.NullOr(PermissionTier).annotateKey({
        description: "The cap of the unit's policy. Null when it has none."
      }),
      denies: Schema.Array(Schema.String).annotateKey({
        description: "The denies of the unit's policy. Empty when it has none."
      })
    })
  ).annotateKey({ description: "The units from the account down to `ou`, each with its own policy." })
}).annotate({
  identifier: "EffectivePolicy",
  description: "The combined effect of the policies from the account down to a unit, and the policies that decided it."
})
export type EffectivePolicy = typeof EffectivePolicy.Type

/** For platform administrators, who have no tenant; every other caller uses its own. */
const project = {
  project_id: Schema.optionalKey(Schema.String).annotateKey({
    description:
      "The account's project. Default: the caller's own, and any other is a 404. Platform administrators, who have none, " +
      "must send it."
  })
}

const unit = { path: Schema.String.annotateKey({ description: "The unit's dotted path." }) }

const member = {
  ...unit,
  id: Schema.String.annotateKey({ description: "The `credential_id` of a credential, or the `user_id` of a person." })
}

/** The failures of a change. */
const ofWrites = ["policy_role_required", "tenant_not_found", "tenant_required"] as const

/** Said of every change. */
const changers = "It is for people with the role `customer-owner` or `customer-admin` and for platform administrators."

/**
 * Both planes. Organisation units and their policies.
 *
 * Every write needs tier 2, whatever the method, so that a caller whom a policy
 * lowered cannot lift the policy. Owners always pass: an account can never lock
 * itself out.
 */
export class Policy extends HttpApiGroup.make("policy")
  .add(
    HttpApiEndpoint.get("listUnits", "/org/ous", {
      query: { ...project, ...pageQuery },
      success: pageList("OrganisationUnitList", {
        ous: Schema.Array(OrganisationUnit).annotateKey({ description: "The units of this page, oldest first." })
      }),
      error: failures("tenant_not_found", "tenant_required")
    }).annotateMerge(
      described(
        "List organisation units",
        "Lists the units of the account, oldest first. Every caller of the account may do so."
      )
    ),
    HttpApiEndpoint.post("createUnit", "/org/ous", {
      query: project,
      payload: UnitRequest,
      success: OrganisationUnit.pipe(HttpApiSchema.status(201)),
      error: failures(...ofWrites, "unit_not_found", "unit_taken")
    })
      .annotate(MinimumTier, 2)
      .annotateMerge(
        described(
          "Create an organisation unit",
          `Creates an empty unit. Its parent unit must exist, otherwise it is a 404; a path that exists is a 409. ${changers}`
        )
      )
      .middleware(Creates),
    HttpApiEndpoint.delete("removeUnit", "/org/ous/:path", {
      params: unit,
      query: project,
      success: OrganisationUnit,
      error: failures(...ofWrites, "unit_not_found", "unit_occupied")
    }).annotateMerge(
      described(
        "Remove an empty organisation unit",
        "Removes a unit that has no units below it, no live credentials, no members and no policy. Otherwise it is a 409 that " +
          `lists the rest: nothing is moved up, because other policies would apply there. ${changers}`
      )
    ),
    HttpApiEndpoint.put("place", "/org/ous/:path/members/:id", {
      params: member,
      query: project,
      success: UnitMember,
      error: failures(...ofWrites, "unit_member_not_found", "unit_not_found")
    })
      .annotate(MinimumTier, 2)
      .annotateMerge(
        described(
          "Put a credential or a person into a unit",
          "Moves a live credential or a member into the unit, out of the one that it was in; each is in one at most. The " +
            "policies of the new unit apply from its next call. Moving a person moves none of the credentials that the " +
            `person made; credentials that the person makes from now on begin in the new unit. ${changers}`
        )
      ),
    HttpApiEndpoint.delete("takeOut", "/org/ous/:path/members/:id", {
      params: member,
      query: project,
      success: UnitMember,
      error: failures(...ofWrites, "unit_member_not_found")
    }).annotateMerge(
      described(
        "Take a credential or a person out of a unit",
        "Takes a credential or a member out of the unit, so that only the account's own policy applies to it, from its " +
          `next call. It is a 404 when it is not in this unit. ${changers}`
      )
    ),
    HttpApiEndpoint.get("listPolicies", "/access/policy", {
      query: { ...project, ...pageQuery },
      success: pageList("AccessPolicyList", {
        policies: Schema.Array(AccessPolicy).annotateKey({ description: "The policies of this page, oldest first." })
      }),
      error: failures("tenant_not_found", "tenant_required")
    }).annotateMerge(
      described(
        "List access policies",
        "Lists the policies of the account, oldest first. Every caller of the account may do so."
      )
    ),
    HttpApiEndpoint.put("putPolicy", "/access/policy", {
      query: project,
      payload: PolicyRequest,
      success: AccessPolicy,
      error: failures(...ofWrites, "unit_not_found", "validation_error")
    })
      .annotate(MinimumTier, 2)
      .annotateMerge(
        described(
          "Create or replace an access policy",
          "Sets the one policy of a unit, or of the whole account. The policy is replaced whole: a field that is left out " +
            "limits nothing. It applies from the next call of every credential, member and workload below, on every " +
            "replica of the gateway, and ends open calls that it refuses. A denied call is a 403 `policy_denied` " +
            "that names the unit and the deny.\n\n" +
            "A policy only takes rights away: denies add up from the account down to a unit, and the lowest `max_tier` " +
            "counts. Owners are subject to it too, except in these operations on units and policies. An unknown area is a " +
            `422 that lists all areas. ${changers}`
        )
      ),
    HttpApiEndpoint.delete("removePolicy", "/access/policy", {
      query: {
        ...project,
        ou: Schema.String.annotateKey({ description: "The path of the policy's unit. Empty for the whole account." })
      },
      success: AccessPolicy,
      error: failures(...ofWrites, "policy_not_found")
    }).annotateMerge(
      described(
        "Remove an access policy",
        "Removes the policy of a unit, or of the whole account, and returns it. It denies nothing from the next call on; " +
          `another policy from the account down to the unit still may. ${changers}`
      )
    ),
    HttpApiEndpoint.get("effective", "/org/effective", {
      query: {
        ...project,
        credential_id: Schema.optionalKey(Schema.String).annotateKey({
          description: "The id of a credential of the account, to ask about it."
        }),
        user_id: Schema.optionalKey(Schema.String).annotateKey({
          description: "The user id of a member of the account, to ask about that person."
        }),
        ou: Schema.optionalKey(Schema.String).annotateKey({
          description: "The path of a unit, to ask about it. Empty for the account itself."
        })
      },
      success: EffectivePolicy,
      error: failures(
        "credential_not_found",
        "policy_unreadable",
        "tenant_not_found",
        "tenant_required",
        "unit_member_not_found",
        "unit_not_found",
        "validation_error"
      )
    }).annotateMerge(
      described(
        "Show which policies apply, and why",
        "Combines the policies from the account down to a unit, and says which of them decided. It is about the caller, or " +
          "about the one credential, person or unit that the query names; more than one is a 422. Every caller of the " +
          "account may do so."
      )
    )
  )
  .annotateEndpoints(OwnersAlways, true)
  .annotateMerge(
    titled(
      "Access Policy",
      "Organisation units, and policies that limit their members and credentials. Units divide an account, and " +
        "form a tree of dotted paths. Credentials and people are put into units, and a policy lowers the " +
        "permission tier or denies calls in a unit and everything below it, or in the whole account. Without a " +
        "policy nothing is limited."
    )
  )
  .pipe(callerRoutes) {}
