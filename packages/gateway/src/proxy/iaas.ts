import { type Caller, type PermissionTier, tierOf } from "@portico/contract/Access"
import { BadGateway, BadRequest, Conflict, Forbidden, NotFound, UnsupportedMediaType } from "@portico/contract/Failures"
import { iaasServices } from "@portico/contract/IaasServices"
import { bearerToken } from "@portico/domain/access/PresentedToken"
import { type Reach, reachOf } from "@portico/domain/access/reach"
import { badGateway } from "@portico/domain/badGateway"
import { DnsSettings } from "@portico/domain/dns/DnsSettings"
import { Lifecycle } from "@portico/domain/events/Lifecycle"
import { denied } from "@portico/domain/access/limits"
import { Guard } from "@portico/upstream/delivery/Guard"
import { observed, traced } from "@portico/upstream/observed"
import { Catalog } from "@portico/upstream/openstack/Catalog"
import { type Session, Sessions } from "@portico/upstream/openstack/Sessions"
import { Effect, Option, Redacted } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { admission } from "../limits/admission.ts"
import { iaasPrefix } from "../requests/Place.ts"
import { isData, treatmentOf } from "./answers.ts"
import { isBalancingPath } from "./balancing.ts"
import { Call } from "./Call.ts"
import { type Exchange, hasBody, ownHeaders, promisesOnce } from "./Exchange.ts"
import { Forwarder } from "./forward.ts"
import { forwardedHeaders, returnedHeaders } from "./headers.ts"
import type { Reads } from "./billable.ts"
import { concernsBilling, lifecycleChanges } from "./lifecycle.ts"
import { linksOf } from "./links.ts"
import { type ProxyTarget, proxyTarget } from "./path.ts"
import { forwardedQuery } from "./query.ts"
import { isForm, jsonOf, missingType, notTooDeep, readBody, readJson } from "./requestBody.ts"
import { namesByAddress, withServiceAddresses } from "./references.ts"
import { platformZones } from "./rules/platformZones.ts"
import { rules as always } from "./rules/rules.ts"
import { Uploads } from "../streams/Uploads.ts"
import { zoneMasters } from "./rules/zoneMasters.ts"

/** A service's base address, taken apart. */
interface Base {
  readonly origin: string
  /** `/v2.1`, or nothing. */
  readonly path: string
}

/** A call that may go on, and where to. */
interface Placed {
  readonly call: Call
  readonly caller: Caller
  readonly reach: Reach
  readonly base: Base
  readonly query: string | undefined
  /** What has to be read to tell a change of billable life; undefined when the call makes none. */
  readonly billing: Reads | undefined
}

/**
 * Forwards calls to the platform with the tenant's own token, or with the
 * control identity for a platform administrator. The answer's body and status
 * come back as they are, but for addresses and for what no client may see.
 *
 * Errors: 400 for a path or query that can be read in two ways, and for an `Idempotency-Key`; 401 without a
 * caller; 429 beyond the allowance of its tenant; 403 below the method's tier, or against a rule; 404 for an unknown
 * service; 409 for a caller with neither a tenant nor the powers of an administrator, and for a write in a tenant that is being deleted or closed; 413 and 415 for a body that a rule cannot read, 415 for a form; 502
 * when the service does not answer, or does not accept a fresh token.
 */
