import type { Caller } from "@portico/contract/Access"
import {
  BadGateway,
  BadRequest,
  Conflict,
  type Failure,
  Forbidden,
  NotFound,
  UnsupportedMediaType
} from "@portico/contract/Failures"
import { bearerToken } from "@portico/domain/access/PresentedToken"
import { type Reach, reachOf } from "@portico/domain/access/reach"
import { badGateway } from "@portico/domain/badGateway"
import { DnsSettings } from "@portico/domain/dns/DnsSettings"
import { denied } from "@portico/domain/access/limits"
import { Guard } from "@portico/upstream/delivery/Guard"
import { observed, traced } from "@portico/upstream/observed"
import { CallOwner, turnToParse } from "@portico/upstream/limits/longTexts"
import { textOf } from "@portico/upstream/System"
import { Catalog } from "@portico/upstream/openstack/Catalog"
import { type Session, Sessions } from "@portico/upstream/openstack/Sessions"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { Effect, Exit, Option, Redacted, Result } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { tierNeeded } from "../acts/matching.ts"
import { admission } from "../limits/admission.ts"
import { iaasPrefix, stockPrefix } from "../requests/route.ts"
import { isData, treatmentOf } from "./treatment.ts"
import { isBalancingPath } from "./balancing.ts"
import { addOwnHeaders, type Exchange, hasBody, promisesOnce } from "./Exchange.ts"
import { type ForwardedRequest, Forwarder, type RelayedResponse } from "./forward.ts"
import { forwardedHeaders, returnedHeaders, withoutLength } from "./headers.ts"
import { changeRecorder } from "./createdServers.ts"
import { concernsBilling, lifecycleChanges } from "./lifecycle.ts"
import { linksOf, reachedAt } from "./links.ts"
import { type Base, bases } from "./openstack/Bases.ts"
import { isMeantForOthers } from "./otherProjects.ts"
import { lacksId, type ProxyTarget, proxyTarget } from "./path.ts"
import { concernedBy, type Route, RouteCache } from "./RouteCache.ts"
import { forwardedQuery } from "./query.ts"
import { isForm, jsonOf, missingType, withinJsonLimits, readBody, readJson, turnToCheck } from "./requestBody.ts"
import { namesByAddress, withServiceAddresses } from "./references.ts"
import type { PlatformCall } from "./rules/Rule.ts"
import { createsWhileSuspended } from "./rules/suspension.ts"
import { platformZones } from "./rules/platformZones.ts"
import { rules as always } from "./rules/rules.ts"
import { Uploads } from "../streams/Uploads.ts"
import { volumeMetadata } from "./rules/volumeMetadata.ts"
import { zoneMasters } from "./rules/zoneMasters.ts"
import { ownerOf } from "./HeldBodies.ts"

/** A permitted call and its destination. */
interface RoutedCall {
  readonly route: Route
  readonly call: PlatformCall
  readonly caller: Caller
  readonly reach: Reach
  /** The query to forward. */
  readonly query: string | undefined
}

/** The most bytes that a rule reads of a resource, while all calls wait: tenants fill address groups without an end. */
const longestRead = 2 * 1024 * 1024

/**
 * Forwards calls to the platform with the tenant's own token, or with the control identity for a platform
 * administrator. Status and body of the answer are returned unchanged, except addresses and fields that clients may
 * not see.
 *
 * Errors: 400 for an ambiguous path or query, and for an `Idempotency-Key`; 401 without a caller; 429 beyond its
 * tenant's allowance; 403 below the method's tier, or against a rule; 404 for an unknown service; 409 for a caller
 * with neither a tenant nor administrator powers, and for a write in a tenant that is being deleted or closed; 413
 * and 415 for a body that a rule cannot read, 415 for a form; 502 when the service does not answer, or rejects a
 * fresh token.
 */
