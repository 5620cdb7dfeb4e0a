import { NodeHttpServerRequest } from "@effect/platform-node"
import { type Caller, CurrentCaller, type PermissionTier, tierOf } from "@portico/contract/Access"
import { OperatorApi } from "@portico/contract/Api"
import { BadGateway, Forbidden, NotFound } from "@portico/contract/Failures"
import { badGateway } from "@portico/domain/badGateway"
import { Catalog } from "@portico/upstream/openstack/Catalog"
import { type Session, Sessions } from "@portico/upstream/openstack/Sessions"
import { Effect, Redacted } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { RequestId } from "../middleware/RequestId.ts"
import { IncomingMessage, ServerResponse } from "node:http"
import { Forwarder, hasBody } from "./forward.ts"
import { forwardedHeaders } from "./headers.ts"
import { proxyTarget, type ProxyTarget } from "./path.ts"

const prefix = "/v1/iaas/"

/** The services that a project is stamped toward (contract, Proxy). A stock one ignores the stamp: the token decides. */
const stamped: ReadonlySet<string> = new Set(["compute", "network", "volume", "image"])

/** What a tenant may reach of the identity service; the rest of it can mint ways around the gateway. */
const identityForTenants = [/^projects\/[^/]+$/, /^projects\/[^/]+\/tags$/, /^regions(\/[^/]+)?$/]

/**
 * Forwards a call to the platform with the tenant's own token, or with the
 * control identity for a platform administrator. The answer's body and status
 * come back verbatim.
 *
 * Errors: 400 for a path that is not canonical; 403 below the method's tier;
 * 404 for an unknown service; 502 when the service does not answer, or does
 * not accept a fresh token.
 */
export const proxyIaas = Effect.fn("proxy.iaas")(
  function* (request: HttpServerRequest.HttpServerRequest) {
    const caller = yield* CurrentCaller
    const target = yield* proxyTarget(request.url, prefix)
    const base = (yield* Catalog).find(target.service)
    if (base === undefined) return yield* NotFound.service(target.service)
    yield* permitted(caller, request.method, target)

    const sessions = yield* Sessions
    const session = caller.tenant === null ? sessions.control : sessions.tenant(caller.tenant.projectId)
    const first = yield* session
    if ((yield* forwardAs(request, target, base, caller, first)) === "unauthorized") {
      // The service does not know the token any more; a fresh one is tried once, when the body can be sent again.
      yield* sessions.drop(first)
      const again = hasBody(sockets(request).from)
        ? "unauthorized"
        : yield* forwardAs(request, target, base, caller, yield* session)
      if (again === "unauthorized") {
        return yield* BadGateway.upstream(`${target.service}: the platform did not accept the gateway's token`, true)
      }
    }
    // The bytes are out already; the server leaves an ended response alone.
    return HttpServerResponse.empty()
  },
  Effect.catchTag("UpstreamError", badGateway)
)

/** Detaching a volume destroys nothing: a write, though its method is DELETE (contract, Proxy rules). */
const detaching = /^servers\/[^/]+\/os-volume_attachments\/[^/]+$/

const tierNeeded = (method: string, { segments, service }: ProxyTarget): PermissionTier =>
  method === "DELETE" && service === "compute" && detaching.test(segments.join("/")) ? 1 : tierOf(method)

const permitted = Effect.fnUntraced(function* (caller: Caller, method: string, target: ProxyTarget) {
  const needed = tierNeeded(method, target)
  if (caller.tier < needed) return yield* Forbidden.methodNeedsTier(method, needed, caller.tier)
  if (target.service !== "identity" || caller.admin) return
  const path = target.segments.join("/")
  if (needed > 0 || !identityForTenants.some((_) => _.test(path))) return yield* Forbidden.identityRoute()
})

const forwardAs = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  target: ProxyTarget,
  base: string,
  caller: Caller,
  session: Session
) {
  const headers = forwardedHeaders(request.headers)
  headers["x-auth-token"] = Redacted.value(session.token)
  if (caller.tenant !== null && stamped.has(target.service)) headers["x-project-id"] = caller.tenant.projectId
  const root = rootOf(target, base, session)
  const { from, to } = sockets(request)
  return yield* (yield* Forwarder).forward(from, to, {
    upstream: target.service,
    url: `${root}/${segmentsOf(target, session).join("/")}${target.query}`,
    headers,
    requestId: yield* RequestId,
    rewrite: (location) => rewritten(location, root, target.service)
  })
})

/** The pair of sockets behind a request. Both planes listen with HTTP/1.1. */
const sockets = (
  request: HttpServerRequest.HttpServerRequest
): { readonly from: IncomingMessage; readonly to: ServerResponse } => {
  const from = NodeHttpServerRequest.toIncomingMessage(request)
  const to = NodeHttpServerRequest.toServerResponse(request)
  if (from instanceof IncomingMessage && to instanceof ServerResponse) return { from, to }
  throw new Error("the proxy was reached over something else than HTTP/1.1")
}

/** Block storage wants the token's own project in front of every path. */
const rootOf = ({ service }: ProxyTarget, base: string, session: Session): string =>
  service === "volume" ? `${base}/${session.projectId}` : base

/** A client that knows the platform's own paths may have put its project there already. */
const segmentsOf = ({ segments, service }: ProxyTarget, session: Session): ReadonlyArray<string> =>
  service === "volume" && segments[0] === session.projectId ? segments.slice(1) : segments

/** An address under the service's own base becomes the gateway's; any other would name an internal host, and is dropped. */
const rewritten = (location: string, root: string, service: string): string | undefined =>
  location.startsWith(`${root}/`) ? `${prefix}${service}${location.slice(root.length)}` : undefined

export const IaasHandlers = HttpApiBuilder.group(OperatorApi, "iaas", (handlers) =>
  handlers
    .handleRaw("get", ({ request }) => proxyIaas(request))
    .handleRaw("post", ({ request }) => proxyIaas(request))
    .handleRaw("put", ({ request }) => proxyIaas(request))
    .handleRaw("patch", ({ request }) => proxyIaas(request))
    .handleRaw("delete", ({ request }) => proxyIaas(request))
)
