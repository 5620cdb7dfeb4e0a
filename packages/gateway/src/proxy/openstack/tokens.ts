import { Conflict, Forbidden, NotFound, Unauthorized } from "@portico/contract/Failures"
import { bearerToken, PresentedToken } from "@portico/domain/access/PresentedToken"
import { ClientLogins } from "@portico/domain/access/ClientLogins"
import { Introspections } from "@portico/domain/access/Introspections"
import { isIssued, Issued } from "@portico/domain/access/Issued"
import { lifetime } from "@portico/domain/workloadIdentity/exchange"
import { denied } from "@portico/domain/access/limits"
import { Tenants } from "@portico/store/Tenants"
import { Clock, Config, Duration, Effect, Redacted } from "effect"
import { admission } from "../../limits/admission.ts"
import type { Exchange } from "../Exchange.ts"
import type { ProxyTarget } from "../path.ts"
import { readBody } from "../requestBody.ts"
import type { KeystoneResponse } from "./KeystoneResponse.ts"
import type { Bases } from "./Bases.ts"
import { catalogOf } from "./catalog.ts"
import { description, type DescribedToken } from "./description.ts"
import { isOwnScope } from "./scope.ts"
import { tokenRequest, tokenRequestLimit } from "./tokenRequest.ts"

/**
 * Keystone's token call. It returns the same Bearer token that a gateway client would use: for an application
 * credential the access token that the identity provider issues for the pair, for a personal access token the token
 * itself. The gateway stores nothing and introduces no new trust: it authenticates the token at every request, as
 * always.
 */
export const tokenCalls = Effect.fnUntraced(function* (bases: Bases) {
  const admitted = yield* admission
  const introspections = yield* Introspections
  const issued = yield* Issued
  const clients = yield* ClientLogins
  const tenants = yield* Tenants
  const region = yield* Config.String("OPENSTACK_REGION").pipe(Config.withDefault("RegionOne"))
  const domainId = yield* Config.String("KEYSTONE_DOMAIN_ID").pipe(Config.withDefault("default"))
  const domain = { id: domainId, name: domainId === "default" ? "Default" : domainId }

  const exchanged = (id: string, secret: Redacted.Redacted, { source }: Exchange) =>
    Effect.flatMap(clients.exchange(id, secret, source), (token) =>
      token === undefined ? Unauthorized.applicationCredential() : Effect.succeed(token)
    )

  const endOf = Effect.fnUntraced(function* (presented: PresentedToken, { source }: Exchange) {
    const user = yield* introspections.get(presented, source)
    return user === undefined ? yield* Unauthorized.tokenNotActive() : user.exp * 1000
  })

  /**
   * Fails as any request with this token would; 409 for the token of a platform administrator, which has no project.
   */
  const describedToken = Effect.fnUntraced(function* (presented: PresentedToken, exchange: Exchange) {
    const caller = yield* admitted(presented, exchange)
    if (caller.tenant === null) return yield* Conflict.tenantRequired()
    const denial = denied(caller, "identity", 0)
    if (denial !== undefined) return yield* denial
    const { projectId: id } = caller.tenant
    const name = (yield* tenants.find(id))?.slug ?? id
    const described = { token: presented.redacted, caller, project: { id, name, domain } }
    if (!isIssued(presented)) {
      const expiresAt = yield* endOf(presented, exchange)
      return { ...described, issuedAt: caller.issuedAt, expiresAt } satisfies DescribedToken
    }
    // A workload gets another one each time: it was made an hour before it ends, if not later.
    const { expiresAt } = yield* issued.resolve(presented, exchange.source)
    return { ...described, issuedAt: expiresAt - Duration.toMillis(lifetime), expiresAt } satisfies DescribedToken
  })

  const shown = Effect.fnUntraced(function* (
    described: DescribedToken,
    { own, prefix }: Exchange,
    query: string | undefined
  ) {
    const token = description(described, yield* Clock.currentTimeMillis)
    const wanted = !new URLSearchParams(query).has("nocatalog")
    return {
      token: wanted ? { ...token, catalog: catalogOf(bases, `${own}${prefix}`, described.project.id, region) } : token
    }
  })

  return {
    /**
     * `POST /v3/auth/tokens`: 201.
     *
     * Errors: 400 for a body that cannot be parsed; 401 for a pair or a token that is rejected; 403 for a scope other
     * than the token's own project; 409 for a platform administrator; 413; 503 when the identity provider cannot be
     * reached.
     */
    issue: Effect.fnUntraced(function* (exchange: Exchange, { query }: ProxyTarget) {
      const { by, scope } = yield* tokenRequest(yield* readBody(exchange, undefined, tokenRequestLimit))
      const issued =
        by.method === "token"
          ? yield* describedToken(
              yield* Effect.mapError(bearerToken(`Bearer ${by.token}`), Unauthorized.tokenNotActive),
              exchange
            )
          : {
              ...(yield* describedToken(PresentedToken.of(yield* exchanged(by.id, by.secret, exchange)), exchange)),
              credential: by.id
            }
      if (!isOwnScope(scope, issued.project)) return yield* Forbidden.tokenScope()
      return {
        status: 201,
        token: issued.token,
        body: yield* shown(issued, exchange, query)
      } satisfies KeystoneResponse
    }),
    /** `GET /v3/auth/tokens` for the request's own token: 200. Any other token is a 404. */
    show: Effect.fnUntraced(function* (exchange: Exchange, { query }: ProxyTarget) {
      const { authorization, from } = exchange
      const found = yield* describedToken(yield* bearerToken(authorization), exchange)
      if (from.headers["x-subject-token"] !== Redacted.value(found.token)) return yield* NotFound.token()
      return { status: 200, token: found.token, body: yield* shown(found, exchange, query) } satisfies KeystoneResponse
    }),
    /**
     * The projects of the credential: its own, unless the query asks for another. Undefined for a platform
     * administrator, whose list is Keystone's.
     */
    projects: Effect.fnUntraced(function* (exchange: Exchange, { query, segments }: ProxyTarget) {
      const described = yield* describedToken(yield* bearerToken(exchange.authorization), exchange).pipe(
        Effect.catchIf(
          (_) => _.code === "tenant_required",
          () => Effect.undefined
        )
      )
      if (described === undefined) return undefined
      const { caller, project } = described
      if (segments[0] === "users" && segments[1] !== caller.userId) return yield* Forbidden.identityRoute()
      const services = `${exchange.own}${exchange.prefix}`
      const own = {
        id: project.id,
        name: project.name,
        domain_id: domain.id,
        parent_id: domain.id,
        enabled: true,
        is_domain: false,
        links: { self: `${services}identity/v3/projects/${project.id}` }
      }
      const links = { self: `${services}identity/v3/${segments.join("/")}`, previous: null, next: null }
      return {
        status: 200,
        body: { projects: isAskedFor(own, new URLSearchParams(query)) ? [own] : [], links }
      } satisfies KeystoneResponse
    })
  }
})

/** Whether the filters of a list, such as `name=acme`, fit a project. An unknown parameter is none. */
const isAskedFor = (project: Readonly<Record<string, unknown>>, query: URLSearchParams): boolean =>
  [...query].every(([name, value]) => !Object.hasOwn(project, name) || same(project[name], value))

const same = (field: unknown, value: string): boolean =>
  String(field) === (typeof field === "boolean" ? value.toLowerCase() : value)
