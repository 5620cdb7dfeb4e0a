import { Context } from "effect"
import { type HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  AnswersSecret,
  type Authenticated,
  authenticatedWith,
  isAllowedWhileClosing,
  MinimumTier,
  PlatformAdmin,
  TenantScoped,
  tierNeeded,
  Validated,
  WellFormed,
  type WithheldCode,
  WithoutTenant
} from "./Access.ts"
import { isRefusedWhileSuspended } from "./Suspension.ts"

/**
 * The failures with which {@link Authenticated} can refuse a known caller at
 * this endpoint. A read, for example, is refused neither for its tier nor for
 * the state of its tenant.
 */
export const withheldAt = (endpoint: HttpApiEndpoint.Top): ReadonlyArray<WithheldCode> => {
  const { annotations, middlewares } = endpoint
  // On the operator plane, whoever has no tenant is an administrator.
  const isForOperators = [...middlewares].some((_) => _.key === PlatformAdmin.key)
  return [
    ...(isForOperators || Context.get(annotations, WithoutTenant) ? [] : (["tenant_required"] as const)),
    ...(tierNeeded(endpoint) === 0 ? [] : (["tier_too_low"] as const)),
    ...(Context.get(annotations, AnswersSecret) === "stored" ? (["agent_reads_no_secret"] as const) : []),
    "policy_denied",
    ...(isAllowedWhileClosing(endpoint) ? [] : (["concurrent_deletion_state"] as const)),
    ...(isRefusedWhileSuspended(endpoint) ? (["tenant_suspended"] as const) : [])
  ]
}

/**
 * Puts a group below `/v1`, for callers with a credential. Each endpoint
 * declares the failures of {@link withheldAt}, so annotations and inner
 * middleware come before.
 */
export function authenticated<Id extends string, Endpoints extends HttpApiEndpoint.Constraint, Top extends boolean>(
  group: HttpApiGroup.HttpApiGroup<Id, Endpoints, Top>
): HttpApiGroup.HttpApiGroup<
  Id,
  HttpApiEndpoint.AddMiddleware<HttpApiEndpoint.AddPrefix<Endpoints, "/v1">, Authenticated>,
  Top
>
export function authenticated(group: HttpApiGroup.Constraint): HttpApiGroup.Constraint {
  if (!HttpApiGroup.isHttpApiGroup(group)) return group
  return Object.values(group.prefix("/v1").endpoints).reduce<HttpApiGroup.Top>(
    // An endpoint replaces the one of the same name.
    (all, endpoint) => all.add(endpoint.middleware(authenticatedWith(withheldAt(endpoint)))),
    group
  )
}

/** Routes of every caller; an operation decides itself whom it serves. */
export const callerRoutes = <Id extends string, Endpoints extends HttpApiEndpoint.Constraint, Top extends boolean>(
  group: HttpApiGroup.HttpApiGroup<Id, Endpoints, Top>
) => authenticated(group.middleware(WellFormed)).middleware(Validated)

/** Routes of a tenant. */
export const tenantRoutes = <Id extends string, Endpoints extends HttpApiEndpoint.Constraint, Top extends boolean>(
  group: HttpApiGroup.HttpApiGroup<Id, Endpoints, Top>
) => authenticated(group.middleware(WellFormed).middleware(TenantScoped)).middleware(Validated)

/** Routes of platform administrators. The role decides, not the tier: an administrator holds tier 2. */
export const operatorRoutes = <Id extends string, Endpoints extends HttpApiEndpoint.Constraint, Top extends boolean>(
  group: HttpApiGroup.HttpApiGroup<Id, Endpoints, Top>
) =>
  authenticated(group.annotateEndpoints(MinimumTier, 0).middleware(WellFormed).middleware(PlatformAdmin)).middleware(
    Validated
  )