export const iaasProxy = Effect.gen(function* () {
  const admitted = yield* admission
  const sessions = yield* Sessions
  const catalog = yield* Catalog
  const forwarder = yield* Forwarder
  const uploads = yield* Uploads
  const recordChange = yield* changeRecorder
  const client = yield* HttpClient.HttpClient
  const links = linksOf(catalog)
  const known = yield* bases
  const routes = new RouteCache()
  const rules = [...always, volumeMetadata(), platformZones(yield* DnsSettings), zoneMasters(yield* Guard)]

  /** The control identity, for administrators only. A caller without a tenant reaches nothing. */
  const sessionOf = (reach: Reach) =>
    reach.kind === "platform" ? sessions.control : sessions.tenant(reach.tenant.projectId)

  /** What method and path decide: remembered, or decided now. */
  const routeOf = Effect.fnUntracedEager(function* ({ from, target: sent }: Exchange, projectId: string | null) {
    const method = from.method ?? "GET"
    const remembered = routes.get(method, sent)
    if (remembered !== undefined && (remembered.project ?? projectId) === projectId) return remembered
    const target = yield* Effect.fromResult(proxyTarget(sent, iaasPrefix))
    const { query, service } = target
    const base = known.get(service)
    if (base === undefined) return yield* NotFound.service(service)
    const segments = yield* withoutProject(target, projectId === null ? sessions.controlProjectId : projectId)
    const call = { method, service, segments }
    const route: Route = {
      ...call,
      project: segments === target.segments ? undefined : target.segments[0],
      query,
      base,
      tier: tierNeeded(call),
      billing: concernsBilling(call),
      renamed: namesByAddress(call),
      concerned: concernedBy(rules, call)
    }
    routes.keep(sent, route)
    return route
  })

  /** Decides whether and where a request is forwarded, from its request line and from whether its body is a form. */
  const routedCall = Effect.fnUntracedEager(function* (exchange: Exchange, caller: Caller) {
    const { from } = exchange
    const reach = yield* Effect.fromResult(reachOf(caller))
    const projectId = reach.kind === "tenant" ? reach.tenant.projectId : null
    const route = yield* routeOf(exchange, projectId)
    if (lacksId(exchange.target, iaasPrefix, route.method, exchange.prefix === stockPrefix)) {
      return yield* NotFound.route()
    }
    const { query, segments, service } = route
    const refusal = refusalOf(caller, reach, route)
    if (refusal !== undefined) return yield* refusal
    exchange.open.recheck = (now) =>
      Effect.flatMap(
        Effect.fromResult(reachOf(now)),
        (reach): Effect.Effect<void, Failure> =>
          refusalOf(now, reach, route) ??
          // An upload goes on for as long as its client likes.
          (createsWhileSuspended(route, now) ? Effect.fail(Forbidden.tenantSuspended()) : Effect.void)
      )
    if (service === "load-balancer" && !isBalancingPath(segments)) return yield* NotFound.route()
    if (promisesOnce(from)) return yield* BadRequest.idempotencyKeyProxied()
    if (isForm(exchange)) return yield* UnsupportedMediaType.formBody()
    if (projectId !== null && isMeantForOthers(route.method, from.headers, projectId)) {
      return yield* Forbidden.otherProjectsWrite()
    }
    const call = new ForwardedCall(route, caller, from.headers, reach)
    if (query === undefined && projectId !== null) return { route, call, caller, reach, query } satisfies RoutedCall
    const { method } = route
    const forwarded = yield* Effect.fromResult(forwardedQuery(query, { method, service, segments, projectId }))
    return { route, call, caller, reach, query: forwarded } satisfies RoutedCall
  })

  class ForwardedCall implements PlatformCall {
    readonly method: string
    readonly service: string
    readonly segments: ReadonlyArray<string>
    readonly caller: Caller
    readonly headers: PlatformCall["headers"]
    readonly #route: Route
    readonly #reach: Reach

    constructor(route: Route, caller: Caller, headers: PlatformCall["headers"], reach: Reach) {
      this.method = route.method
      this.service = route.service
      this.segments = route.segments
      this.caller = caller
      this.headers = headers
      this.#route = route
      this.#reach = reach
    }

    /** As the client sent it, including parameters for the gateway alone. Few rules ask for it. */
    get query(): URLSearchParams {
      return new URLSearchParams(this.#route.query)
    }

    read(segments: ReadonlyArray<string>, headers?: Readonly<Record<string, string>>) {
      return read(this.service, this.#route.base, this.#reach, segments, headers)
    }
  }

  /** Reads a resource for a rule, with the caller's own session. */
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
      // For another tenant's resource some services answer 403, some 404, and some 400 for an impossible id.
      if (response.status === 400 || response.status === 403 || response.status === 404) return undefined
      if (response.status === 200) {
        const text = yield* Effect.catchIf(
          textOf(response, longestRead),
          (_) => _ === "too long",
          () => BadGateway.upstream(`${service}: no answer of at most ${longestRead} bytes`, false)
        )
        yield* turnToParse({ upstream: service, call: "look" }, text.length)
        const found = jsonOf(Buffer.from(text))
        return Option.isSome(found) ? found.value : yield* BadGateway.upstream(`${service}: no JSON`, false)
      }
      return yield* BadGateway.upstream(`${service} answered ${response.status}`, response.status >= 500)
    },
    Effect.timeout("10 seconds"),
    (reading, service, _, reach) =>
      Effect.catchTags(
        Effect.provideService(reading, CallOwner, reach.kind === "tenant" ? reach.tenant.projectId : ""),
        {
          UpstreamError: badGateway,
          HttpClientError: () => BadGateway.upstream(`${service}: no answer`, true),
          TimeoutError: () => BadGateway.upstream(`${service}: no answer in time`, true)
        }
      )
  )

  /** What is sent to the service with one session, and the treatment of its answer. */
  const requestOf = (
    exchange: Exchange,
    { call, route, query, reach }: RoutedCall,
    session: Session,
    body?: Buffer
  ): ForwardedRequest => {
    const { own, prefix, versioned } = exchange
    // A stock service names its resources by whole addresses.
    const reached = reachedAt(prefix === stockPrefix ? own : "", prefix, versioned)
    const { base, billing, method, segments, service } = route
    const path = `${rootOf(service, base, session)}/${segments.join("/")}`
    const readsAnswer = billing?.answer === true
    const headers = headersOf(exchange, call, reach, session, readsAnswer)
    return {
      upstream: service,
      owner: reach.kind === "tenant" ? reach.tenant.projectId : undefined,
      method,
      origin: base.origin,
      path: query === undefined ? path : `${path}?${query}`,
      headers: body === undefined ? headers : withoutLength(headers),
      body: body ?? (hasBody(exchange.from) ? exchange.from : null),
      // The call is billed even when the client disconnects, so its answer is read to the end.
      outlivesClient: billing !== undefined,
      returned: (raw) => {
        const head = returnedHeaders(raw, (name, value) => links[name](value, service, reached))
        addOwnHeaders(head, exchange)
        return head
      },
      treatment: (_, headers) => treatmentOf({ call, own, prefix, versioned, wanted: readsAnswer }, links, headers)
    }
  }

  const attempt = (exchange: Exchange, routed: RoutedCall, session: Session, body?: Buffer) =>
    forwarder.forward(exchange.to, requestOf(exchange, routed, session, body))

  /** A body that was not read in advance streams without a total time limit, so such uploads have a ceiling. */
  const forward = (exchange: Exchange, routed: RoutedCall, body?: Buffer) =>
    body === undefined && hasBody(exchange.from)
      ? Effect.scoped(
          Effect.andThen(uploads.enter(routed.caller, exchange.from), forwarded(exchange, routed, undefined))
        )
      : forwarded(exchange, routed, body)

  const forwarded = (exchange: Exchange, routed: RoutedCall, body?: Buffer) =>
    Effect.flatMap(sessionOf(routed.reach), (session) =>
      Effect.flatMap(attempt(exchange, routed, session, body), (_) => accepted(exchange, routed, session, _, body))
    )

  /** A session that the service rejects is replaced once, if the body can be sent again. */
  const accepted = (
    exchange: Exchange,
    routed: RoutedCall,
    session: Session,
    first: RelayedResponse,
    body: Buffer | undefined
  ) => (first.status === 401 ? forwardedAgain(exchange, routed, session, body) : Effect.succeed(first))

  const forwardedAgain = Effect.fnUntraced(function* (
    exchange: Exchange,
    routed: RoutedCall,
    rejected: Session,
    body: Buffer | undefined
  ) {
    yield* sessions.drop(rejected)
    if (body !== undefined || !hasBody(exchange.from)) {
      const again = yield* attempt(exchange, routed, yield* sessionOf(routed.reach), body)
      if (again.status !== 401) return again
    }
    return yield* BadGateway.upstream(`${routed.call.service}: the platform did not accept the gateway's token`, true)
  })

  /**
   * Checks a call that a rule concerns or that changes billable resources. Some of these need their body read first.
   */
  const forwardChecked = Effect.fnUntraced(function* (exchange: Exchange, routed: RoutedCall) {
    const { call, caller, route } = routed
    const { billing, renamed } = route
    const { body: guarded, rules: concerned } = route.concerned(caller)
    const body =
      guarded || renamed || billing?.request === true ? yield* readBody(exchange, ownerOf(caller)) : undefined
    yield* turnToCheck(ownerOf(caller), body)
    yield* withinJsonLimits(body)
    const requestJson = guarded ? yield* readJson(exchange, body) : Option.getOrUndefined(jsonOf(body))
    if (body !== undefined) exchange.draft?.read(requestJson)
    yield* Effect.forEach(concerned, (_) => _.check(call, requestJson), { discard: true })

    const base = `${route.base.origin}${route.base.path}`
    const forwardedBody =
      renamed && body !== undefined ? withServiceAddresses(body, requestJson, exchange.own, base) : body
    const { body: answer, status } = yield* forward(exchange, routed, forwardedBody)
    const answerJson = Option.getOrUndefined(jsonOf(answer))
    if (billing?.answer === true && status < 300 && answerJson === undefined) {
      const what = `${call.method} ${call.service}/${call.segments.join("/")}`
      yield* Effect.logWarning(`${what} succeeded, and its answer cannot be read: no event tells of it`)
    }
    const changes = lifecycleChanges(call, { status, requestJson, answerJson }, caller, exchange.requestId)
    yield* Effect.forEach(changes, recordChange, { discard: true })
    return { status }
  })

  const isPlain = ({ caller, route }: RoutedCall): boolean =>
    route.billing === undefined && !route.renamed && route.concerned(caller).rules.length === 0

  const prepared = (exchange: Exchange) =>
    Effect.flatMapEager(bearerToken(exchange.authorization), (token) =>
      Effect.flatMapEager(admitted(token, exchange), (caller) => routedCall(exchange, caller))
    )

  const carriedOut = (exchange: Exchange, routed: RoutedCall) =>
    Effect.map(isPlain(routed) ? forward(exchange, routed) : forwardChecked(exchange, routed), (_) =>
      noted(exchange, _)
    )

  /**
   * Begins a call without a fiber, when no rule concerns it and everything is in memory that decides about it. The
   * effect carries out any other call.
   */
  const begin = (exchange: Exchange, ended: Ended): Effect.Effect<void, Failure> | undefined => {
    const preparation = prepared(exchange)
    if (!isKnown(preparation) || Exit.isFailure(preparation)) {
      return platformsWords(Effect.flatMap(preparation, (_) => carriedOut(exchange, _)))
    }
    const routed = preparation.value
    const session = isPlain(routed) ? sessionOf(routed.reach) : undefined
    if (session === undefined || !isKnown(session) || Exit.isFailure(session)) {
      return platformsWords(carriedOut(exchange, routed))
    }
    const slot = hasBody(exchange.from) ? uploads.enterNow(routed.caller, exchange.from) : undefined
    if (slot !== undefined && Result.isFailure(slot)) return Effect.fail(slot.failure)
    const { value } = session
    forwarder.begin(exchange.to, requestOf(exchange, routed, value), (result) => {
      slot?.success()
      if (Exit.isFailure(result)) return ended(result)
      const { status } = result.value
      if (status === 401) {
        const again = Effect.map(forwardedAgain(exchange, routed, value, undefined), (_) => noted(exchange, _))
        return ended(platformsWords(again))
      }
      noted(exchange, result.value)
      ended()
    })
  }

  return {
    serve: (exchange: Exchange) => platformsWords(Effect.flatMap(prepared(exchange), (_) => carriedOut(exchange, _))),
    /**
     * Like `serve` for a call that is not traced.
     *
     * @returns undefined when the call is on its way, and `ended` will be called; else the effect that serves it
     */
    begin
  }
})

