import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Authenticated, MinimumTier, OwnersAlways, PermissionTier, Validated, WellFormed } from "./Access.ts"
import { failures } from "./Failures.ts"
import { Creates } from "./Idempotency.ts"
import { pageFields, pageQuery } from "./Page.ts"

/** At most eight labels of a-z, 0-9 and hyphens, up to 63 characters each. */
const labels = "[a-z0-9-]{1,63}(?:\\.[a-z0-9-]{1,63}){0,7}"
const unitPath = new RegExp(`^${labels}$`)

/** A unit's dotted path, which encodes its parents: `engineering.backend.ci` is below `engineering.backend`. */
export const UnitPath = Schema.String.check(
  Schema.isPattern(unitPath, {
    expected: "a dotted path of at most 8 labels, each of 1 to 63 characters a-z, 0-9 and hyphens"
  })
)

/** A unit's path, or empty for the whole account. */
const Scope = Schema.String.check(
  Schema.isPattern(new RegExp(`^(?:${labels})?$`), {
    expected: "the dotted path of an organisation unit, or empty for the whole account"
  })
)

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
  path: Schema.String,
  /** Null for a unit directly below the account. */
  parent: Schema.NullOr(Schema.String),
  created_at: Schema.String,
  created_by: Schema.String
}).annotate({ identifier: "OrganisationUnit" })
export type OrganisationUnit = typeof OrganisationUnit.Type

export const UnitRequest = Schema.Struct({ path: UnitPath }).annotate({ identifier: "OrganisationUnitRequest" })
export type UnitRequest = typeof UnitRequest.Type

/** A credential or a member, and its unit. */
export const UnitMember = Schema.Struct({
  /** Null for a member. */
  credential_id: Schema.NullOr(Schema.String),
  /** Null for a credential. */
  user_id: Schema.NullOr(Schema.String),
  /** Null for one in no unit: only the account's own policy applies to it. */
  ou: Schema.NullOr(Schema.String)
}).annotate({ identifier: "OrganisationUnitMember" })
export type UnitMember = typeof UnitMember.Type

export const AccessPolicy = Schema.Struct({
  /** Empty for the whole account. */
  ou: Schema.String,
  /** Null when the policy caps no tier. */
  max_tier: Schema.NullOr(PermissionTier),
  denies: Schema.Array(Schema.String),
  created_at: Schema.String,
  updated_at: Schema.String,
  updated_by: Schema.String
}).annotate({ identifier: "AccessPolicy" })
export type AccessPolicy = typeof AccessPolicy.Type

export const PolicyRequest = Schema.Struct({
  ou: Scope,
  max_tier: Schema.optionalKey(PermissionTier),
  /** Each is an area, or `area:read`, `area:operate`, `area:destroy`. */
  denies: Schema.optionalKey(Schema.Array(Schema.String).check(Schema.isMaxLength(100)))
}).annotate({ identifier: "AccessPolicyRequest" })
export type PolicyRequest = typeof PolicyRequest.Type

/** The combined effect of the policies from the account down to a unit. */
export const EffectivePolicy = Schema.Struct({
  project_id: Schema.String,
  /** Empty for the account itself. */
  ou: Schema.String,
  /** The subject; both null for a query about a unit. */
  credential_id: Schema.NullOr(Schema.String),
  user_id: Schema.NullOr(Schema.String),
  /** The tier of the credential or membership itself. */
  tier: Schema.NullOr(PermissionTier),
  /** The tier that the policies leave. */
  effective_tier: Schema.NullOr(PermissionTier),
  /** The lowest cap along the path; null when no policy has one. */
  max_tier: Schema.NullOr(PermissionTier),
  /** The unit whose policy decided the cap: the one nearest to the account. */
  max_tier_from: Schema.NullOr(Schema.String),
  /** The denies of all units along the path, each with the unit nearest to the account that states it. */
  denies: Schema.Array(Schema.Struct({ deny: Schema.String, from: Schema.String })),
  /** The path from the account to the unit, and each unit's policy. */
  units: Schema.Array(
    Schema.Struct({
      ou: Schema.String,
      max_tier: Schema.NullOr(PermissionTier),
      denies: Schema.Array(Schema.String)
    })
  )
}).annotate({ identifier: "EffectivePolicy" })
export type EffectivePolicy = typeof EffectivePolicy.Type

/** For platform administrators, who have no tenant; every other caller uses its own. */
const project = { project_id: Schema.optionalKey(Schema.String) }

const member = { path: Schema.String, id: Schema.String }

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
      success: Schema.Struct({ ...pageFields, ous: Schema.Array(OrganisationUnit) }).annotate({
        identifier: "OrganisationUnitList"
      }),
      error: failures("tenant_not_found", "tenant_required")
    }),
    HttpApiEndpoint.post("createUnit", "/org/ous", {
      query: project,
      payload: UnitRequest,
      success: OrganisationUnit.pipe(HttpApiSchema.status(201)),
      error: failures("policy_role_required", "tenant_not_found", "tenant_required", "unit_not_found", "unit_taken")
    })
      .annotate(MinimumTier, 2)
      .middleware(Creates),
    HttpApiEndpoint.delete("removeUnit", "/org/ous/:path", {
      params: { path: Schema.String },
      query: project,
      success: OrganisationUnit,
      error: failures("policy_role_required", "tenant_not_found", "tenant_required", "unit_not_found", "unit_occupied")
    }),
    HttpApiEndpoint.put("place", "/org/ous/:path/members/:id", {
      params: member,
      query: project,
      success: UnitMember,
      error: failures(
        "policy_role_required",
        "tenant_not_found",
        "tenant_required",
        "unit_member_not_found",
        "unit_not_found"
      )
    }).annotate(MinimumTier, 2),
    HttpApiEndpoint.delete("takeOut", "/org/ous/:path/members/:id", {
      params: member,
      query: project,
      success: UnitMember,
      error: failures("policy_role_required", "tenant_not_found", "tenant_required", "unit_member_not_found")
    }),
    HttpApiEndpoint.get("listPolicies", "/access/policy", {
      query: { ...project, ...pageQuery },
      success: Schema.Struct({ ...pageFields, policies: Schema.Array(AccessPolicy) }).annotate({
        identifier: "AccessPolicyList"
      }),
      error: failures("tenant_not_found", "tenant_required")
    }),
    HttpApiEndpoint.put("putPolicy", "/access/policy", {
      query: project,
      payload: PolicyRequest,
      success: AccessPolicy,
      error: failures(
        "policy_role_required",
        "tenant_not_found",
        "tenant_required",
        "unit_not_found",
        "validation_error"
      )
    }).annotate(MinimumTier, 2),
    HttpApiEndpoint.delete("removePolicy", "/access/policy", {
      query: { ...project, ou: Schema.String },
      success: AccessPolicy,
      error: failures("policy_not_found", "policy_role_required", "tenant_not_found", "tenant_required")
    }),
    HttpApiEndpoint.get("effective", "/org/effective", {
      query: {
        ...project,
        credential_id: Schema.optionalKey(Schema.String),
        user_id: Schema.optionalKey(Schema.String),
        ou: Schema.optionalKey(Schema.String)
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
    })
  )
  .annotateEndpoints(OwnersAlways, true)
  .middleware(WellFormed)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}
