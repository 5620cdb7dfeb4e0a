import { Context, Effect, Schema } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import { failures } from "./Failures.ts"
import type { IaasService } from "./IaasServices.ts"

/** 0 read-only, 1 operate (writes), 2 destructive (deletes). */
export const PermissionTier = Schema.Literals([0, 1, 2]).annotate({ identifier: "PermissionTier" })
export type PermissionTier = typeof PermissionTier.Type

/** What one of the account's policies refuses to the caller: calls of an area that need this tier, or more. */
export const PolicyDeny = Schema.Struct({
  area: Schema.String,
  from: PermissionTier,
  /** As the policy has it: `compute:destroy`. */
  deny: Schema.String,
  /** Whose policy it is; empty for the whole account. */
  ou: Schema.String
})
export type PolicyDeny = typeof PolicyDeny.Type

/** What a caller's rights are recorded as: a person's membership, a machine credential, or a workload's mapping. */
export const CallerKind = Schema.Literals(["member", "api-key", "mcp", "workload"])
export type CallerKind = typeof CallerKind.Type

/** The tenant that a caller is bound to, and what bound it. */
export class CallerTenant extends Schema.Class<CallerTenant>("CallerTenant")({
  projectId: Schema.String,
  name: Schema.String,
  /** It is being deleted, or its account is closing: it can be read, and nothing in it can be changed. */
  closing: Schema.Boolean.pipe(Schema.withConstructorDefault(Effect.succeed(false))),
  /** Its quotas are zero: what runs goes on, and nothing new can be created (contract, States and transitions). */
  suspended: Schema.Boolean.pipe(Schema.withConstructorDefault(Effect.succeed(false))),
  source: Schema.Literals(["credential_store", "tenant_map", "workload_identity"])
}) {}

/** Who calls, as the server resolved it from the credential. Nothing in a request can widen it. */
export class Caller extends Schema.Class<Caller>("Caller")({
  userId: Schema.String,
  userName: Schema.String,
  userEmail: Schema.String,
  roles: Schema.Array(Schema.String),
  tier: PermissionTier,
  /** Null for a platform administrator, who is scoped to no tenant, on either plane. */
  tenant: Schema.NullOr(CallerTenant),
  /** A platform administrator on the operator plane: on the customer plane nobody has these powers. */
  admin: Schema.Boolean,
  /** A person who logged in, and no machine user. */
  human: Schema.Boolean,
  credentialId: Schema.NullOr(Schema.String),
  credentialLabel: Schema.NullOr(Schema.String),
  /** Null for administrators, and for users of the static tenant map. */
  kind: Schema.NullOr(CallerKind).pipe(Schema.withConstructorDefault(Effect.succeed(null))),
  /**
   * What is recorded as the maker of what it makes: its credential or
   * membership, or its workload token by the hash. Absent for administrators
   * and users of the static tenant map, whose records are not ours.
   */
  recordId: Schema.optionalKey(Schema.String),
  /** When its rights end, in milliseconds since the epoch; absent for never. */
  expiresAt: Schema.optionalKey(Schema.Number),
  /** A member's role in the account, such as `customer-owner`; null for machines and administrators. */
  role: Schema.NullOr(Schema.String),
  /** Whether the caller may see what the account costs. */
  billing: Schema.Boolean,
  /** Its organisation unit; absent for the account itself. */
  ou: Schema.optionalKey(Schema.String),
  /** The networks that its credential may be used from; absent for everywhere. */
  networks: Schema.optionalKey(Schema.Array(Schema.String)),
  /** What is refused whatever the tier; absent when no policy says so. */
  denies: Schema.optionalKey(Schema.Array(PolicyDeny))
}) {}

export class CurrentCaller extends Context.Service<CurrentCaller, Caller>()("portico/contract/CurrentCaller") {}

export class CurrentTenant extends Context.Service<CurrentTenant, CallerTenant>()("portico/contract/CurrentTenant") {}

/** The tier that an endpoint needs; without it the method decides, see {@link tierOf}. */
export const MinimumTier = Context.Reference<PermissionTier | undefined>("portico/contract/MinimumTier", {
  defaultValue: () => undefined
})

/**
 * The service of the platform that an endpoint acts on, or reads, in the caller's stead: what an access policy denies of
 * that service it denies of the endpoint too. Undefined where the endpoint's own area says all.
 */
export const ActsOn = Context.Reference<IaasService | undefined>("portico/contract/ActsOn", {
  defaultValue: () => undefined
})

