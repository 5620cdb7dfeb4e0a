import { apiOf } from "@portico/contract/Api"
import { type Failure, NotFound, Unauthorized, UnsupportedMediaType } from "@portico/contract/Failures"
import { type RegistryToken, Registry } from "@portico/contract/Registry"
import { basicCredentials, type Login, type Throttled } from "@portico/domain/registry/Logins"
import type { Plane } from "@portico/domain/health/readiness"
import { type Issued, RegistryTokens, type TokenRequest } from "@portico/domain/registry/RegistryTokens"
import { isChange } from "@portico/domain/registry/scopes"
import { SigningKeys } from "@portico/domain/registry/SigningKeys"
import { Effect, Redacted } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { exact, exactRaw } from "./exact.ts"
import { CurrentAuditDraft } from "../audit/AuditDraft.ts"
import { Allowances } from "../limits/Allowances.ts"
import { CurrentMeter } from "../limits/Meter.ts"
import { limitedBody } from "../middleware/body.ts"
import { respond } from "../middleware/respond.ts"
import { arrivalOf, SourceAddresses } from "../requests/sourceAddress.ts"

/** The challenge that registry clients understand: Basic is the only scheme that they log in with. */
const challenge = { "www-authenticate": 'Basic realm="portico", charset="UTF-8"' }

/** On the operator plane only, an administrator reaches every repository. */
export const RegistryHandlers = (plane: Plane) =>
  HttpApiBuilder.group(apiOf(Registry), "registry", (handlers) =>
    handlers
      .handleRaw("token", ({ request }) =>
        answered(Effect.map(exactRaw(handlers, "token", byBasic(request, plane)), ({ scope: _, ...token }) => token))
      )
      .handleRaw("oauth", ({ request }) => answered(exactRaw(handlers, "oauth", byForm(request, plane))))
      .handleAll(exact(handlers, { keys: () => Effect.flatMap(SigningKeys, (_) => _.published) }))
  )

/** Docker's own protocol: the login is in the header, everything else in the query. */
const byBasic = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, plane: Plane) {
  const pair = basicCredentials(request.headers["authorization"])
  if (pair === undefined) return yield* Unauthorized.registryLogin()
  const [, query = ""] = request.url.split("?", 2)
  return yield* issue(request, { ...pair, plane }, new URLSearchParams(query))
})

/**
 * The OAuth variant, with all parameters in a form. There are no refresh tokens, because a credential can be revoked
 * just as well. A client that sends one gets 404 and falls back to the other protocol.
 */
const byForm = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, plane: Plane) {
  const type = (request.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase()
  if (type !== "application/x-www-form-urlencoded") return yield* UnsupportedMediaType.notForm()
  const form = new URLSearchParams(yield* limitedBody(request, request.text))
  if (form.get("grant_type") !== "password") return yield* NotFound.route()
  const user = form.get("username") ?? ""
  return yield* issue(request, { user, password: Redacted.make(form.get("password") ?? ""), plane }, form)
})

const issue = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  login: Omit<Login, "source">,
  parameters: URLSearchParams
) {
  const source = (yield* SourceAddresses).of(arrivalOf(request))
  const meter = yield* CurrentMeter
  const allowances = yield* Allowances
  const tokens = yield* RegistryTokens
  const draft = yield* CurrentAuditDraft
  const issued = yield* tokens.issue({ ...login, source }, tokenRequestOf(parameters), (caller) => {
    if (draft !== undefined) draft.caller = caller
    return allowances.admit(caller, meter)
  })
  // The registry keeps no record for the tenant: the token that lets its bearer change a repository is recorded.
  const changeable = issued.access.filter(isChange).map((_) => _.name)
  if (draft !== undefined && changeable.length > 0) {
    draft.auditedRead = true
    draft.resources = changeable
  }
  return wire(issued)
})

/** The scope parameter may be repeated, and each may hold several entries. */
const tokenRequestOf = (parameters: URLSearchParams): TokenRequest => ({
  services: parameters.getAll("service"),
  scopes: parameters.getAll("scope").flatMap((_) => _.split(/\s+/).filter((entry) => entry !== ""))
})

const wire = ({ access: _, token, ...more }: Issued): RegistryToken & { readonly scope: string } => ({
  token,
  access_token: token,
  ...more
})

const noStore = HttpServerResponse.setHeader("cache-control", "no-store")

const answered = <R>(
  token: Effect.Effect<RegistryToken, Failure | Throttled, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, R> =>
  Effect.matchEffect(token, {
    onSuccess: (body) => Effect.succeed(noStore(HttpServerResponse.jsonUnsafe(body))),
    onFailure: (failure) => Effect.map(refused(failure), noStore)
  })

const refused = (failure: Failure | Throttled): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  if (failure._tag === "Throttled") {
    const wait = HttpServerResponse.setHeader("retry-after", String(failure.seconds))
    return Effect.map(respond(failure.failure), wait)
  }
  const response = respond(failure)
  return failure._tag === "Unauthorized" ? Effect.map(response, HttpServerResponse.setHeaders(challenge)) : response
}