/** Called at the end of a call that has begun, with what is left to do when the service did not answer it. */
export type Ended = (rest?: Effect.Effect<void, Failure>) => void

const platformsWords = <A>(effect: Effect.Effect<A, Failure | UpstreamError>): Effect.Effect<A, Failure> =>
  Effect.catch(effect, (error) => (error._tag === "UpstreamError" ? badGateway(error) : Effect.fail(error)))

/** Notes the status for the record. */
const noted = ({ draft }: Exchange, { status }: Pick<RelayedResponse, "status">): void => {
  if (draft !== undefined) draft.status = status
}

/** Whether the result of an effect is there already, without running it. */
const isKnown = <A, E>(effect: Effect.Effect<A, E>): effect is Exit.Exit<A, E> => Exit.isExit(effect)

/** The root path of a service's resources. Block storage requires the token's own project in it. */
const rootOf = (service: string, base: Base, { projectId }: Session): string =>
  service === "volume" ? `${base.path}/${projectId}` : base.path

/** Services that accept a project id, which must be the token's own, before the path. */
const takesProjectId: ReadonlySet<string> = new Set(["compute", "volume"])
/** The form that such a service recognises as a project id. */
const projectIdForm = /^[0-9a-f-]+$/

/**
 * Removes the project id that a client of the platform's own API may have put before the path. Another project's id
 * is a 404, and so is a second id: the service would take it for its prefix again, while the rules and the ledger
 * would take it for a collection.
 */