export const iaasProxy = Effect.gen(function* () {
  const admitted = yield* admission
  const sessions = yield* Sessions
  const catalog = yield* Catalog
  const forwarder = yield* Forwarder
  const uploads = yield* Uploads
  const lifecycle = yield* Lifecycle
  const client = yield* HttpClient.HttpClient
  const links = linksOf(catalog)
  const bases = basesOf(catalog)
  const rules = [...always, platformZones(yield* DnsSettings), zoneMasters(yield* Guard)]

  /** The control identity for an administrator, and for nobody else: a caller without a tenant reaches nothing. */
  const sessionOf = (reach: Reach) =>
    reach.kind === "platform" ? sessions.control : sessions.tenant(reach.tenant.projectId)

  /** Decides whether, and where to, a request goes on: by its first line, and by whether its body is a form. */
  const placed = Effect.fnUntracedEager(function* (exchange: Exchange, caller: Caller) {
    const { from } = exchange
    const method = from.method ?? "GET"
    const reach = yield* Effect.fromResult(reachOf(caller))
    const target = yield* Effect.fromResult(proxyTarget(exchange.target, iaasPrefix))
    const base = bases.get(target.service)
    if (base === undefined) return yield* NotFound.service(target.service)
    const { service } = target
    const projectId = reach.kind === "tenant" ? reach.tenant.projectId : null
    const segments = yield* withoutProject(target, projectId === null ? sessions.controlProjectId : projectId)
    yield* permitted(caller, reach, method, service, segments)
    exchange.open.holds = Effect.fnUntraced(function* (now) {
      yield* permitted(now, yield* Effect.fromResult(reachOf(now)), method, service, segments)
    })
    if (service === "load-balancer" && !isBalancingPath(segments)) return yield* NotFound.route()
    if (promisesOnce(from)) return yield* BadRequest.idempotencyKeyProxied()
    if (isForm(exchange)) return yield* UnsupportedMediaType.formBody()
    const query = yield* Effect.fromResult(forwardedQuery(target.query, { method, service, segments, projectId }))
    const call = new Call(
      { method, headers: from.headers },
      { service, segments, query: target.query },
      caller,
      (segments, headers) => read(service, base, reach, segments, headers)
    )
    return { call, caller, reach, base, query, billing: concernsBilling(call) } satisfies Placed
  })

  /** What a rule looks up before it decides, with the caller's own session. */
  const read = Effect.fnUntraced(
    function* (
      service: string,
      base: Base,
      reach: Reach,
      segments: ReadonlyArray<string>,
      headers: Readonly<Record<string, string>> = {}
    ) {
      const path = segments.map(encodeURIComponent).join("/")
      const ask = Effect.fnUntraced(function* (session: Session) {
        const request = HttpClientRequest.get(`${base.origin}${rootOf(service, base, session)}/${path}`).pipe(
          HttpClientRequest.setHeaders(headers),
          HttpClientRequest.acceptJson,
          HttpClientRequest.setHeader("x-auth-token", Redacted.value(session.token))
        )
        return yield* observed({ system: service, name: "look", method: request.method }, (traceparent) =>
          client.execute(traced(request, traceparent))
        )
      })
      const session = yield* sessionOf(reach)
      const first = yield* ask(session)
      if (first.status === 401) yield* sessions.drop(session)
      const response = first.status === 401 ? yield* ask(yield* sessionOf(reach)) : first
      // Some services refuse what is another's, some do not know it, and some do not take what cannot be an id.
      if (response.status === 400 || response.status === 403 || response.status === 404) return undefined
      if (response.status === 200) return yield* response.json
      return yield* BadGateway.upstream(`${service} answered ${response.status}`, response.status >= 500)
    },
    Effect.timeout("10 seconds"),
    (reading, service) =>
      Effect.catchTags(reading, {
        UpstreamError: badGateway,
        HttpClientError: () => BadGateway.upstream(`${service}: no answer`, true),
        TimeoutError: () => BadGateway.upstream(`${service}: no answer in time`, true)
      })
  )

  /** One attempt under one session. */
  const attempt = (
    exchange: Exchange,
    { base, billing, call, query, reach }: Placed,
    session: Session,
    body?: Buffer
  ) => {
    const { method, segments, service } = call
    const path = `${rootOf(service, base, session)}/${segments.join("/")}`
    return forwarder.forward(exchange.to, {
      upstream: service,
      method,
      origin: base.origin,
      path: query === undefined ? path : `${path}?${query}`,
      headers: sized(headersOf(exchange, call, reach, session, billing?.answer === true), body),
      body: body ?? (hasBody(exchange.from) ? exchange.from : null),
      // A client that does not wait for the end of what it pays for pays for it all the same.
      outlivesClient: billing !== undefined,
      returned: (raw) => {
        const head = returnedHeaders(raw, (name, value) => links[name](value, service))
        head.push(...ownHeaders(exchange))
        return head
      },
      treatment: (status, headers) =>
        treatmentOf(
          {
            method,
            service,
            segments,
            own: exchange.own,
            admin: call.caller.admin,
            versioned: exchange.versioned,
            wanted: billing?.answer === true
          },
          links,
          status,
          headers
        )
    })
  }

  /** A body that was not read first streams on, for as long as it likes: such bodies have a ceiling. */
  const forward = (exchange: Exchange, onward: Placed, body?: Buffer) =>
    body === undefined && hasBody(exchange.from)
      ? Effect.scoped(
          Effect.andThen(uploads.enter(onward.caller, exchange.from), forwarded(exchange, onward, undefined))
        )
      : forwarded(exchange, onward, body)

  /** A session that the service does not accept is replaced once, if the body can be sent again. */
  const forwarded = Effect.fnUntracedEager(function* (exchange: Exchange, onward: Placed, body?: Buffer) {
    const session = yield* sessionOf(onward.reach)
    const first = yield* attempt(exchange, onward, session, body)
    if (first.status !== 401) return first
    yield* sessions.drop(session)
    if (body !== undefined || !hasBody(exchange.from)) {
      const again = yield* attempt(exchange, onward, yield* sessionOf(onward.reach), body)
      if (again.status !== 401) return again
    }
    return yield* BadGateway.upstream(`${onward.call.service}: the platform did not accept the gateway's token`, true)
  })

  /** Calls that a rule concerns, or that change what is billed: some of them have to be read first. */
  const examined = Effect.fnUntraced(function* (exchange: Exchange, onward: Placed) {
    const { billing, call, caller } = onward
    const concerned = rules.filter((_) => _.concerns(call) !== "nothing")
    const guarded = concerned.some((_) => _.concerns(call) === "body")
    const renamed = namesByAddress(call)
    const body = guarded || renamed || billing?.request === true ? yield* readBody(exchange) : undefined
    yield* notTooDeep(body)
    const requestJson = guarded ? yield* readJson(exchange, body) : Option.getOrUndefined(jsonOf(body))
    if (body !== undefined) exchange.draft?.read(requestJson)
    yield* Effect.forEach(concerned, (_) => _.check(call, requestJson), { discard: true })

    const base = `${onward.base.origin}${onward.base.path}`
    const onwardBody =
      renamed && body !== undefined ? withServiceAddresses(body, requestJson, exchange.own, base) : body
    const { body: answer, status } = yield* forward(exchange, onward, onwardBody)
    const answerJson = Option.getOrUndefined(jsonOf(answer))
    if (billing?.answer === true && status < 300 && answerJson === undefined) {
      const what = `${call.method} ${call.service}/${call.segments.join("/")}`
      yield* Effect.logWarning(`${what} succeeded, and its answer cannot be read: no event tells of it`)
    }
    const changes = lifecycleChanges(call, { status, requestJson, answerJson }, caller, exchange.requestId)
    yield* Effect.forEach(changes, lifecycle.record, { discard: true })
    return { status }
  })

  // Eager, like what it calls on the way: of most calls all is known, and no effect is left but the forwarding itself.
  return Effect.fnUntracedEager(
    function* (exchange: Exchange) {
      const { draft } = exchange
      const caller = yield* admitted(yield* bearerToken(exchange.authorization), exchange)
      const onward = yield* placed(exchange, caller)
      const { billing, call } = onward
      const plain = billing === undefined && !namesByAddress(call) && rules.every((_) => _.concerns(call) === "nothing")
      const { status } = yield* plain ? forward(exchange, onward) : examined(exchange, onward)
      if (draft !== undefined) draft.status = status
    },
    Effect.catchTag("UpstreamError", badGateway)
  )
})

