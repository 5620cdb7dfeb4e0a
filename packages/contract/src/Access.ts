import { Context, Effect, Predicate, Schema } from "effect"
import { type HttpApiEndpoint, HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import { failures } from "./Failures.ts"

export const PermissionTier = Schema.Literals([0, 1, 2]).annotate({
  identifier: "PermissionTier",
  description: [
    "How much the caller may do. Each tier includes the lower ones. It is not the `tier` of a project, which says how " +
      "much the project may have.",
    [
      "- `0`: Read-only: lists and reads (GET, HEAD, OPTIONS).",
      "- `1`: Operate: creates, updates, scales and acts as well (POST, PUT, PATCH).",
      "- `2`: Destructive: deletes as well (DELETE)."
    ].join("\n")
  ].join("\n\n")
})
export type PermissionTier = typeof PermissionTier.Type

/** A deny of one of the account's policies: it refuses calls of an area that need this tier or a higher one. */
export const PolicyDeny = Schema.Struct({
  area: Schema.String,
  from: PermissionTier,
  /** The deny as the policy states it: `compute:destroy`. */
  deny: Schema.String,
  /** The unit of the policy; empty for the whole account. */
  ou: Schema.String
})
export type PolicyDeny = typeof PolicyDeny.Type

/**
 * The kind of record that holds a caller's rights: a person's membership, a
 * machine credential, or a workload's mapping.
 */
export const CallerKind = Schema.Literals(["member", "api-key", "mcp", "workload"])
export type CallerKind = typeof CallerKind.Type

/** The tenant that a caller is bound to, and the source of that binding. */
export class CallerTenant extends Schema.Class<CallerTenant>("CallerTenant")({
  projectId: Schema.String,
  name: Schema.String,
  /** The tenant is being deleted, or its account is closing: it can be read but not changed. */
  closing: Schema.Boolean.pipe(Schema.withConstructorDefault(Effect.succeed(false))),
  /**
   * The tenant's quotas are zero: what runs keeps running, and nothing new can
   * be created (contract, States and transitions).
   */
  suspended: Schema.Boolean.pipe(Schema.withConstructorDefault(Effect.succeed(false))),
  source: Schema.Literals(["credential_store", "tenant_map", "workload_identity"])
}) {}

/** The caller, as the server resolved it from the credential. Nothing in a request can widen it. */
export class Caller extends Schema.Class<Caller>("Caller")({
  userId: Schema.String,
  userName: Schema.String,
  userEmail: Schema.String,
  roles: Schema.Array(Schema.String),
  tier: PermissionTier,
  /** Null for a platform administrator, who has no tenant on either plane. */
  tenant: Schema.NullOr(CallerTenant),
  /** True for a platform administrator on the operator plane. On the customer plane no caller has these powers. */
  admin: Schema.Boolean,
  /** True for a person who logged in, false for a machine user. */
  human: Schema.Boolean,
  credentialId: Schema.NullOr(Schema.String),
  credentialLabel: Schema.NullOr(Schema.String),
  /** Null for administrators, and for users of the static tenant map. */
  kind: Schema.NullOr(CallerKind).pipe(Schema.withConstructorDefault(Effect.succeed(null))),
  /**
   * The id recorded as the maker of what the caller creates: its credential or
   * membership, or the hash of its workload token. Absent for administrators
   * and users of the static tenant map, who have no record of ours.
   */
  recordId: Schema.optionalKey(Schema.String),
  /** When the caller's rights end, in milliseconds since the epoch; absent for never. */
  expiresAt: Schema.optionalKey(Schema.Number),
  /**
   * When a person logged in, or when a machine got its credential, in
   * milliseconds since the epoch; absent when that is unknown.
   */
  issuedAt: Schema.optionalKey(Schema.Number),
  /** A member's role in the account, such as `customer-owner`; null for machines and administrators. */
  role: Schema.NullOr(Schema.String),
  /** Whether the caller may see what the account costs. */
  billing: Schema.Boolean,
  /** The caller's organisation unit; absent for the account itself. */
  ou: Schema.optionalKey(Schema.String),
  /** The networks that the credential may be used from; absent for any network. */
  networks: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The calls that policies deny whatever the tier; absent without any. */
  denies: Schema.optionalKey(Schema.Array(PolicyDeny))
}) {}

export class CurrentCaller extends Context.Service<CurrentCaller, Caller>()("portico/contract/CurrentCaller") {}

export class CurrentTenant extends Context.Service<CurrentTenant, CallerTenant>()("portico/contract/CurrentTenant") {}

/** The tier that an endpoint needs; without it the method decides, see {@link tierOf}. */
export const MinimumTier = Context.Reference<PermissionTier | undefined>("portico/contract/MinimumTier", {
  defaultValue: () => undefined
})

/**
 * The flag of an endpoint's body with which a call destroys, although its method does not: it then needs tier 2, and a
 * policy's `:destroy` denies it. With the flag `unless`, such as that of a dry run, it does not.
 */
export const DestroysWith = Context.Reference<{ readonly flag: string; readonly unless?: string } | undefined>(
  "portico/contract/DestroysWith",
  { defaultValue: () => undefined }
)

/** Whether a call with this body destroys, see {@link DestroysWith}. */
export const destroys = ({ annotations }: HttpApiEndpoint.Top, payload: unknown): boolean => {
  const { flag, unless } = Context.get(annotations, DestroysWith) ?? {}
  const isSet = (name: string | undefined) =>
    name !== undefined && Predicate.isObject(payload) && payload[name] === true
  return isSet(flag) && !isSet(unless)
}

/**
 * The areas, besides its own, whose things an endpoint reads, makes, changes or
 * deletes on the caller's behalf. A deny of one of them denies the endpoint
 * too. Empty where the endpoint's own area is enough.
 */
export const ActsOn = Context.Reference<ReadonlyArray<string>>("portico/contract/ActsOn", { defaultValue: () => [] })

/** Whether a tenant that is being deleted or closed may make this call although it changes something. */
export const WhileClosing = Context.Reference<boolean>("portico/contract/WhileClosing", { defaultValue: () => false })

/**
 * Whether an endpoint serves a caller without a tenant that is no
 * administrator: an administrator on the customer plane. Every other endpoint
 * answers 409 to it. An endpoint with a `?project=` override decides for
 * itself.
 */
export const WithoutTenant = Context.Reference<boolean>("portico/contract/WithoutTenant", {
  defaultValue: () => false
})

/** Whether an account's owner passes whatever its policies say, so that no account locks itself out for good. */
export const OwnersAlways = Context.Reference<boolean>("portico/contract/OwnersAlways", { defaultValue: () => false })

/**
 * The kind of secret that an endpoint's response holds. Every endpoint whose
 * response has one declares it here: a test checks the fields of all responses.
 *
 * `stored`: a secret that exists without the call, such as a database's
 * password. An agent gets none (contract, Authentication 12), and a read of it
 * leaves an audit record as a write does. `grant`: an address that works for a
 * short while, which is audited too. `new`: a secret of what the call creates,
 * only in this response.
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

/** The tier that a caller needs for an endpoint. */
export const tierNeeded = ({ annotations, method }: HttpApiEndpoint.Top): PermissionTier =>
  Context.get(annotations, MinimumTier) ?? tierOf(method)

/**
 * Whether a tenant that is being deleted or closed may call an endpoint. The
 * method decides, not the tier: a write without a minimum tier still counts as
 * a write.
 */
export const isAllowedWhileClosing = ({ annotations, method }: HttpApiEndpoint.Top): boolean =>
  tierOf(method) === 0 || Context.get(annotations, WhileClosing)

/** The failures of a request whose caller is unknown, has no rights at all, or makes too many requests. */
export const callerCodes = [
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
  "identity_provider_unreachable",
  "policy_unreadable"
] as const

/** The failures of a caller that is known, and that an endpoint does not serve. */
const withheldCodes = [
  "tenant_required",
  "tier_too_low",
  "agent_reads_no_secret",
  "policy_denied",
  "concurrent_deletion_state",
  "tenant_suspended"
] as const
export type WithheldCode = (typeof withheldCodes)[number]

/** {@link Authenticated}, declared with those failures of a known caller that an endpoint can answer. */
export const authenticatedWith = (withheld: ReadonlyArray<WithheldCode>) =>
  HttpApiMiddleware.Service<Authenticated, { provides: CurrentCaller }>()("portico/contract/Authenticated", {
    security: { bearer: HttpApiSecurity.bearer },
    error: failures(...callerCodes, ...withheld)
  })

/**
 * Identifies the caller, or answers 401. Counts the call against the tenant's
 * allowance, or answers 429. Answers 409 to a caller without a tenant, see
 * {@link WithoutTenant}. Enforces the endpoint's tier, or answers 403. Answers
 * 409 to a change of a tenant that is being deleted or closed, see {@link
 * WhileClosing}, and 403 to a creation in a suspended one.
 *
 * Endpoints get it from `authenticated` of groups.ts, each with the failures
 * that it can answer.
 */
export class Authenticated extends authenticatedWith(withheldCodes) {}

/** Provides the caller's tenant to the endpoint, or answers 409 to a platform credential. */
export class TenantScoped extends HttpApiMiddleware.Service<
  TenantScoped,
  { requires: CurrentCaller; provides: CurrentTenant }
>()("portico/contract/TenantScoped", { error: failures("tenant_required") }) {}

/** Admits platform administrators, and answers 403 to every other caller. */
export class PlatformAdmin extends HttpApiMiddleware.Service<PlatformAdmin, { requires: CurrentCaller }>()(
  "portico/contract/PlatformAdmin",
  { error: failures("admin_required") }
) {}

/** Admits members who may see the account's costs, and answers 403 to the others. */
export class BillingAccess extends HttpApiMiddleware.Service<BillingAccess, { requires: CurrentCaller }>()(
  "portico/contract/BillingAccess",
  { error: failures("billing_access_required") }
) {}

/**
 * Refuses a body that is too large, too slow, not JSON, too deep, or repeats a
 * key, before its schema is checked. Any request can come with a body, a GET
 * too, so reads declare these failures as writes do.
 */
export class WellFormed extends HttpApiMiddleware.Service<WellFormed>()("portico/contract/WellFormed", {
  error: failures(
    "body_too_slow",
    "body_too_large",
    "too_many_values",
    "encoded_body",
    "unsupported_media_type",
    "validation_error",
    "overloaded"
  )
}) {}

/** Turns schema errors into the contract's 422 body. The outermost middleware of a group. */
export class Validated extends HttpApiMiddleware.Service<Validated>()("portico/contract/Validated", {
  error: failures("validation_error", "internal_error")
}) {}