const withoutProject = <E>({ segments, service }: ProxyTarget, own: string | Effect.Effect<string, E>) => {
  const [first = "", ...rest] = segments
  if (!takesProjectId.has(service) || !projectIdForm.test(first)) return Effect.succeed(segments)
  if (projectIdForm.test(rest[0] ?? "")) return Effect.fail(NotFound.route())
  return Effect.flatMap(Effect.isEffect(own) ? own : Effect.succeed(own), (own) =>
    first === own ? Effect.succeed(rest) : Effect.fail(NotFound.route())
  )
}

/** Why a caller may not make a call; undefined when it may. */
const refusalOf = (caller: Caller, reach: Reach, { method, segments, service, tier: needed }: Route) => {
  if (caller.tier < needed) return Forbidden.tierTooLow(method, needed, caller.tier)
  const denial = denied(caller, service, needed)
  if (denial !== undefined) return denial
  if (caller.tenant?.closing === true && needed > 0) return Conflict.closing()
  if (service !== "identity" || reach.kind === "platform") return undefined
  return needed === 0 && isIdentityForTenants(segments, reach.tenant.projectId) ? undefined : Forbidden.identityRoute()
}

/**
 * Reads of the identity service that a tenant may make: its own project, the project's tags, and the regions. The
 * other routes can mint credentials that bypass the gateway.
 */
