import {
  ActsOn,
  AnswersSecret,
  Authenticated,
  BillingAccess,
  type Caller,
  CurrentCaller,
  CurrentTenant,
  destroys,
  isAllowedWhileClosing,
  isAuditedRead,
  OwnersAlways,
  type PermissionTier,
  PlatformAdmin,
  TenantScoped,
  tierNeeded,
  tierOf,
  type WithheldCode,
  WithoutTenant
} from "@portico/contract/Access"
import { areaOf } from "@portico/contract/areas"
import { Conflict, type FailureOf, Forbidden } from "@portico/contract/Failures"
import { isRefusedWhileSuspended } from "@portico/contract/Suspension"
import { bearerToken } from "@portico/domain/access/PresentedToken"
import { Callers } from "@portico/domain/access/Callers"
import type { Plane } from "@portico/domain/health/readiness"
import { denied } from "@portico/domain/access/limits"
import { Context, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { CurrentAuditDraft } from "../audit/AuditDraft.ts"
import { CurrentOpenCall } from "../streams/OpenCall.ts"
import { heldOpen } from "../streams/heldOpen.ts"
import { isRefusal, OpenCalls } from "../streams/OpenCalls.ts"
import { DatabaseShares } from "../limits/DatabaseShares.ts"
import { SessionPlace } from "@portico/store/client/SessionPlace"
import { CallOwner } from "@portico/upstream/limits/longTexts"
import { admission } from "../limits/admission.ts"
import { CurrentMeter } from "../limits/Meter.ts"
import { arrivalOf, SourceAddresses } from "../requests/sourceAddress.ts"

/**
 * Answers 401 and 429 before any other check of the request; then checks what the endpoint requires of the caller and
 * its tenant.
 */
const AuthenticatedLive = (plane: Plane) =>
  Layer.effect(
    Authenticated,
    Effect.map(
      Effect.all([admission, SourceAddresses, OpenCalls, DatabaseShares]),
      ([admitted, sources, calls, shares]) =>
        Authenticated.of({
          bearer: Effect.fnUntraced(function* (httpEffect, { endpoint }) {
            const request = yield* HttpServerRequest.HttpServerRequest
            const draft = yield* CurrentAuditDraft
            if (draft !== undefined) {
              draft.route = endpoint.path
              draft.auditedRead = isAuditedRead(endpoint.annotations)
            }
            const meter = yield* CurrentMeter
            if (meter !== undefined) meter.reachedAuthentication = true
            const token = yield* bearerToken(request.headers["authorization"])
            const source = () => sources.of(arrivalOf(request))
            // Nobody's share: who calls is found out whatever the others do.
            const looked = admitted(token, { plane, source, draft, meter })
            const caller = yield* Effect.provideService(looked, SessionPlace, undefined)
            yield* permitted(caller, endpoint)
            const admittedCaller = { token, plane, source, caller }
            const open = heldOpen(calls, request, endpoint, admittedCaller, (now) => permitted(now, endpoint))
            return yield* open(
              httpEffect.pipe(
                Effect.provideService(CurrentCaller, caller),
                Effect.provideService(CallOwner, caller.tenant?.projectId ?? caller.userId),
                Effect.provideService(SessionPlace, shares.admitted(plane, endpoint, caller))
              )
            )
          })
        })
    )
  )

/**
 * The current caller of a long-running request; undefined as soon as the request would be rejected. While that cannot be
 * found out, such as in an outage of the identity provider, it is the caller as `OpenCalls` last knew it.
 */
export const callerByNow = (
  before: Caller,
  request: HttpServerRequest.HttpServerRequest,
  endpoint: HttpApiEndpoint.Top,
  plane: Plane
) =>
  Effect.gen(function* () {
    const sources = yield* SourceAddresses
    const token = yield* bearerToken(request.headers["authorization"])
    const caller = yield* (yield* Callers).resolve(token, plane, () => sources.of(arrivalOf(request)))
    yield* permitted(caller, endpoint)
    return caller
  }).pipe(
    Effect.catch((failure) =>
      Effect.map(CurrentOpenCall, (call) => {
        if (!isRefusal(failure)) return call?.admitted?.caller ?? before
        // The stream reports this reason when it ends.
        if (call !== undefined) call.refusal ??= failure
        return undefined
      })
    )
  )

/** Why the endpoint does not serve the caller; undefined when it does. */
export const refusalOf = (caller: Caller, endpoint: HttpApiEndpoint.Top): FailureOf<WithheldCode> | undefined => {
  // An endpoint without the annotation is refused to callers without a tenant.
  if (caller.tenant === null && !caller.admin && !Context.get(endpoint.annotations, WithoutTenant)) {
    return Conflict.tenantRequired()
  }
  const refusal = isOwnersAlways(caller, endpoint) ? undefined : refused(caller, endpoint)
  if (refusal !== undefined) return refusal
  if (caller.tenant?.closing === true && !isAllowedWhileClosing(endpoint)) return Conflict.closing()
  // What a call behind a proxy does, only the proxy knows.
  const isProxied = endpoint.path.endsWith("/*")
  return caller.tenant?.suspended === true && !isProxied && isRefusedWhileSuspended(endpoint)
    ? Forbidden.tenantSuspended()
    : undefined
}

const permitted = (caller: Caller, endpoint: HttpApiEndpoint.Top): Effect.Effect<void, FailureOf<WithheldCode>> => {
  const refusal = refusalOf(caller, endpoint)
  return refusal === undefined ? Effect.void : Effect.fail(refusal)
}

/**
 * Requires tier 2, and checks what policies deny of `:destroy`, for a first-class call whose body makes it
 * destructive, see `DestroysWith`.
 */
export const mayDestroy = Effect.fnUntraced(function* (endpoint: HttpApiEndpoint.Top, payload: unknown) {
  if (!destroys(endpoint, payload)) return
  const caller = yield* CurrentCaller
  if (caller.tier < 2) return yield* Forbidden.tierTooLow(undefined, 2, caller.tier)
  const denial = deniedBy(caller, endpoint, 2)
  if (denial !== undefined) return yield* denial
})

/** The denial of a call to an endpoint by one of its areas. */
const deniedBy = (caller: Caller, { annotations, path }: HttpApiEndpoint.Top, tier: PermissionTier) => {
  if (caller.denies === undefined) return undefined
  for (const area of [areaOf(path), ...Context.get(annotations, ActsOn)]) {
    const denial = denied(caller, area, tier)
    if (denial !== undefined) return denial
  }
  return undefined
}

const isOwnersAlways = ({ role }: Caller, endpoint: HttpApiEndpoint.Top): boolean =>
  role === "customer-owner" && Context.get(endpoint.annotations, OwnersAlways)

const refused = (caller: Caller, endpoint: HttpApiEndpoint.Top) => {
  const methodTier = tierOf(endpoint.method)
  const needed = tierNeeded(endpoint)
  if (caller.tier < needed) return Forbidden.tierTooLow(undefined, needed, caller.tier)
  if (caller.kind === "mcp" && Context.get(endpoint.annotations, AnswersSecret) === "stored") {
    return Forbidden.agentReadsNoSecret()
  }
  // A write without a minimum tier still counts as a write.
  return deniedBy(caller, endpoint, needed > methodTier ? needed : methodTier)
}

const TenantScopedLive = Layer.succeed(
  TenantScoped,
  TenantScoped.of(
    Effect.fnUntraced(function* (httpEffect) {
      const { tenant } = yield* CurrentCaller
      if (tenant === null) return yield* Conflict.tenantRequired()
      return yield* Effect.provideService(httpEffect, CurrentTenant, tenant)
    })
  )
)

const PlatformAdminLive = Layer.succeed(
  PlatformAdmin,
  PlatformAdmin.of(
    Effect.fnUntraced(function* (httpEffect) {
      const { admin } = yield* CurrentCaller
      return yield* admin ? httpEffect : Forbidden.adminRequired()
    })
  )
)

const BillingAccessLive = Layer.succeed(
  BillingAccess,
  BillingAccess.of(
    Effect.fnUntraced(function* (httpEffect) {
      const { billing } = yield* CurrentCaller
      return yield* billing ? httpEffect : Forbidden.billingAccess()
    })
  )
)

export const AccessLive = (plane: Plane) =>
  Layer.mergeAll(AuthenticatedLive(plane), TenantScopedLive, PlatformAdminLive, BillingAccessLive)
