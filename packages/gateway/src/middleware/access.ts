import {
  Authenticated,
  type Caller,
  CurrentCaller,
  CurrentTenant,
  MinimumTier,
  PlatformAdmin,
  TenantScoped,
  tierOf
} from "@portico/contract/Access"
import { Conflict, Forbidden } from "@portico/contract/Failures"
import { bearerToken } from "@portico/domain/access/bearer"
import { Callers } from "@portico/domain/access/Callers"
import { Context, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"

/** 401 before anything else of the request is looked at; then the endpoint's tier. */
const AuthenticatedLive = Layer.effect(
  Authenticated,
  Effect.map(Callers, (callers) =>
    Authenticated.of({
      bearer: Effect.fnUntraced(function* (httpEffect, { endpoint }) {
        const request = yield* HttpServerRequest.HttpServerRequest
        const caller = yield* callers.resolve(yield* bearerToken(request.headers["authorization"]))
        yield* holds(caller, endpoint)
        return yield* Effect.provideService(httpEffect, CurrentCaller, caller)
      })
    })
  )
)

const holds = (caller: Caller, endpoint: HttpApiEndpoint.Top): Effect.Effect<void, Forbidden> => {
  const needed = Context.get(endpoint.annotations, MinimumTier) ?? tierOf(endpoint.method)
  return caller.tier < needed ? Effect.fail(Forbidden.actionNeedsTier(needed, caller.tier)) : Effect.void
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

export const AccessLive = Layer.mergeAll(AuthenticatedLive, TenantScopedLive, PlatformAdminLive)