const isIdentityForTenants = ([kind, id, what, ...more]: ReadonlyArray<string>, projectId: string): boolean =>
  more.length === 0 &&
  ((kind === "projects" && id === projectId && (what === undefined || what === "tags")) ||
    (kind === "regions" && what === undefined))

/**
 * Services that receive the tenant's project id as a header (contract, Proxy). A stock service ignores it: its token
 * decides.
 */
const receivesProjectHeader: ReadonlySet<string> = new Set(["compute", "network", "volume", "image"])

/** @param readsAnswer whether the gateway reads the answer, which must then be uncompressed JSON */
const headersOf = (
  exchange: Exchange,
  { method, segments, service }: PlatformCall,
  reach: Reach,
  session: Session,
  readsAnswer: boolean
): Array<string> => {
  const { from } = exchange
  const { connection } = from.headers
  // An answer that is changed while it streams must not be compressed.
  const changes = service === "image" && !isData(segments)
  const dropped = readsAnswer ? ", accept, accept-encoding" : changes ? ", accept-encoding" : undefined
  const headers = forwardedHeaders(
    from.rawHeaders,
    dropped === undefined ? connection : `${connection ?? ""}${dropped}`
  )
  if (readsAnswer || changes) headers.push("accept-encoding", "identity")
  // Without an Accept header some services answer errors in plain text or HTML, and one service answers XML on
  // request.
  if (readsAnswer || from.headers.accept === undefined) headers.push("accept", "application/json")
  const type = missingType(exchange, service)
  if (type !== undefined) headers.push("content-type", type)
  headers.push("x-auth-token", Redacted.value(session.token))
  if (reach.kind === "tenant") {
    if (receivesProjectHeader.has(service)) headers.push("x-project-id", reach.tenant.projectId)
  } else if (service === "dns" && method === "GET") headers.push("x-auth-all-projects", "true")
  return headers
}