const basesOf = (catalog: Catalog["Service"]): ReadonlyMap<string, Base> =>
  new Map(
    iaasServices.flatMap((service) => {
      const address = catalog.find(service)
      if (address === undefined) return []
      const { origin } = new URL(address)
      return [[service, { origin, path: address.slice(origin.length) }] as const]
    })
  )

/** With the length of a body that was read, and may have been changed. */
const sized = (headers: ReadonlyArray<string>, body: Buffer | undefined): ReadonlyArray<string> =>
  body === undefined
    ? headers
    : headers.map((value, i) =>
        i % 2 === 1 && headers[i - 1]?.toLowerCase() === "content-length" ? String(body.length) : value
      )

/** Where a service's resources begin; block storage wants the token's own project there. */
const rootOf = (service: string, base: Base, { projectId }: Session): string =>
  service === "volume" ? `${base.path}/${projectId}` : base.path

/** Services that take a project id in front of the path, which must be the token's own. */
const prefixed: ReadonlySet<string> = new Set(["compute", "volume"])
/** What such a service takes for a project id. */
const projectLike = /^[0-9a-f-]+$/

/**
 * A client that knows the platform's own paths may have put its project there already; another one is not there. Nor is
 * a second one: it would be the service's prefix again, and the rules and the ledger would take it for a collection.
 */