/** Whether a tenant that is being deleted or closed may still make this call, although it changes something. */
export const WhileClosing = Context.Reference<boolean>("portico/contract/WhileClosing", { defaultValue: () => false })

/**
 * Whether an endpoint answers a caller that is neither a tenant's nor an administrator: an administrator on the customer
 * plane. Every other endpoint is a 409 to it. One with a `?project=` override answers for itself.
 */
export const WithoutTenant = Context.Reference<boolean>("portico/contract/WithoutTenant", {
  defaultValue: () => false
})

/** Whether an account's owner is let through whatever its policies say, so that nobody is locked out for good. */
export const OwnersAlways = Context.Reference<boolean>("portico/contract/OwnersAlways", { defaultValue: () => false })

/**
 * What kind of secret an endpoint's answer holds. Every endpoint whose answer
 * has one says so here: a test goes through the fields of all answers.
 *
 * `stored`: of something that is there without the call, such as a database's
 * password. An agent gets none (contract, Authentication 12), and a read of it
 * leaves an audit record as a write does. `grant`: an address that works for a
 * short while, which is audited too. `new`: of what the call makes, in this
 * answer alone.
 */
export const AnswersSecret = Context.Reference<"stored" | "grant" | "new" | undefined>(
  "portico/contract/AnswersSecret",
  { defaultValue: () => undefined }
)

/** A read that leaves an audit record. It does not count as use of a credential. */
export const isAuditedRead = (annotations: Context.Context<never>): boolean =>
  ["stored", "grant"].includes(Context.get(annotations, AnswersSecret) ?? "")

/** Method to tier, contract section Authentication 6. */
export const tierOf = (method: string): PermissionTier =>
  method === "GET" || method === "HEAD" || method === "OPTIONS" ? 0 : method === "DELETE" ? 2 : 1

/**
 * Knows the caller, or answers 401; counts the call against the tenant's
 * allowance, or answers 429; answers 409 to a caller without a tenant, see {@link WithoutTenant}; holds it to the
 * endpoint's tier, or answers 403; and answers 409 to what would change a tenant that is being deleted or closed, see
 * {@link WhileClosing}, and 403 to what would create something in a suspended one.
 */
export class Authenticated extends HttpApiMiddleware.Service<Authenticated, { provides: CurrentCaller }>()(
  "portico/contract/Authenticated",
  {
    security: { bearer: HttpApiSecurity.bearer },
    error: failures(
      "missing_authorization",
      "token_inactive",
      "introspection_failed",
      "credential_revoked",
      "credential_expired",
      "credential_suspended",
      "rate_limited",
      "no_project_roles",
      "no_tenant",
      "source_network_refused",
      "tier_too_low",
      "agent_reads_no_secret",
      "policy_denied",
      "tenant_suspended",
      "tenant_required",
      "concurrent_deletion_state",
      "identity_provider_unreachable",
      "policy_unreadable"
    )
  }
) {}

/** Gives the endpoint its tenant, or answers 409 to a platform credential. */
export class TenantScoped extends HttpApiMiddleware.Service<
  TenantScoped,
  { requires: CurrentCaller; provides: CurrentTenant }
>()("portico/contract/TenantScoped", { error: failures("tenant_required") }) {}

/** Lets platform administrators through, and answers 403 to everybody else. */
export class PlatformAdmin extends HttpApiMiddleware.Service<PlatformAdmin, { requires: CurrentCaller }>()(
  "portico/contract/PlatformAdmin",
  { error: failures("admin_required") }
) {}

/** Lets through who may see what the account costs, and answers 403 to its other members. */
export class BillingAccess extends HttpApiMiddleware.Service<BillingAccess, { requires: CurrentCaller }>()(
  "portico/contract/BillingAccess",
  { error: failures("billing_access_required") }
) {}

/** Refuses a body that is too large, too slow, not JSON, too deep, or names a key twice, before its schema is looked at. */
export class WellFormed extends HttpApiMiddleware.Service<WellFormed>()("portico/contract/WellFormed", {
  error: failures("body_too_slow", "body_too_large", "unsupported_media_type", "validation_error")
}) {}

/** Turns schema errors into the contract's 422 body. The outermost middleware of a group. */
export class Validated extends HttpApiMiddleware.Service<Validated>()("portico/contract/Validated", {
  error: failures("validation_error", "internal_error")
}) {}
