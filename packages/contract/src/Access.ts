import { Context, Schema } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import {
  Conflict,
  Forbidden,
  Internal,
  Invalid,
  TooLarge,
  Unauthorized,
  Unavailable,
  UnsupportedMediaType
} from "./Failures.ts"

/** 0 read-only, 1 operate (writes), 2 destructive (deletes). */
export const PermissionTier = Schema.Literals([0, 1, 2]).annotate({ identifier: "PermissionTier" })
export type PermissionTier = typeof PermissionTier.Type

/** The tenant that a caller is bound to, and what bound it. */
export class CallerTenant extends Schema.Class<CallerTenant>("CallerTenant")({
  projectId: Schema.String,
  name: Schema.String,
  source: Schema.Literals(["credential_store", "tenant_map", "workload_identity"])
}) {}

/** Who calls, as the server resolved it from the credential. Nothing in a request can widen it. */
export class Caller extends Schema.Class<Caller>("Caller")({
  userId: Schema.String,
  userName: Schema.String,
  userEmail: Schema.String,
  roles: Schema.Array(Schema.String),
  tier: PermissionTier,
  /** Null for a platform administrator, who is scoped to no tenant. */
  tenant: Schema.NullOr(CallerTenant),
  admin: Schema.Boolean,
  /** A person who logged in, and no machine user. */
  human: Schema.Boolean,
  credentialId: Schema.NullOr(Schema.String),
  credentialLabel: Schema.NullOr(Schema.String),
  /** A member's role in the account, such as `customer-owner`; null for machines and administrators. */
  role: Schema.NullOr(Schema.String),
  /** Whether the caller may see what the account costs. */
  billing: Schema.Boolean
}) {}

export class CurrentCaller extends Context.Service<CurrentCaller, Caller>()("portico/contract/CurrentCaller") {}

export class CurrentTenant extends Context.Service<CurrentTenant, CallerTenant>()("portico/contract/CurrentTenant") {}

/** The tier that an endpoint needs; without it the method decides, see {@link tierOf}. */
export const MinimumTier = Context.Reference<PermissionTier | undefined>("portico/contract/MinimumTier", {
  defaultValue: () => undefined
})

/** Method to tier, contract section Authentication 6. */
export const tierOf = (method: string): PermissionTier =>
  method === "GET" || method === "HEAD" || method === "OPTIONS" ? 0 : method === "DELETE" ? 2 : 1

/** Knows the caller, or answers 401; holds the call to the endpoint's tier, or answers 403. */
export class Authenticated extends HttpApiMiddleware.Service<Authenticated, { provides: CurrentCaller }>()(
  "portico/contract/Authenticated",
  { security: { bearer: HttpApiSecurity.bearer }, error: [Unauthorized, Forbidden, Unavailable] }
) {}

/** Gives the endpoint its tenant, or answers 409 to a platform credential. */
export class TenantScoped extends HttpApiMiddleware.Service<
  TenantScoped,
  { requires: CurrentCaller; provides: CurrentTenant }
>()("portico/contract/TenantScoped", { error: Conflict }) {}

/** Lets platform administrators through, and answers 403 to everybody else. */
export class PlatformAdmin extends HttpApiMiddleware.Service<PlatformAdmin, { requires: CurrentCaller }>()(
  "portico/contract/PlatformAdmin",
  { error: Forbidden }
) {}

/** Refuses a body that is too large, not JSON, too deep, or names a key twice, before its schema is looked at. */
export class WellFormed extends HttpApiMiddleware.Service<WellFormed>()("portico/contract/WellFormed", {
  error: [TooLarge, UnsupportedMediaType, Invalid]
}) {}

/** Turns schema errors into the contract's 422 body. The outermost middleware of a group. */
export class Validated extends HttpApiMiddleware.Service<Validated>()("portico/contract/Validated", {
  error: [Invalid, Internal]
}) {}