const withoutProject = <E>({ segments, service }: ProxyTarget, own: string | Effect.Effect<string, E>) => {
  const [first = "", ...rest] = segments
  if (!prefixed.has(service) || !projectLike.test(first)) return Effect.succeed(segments)
  if (projectLike.test(rest[0] ?? "")) return Effect.fail(NotFound.route())
  return Effect.flatMap(Effect.isEffect(own) ? own : Effect.succeed(own), (own) =>
    first === own ? Effect.succeed(rest) : Effect.fail(NotFound.route())
  )
}

const permitted = (caller: Caller, reach: Reach, method: string, service: string, segments: ReadonlyArray<string>) => {
  const needed = tierNeeded(method, service, segments)
  if (caller.tier < needed) return Effect.fail(Forbidden.tierTooLow(method, needed, caller.tier))
  const denial = denied(caller, service, needed)
  if (denial !== undefined) return Effect.fail(denial)
  if (caller.tenant?.closing === true && needed > 0) return Effect.fail(Conflict.closing())
  if (service !== "identity" || reach.kind === "platform") return Effect.void
  return needed === 0 && isIdentityForTenants(segments, reach.tenant.projectId)
    ? Effect.void
    : Effect.fail(Forbidden.identityRoute())
}

/** What a tenant may read of the identity service: its own project, the tags of it, and the regions. The rest can mint ways around the gateway. */
const isIdentityForTenants = ([kind, id, what, ...more]: ReadonlyArray<string>, projectId: string): boolean =>
  more.length === 0 &&
  ((kind === "projects" && id === projectId && (what === undefined || what === "tags")) ||
    (kind === "regions" && what === undefined))

/**
 * Detaching a volume destroys nothing: a write, though its method is DELETE (contract, Proxy rules). What destroys
 * though its method is none, the rules hold to tier 2.
 */
const tierNeeded = (method: string, service: string, segments: ReadonlyArray<string>): PermissionTier => {
  const [kind, , what] = segments
  const detaches =
    service === "compute" && segments.length === 4 && kind === "servers" && what === "os-volume_attachments"
  return method === "DELETE" && detaches ? 1 : tierOf(method)
}

/** The services that a project is stamped toward (contract, Proxy). A stock one ignores the stamp: the token decides. */
const stamped: ReadonlySet<string> = new Set(["compute", "network", "volume", "image"])

/** @param legible whether the answer will be read, and must come as JSON and not compressed */
const headersOf = (
  exchange: Exchange,
  { method, segments, service }: Call,
  reach: Reach,
  session: Session,
  legible: boolean
): Array<string> => {
  const { from } = exchange
  const { connection } = from.headers
  // What is changed while it streams must not be compressed.
  const changes = service === "image" && !isData(segments)
  const dropped = [...(legible ? ["accept"] : []), ...(legible || changes ? ["accept-encoding"] : [])]
  const headers = forwardedHeaders(
    from.rawHeaders,
    dropped.length === 0 ? connection : [connection ?? "", ...dropped].join(", ")
  )
  if (legible || changes) headers.push("accept-encoding", "identity")
  // Without it some services answer their errors in plain text, or in HTML; and one has XML for those who ask.
  if (legible || from.headers.accept === undefined) headers.push("accept", "application/json")
  const type = missingType(exchange, service)
  if (type !== undefined) headers.push("content-type", type)
  headers.push("x-auth-token", Redacted.value(session.token))
  if (reach.kind === "tenant") {
    if (stamped.has(service)) headers.push("x-project-id", reach.tenant.projectId)
  } else if (service === "dns" && method === "GET") headers.push("x-auth-all-projects", "true")
  return headers
}
