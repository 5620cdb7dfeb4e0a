import { type Caller, tierOf } from "@portico/contract/Access"
import { BadGateway, BadRequest, NotFound } from "@portico/contract/Failures"
import { bearerToken } from "@portico/domain/access/PresentedToken"
import type { Reach } from "@portico/domain/access/reach"
import { badGateway } from "@portico/domain/badGateway"
import { type ClusterApi, Cluster } from "@portico/upstream/kubernetes/Cluster"
import { Config, Effect, type Redacted } from "effect"
import { Socket } from "node:net"
import { admission } from "../../limits/admission.ts"
import { type Exchange, hasBody, ownHeaders, promisesOnce, type RawCall } from "../Exchange.ts"
import { Forwarder } from "../forward.ts"
import { returnedHeaders, withoutHeaders, withoutLength } from "../headers.ts"
import { readBody, turnToCheck } from "../requestBody.ts"
import { type Changed, decided } from "./access.ts"
import { againstRead, clusterBodyLimit, isPlainJson, readWrite } from "./body.ts"
import type { Guard } from "./guards.ts"
import { clusterStreams } from "./ClusterStreams.ts"
import { authorizationOf, headersOf } from "./identity.ts"
import { locationOf } from "./locations.ts"
import { type ClusterTarget, clusterTarget, isEndless, isProxied } from "./target.ts"
import { makeTenancy } from "./Tenancy.ts"
import { CallOwner } from "@portico/upstream/limits/longTexts"
import { Uploads } from "../../streams/Uploads.ts"
import { dial, clientDisconnect, refuseWith, splice, type Upgrading } from "./upgrade.ts"
import { ownerOf } from "../HeldBodies.ts"

/** A permitted call. */
interface RoutedCall {
  readonly api: ClusterApi
  readonly caller: Caller
  readonly reach: Reach
  readonly target: ClusterTarget
  /** The tenant's namespace that the call concerns. */
  readonly namespace: string | undefined
  /** Whether the call creates or changes an object. */
  readonly writes: boolean
  /** The check of its body before it is forwarded. */
  readonly guard: Guard | undefined
  /** The object that it replaces or patches, where it may be a managed database's. */
  readonly changed: Changed | undefined
}

/** A body that was read. */
interface Body {
  readonly bytes: Buffer
  /** The media type of the replacement body. */
  readonly type?: string
}

/**
 * Forwards calls to the cluster's API server with the identity of the caller: every call impersonates a user of the
 * tenant. Watches and followed logs stream as long as data arrives. Upgraded connections are joined to the API
 * server's.
 *
 * Errors: 400 for an ambiguous path or query, and for an `Idempotency-Key`; 401 without a caller; 429 beyond its
 * tenant's allowance, and beyond its open streams; 403 below the tier, or for objects that tenants may not write;
 * 400, 413 and 415 for a write whose body must be parsed and cannot be; 404 for everything outside the tenant, and in
 * a cloud without a cluster; 409 for a write, or a connection into a pod, in a tenant that is being deleted or
 * closed; 502 when the API server does not answer, or rejects a fresh token.
 */
export const kubernetesProxy = Effect.gen(function* () {
  const { api } = yield* Cluster
  const admitted = yield* admission
  const forwarder = yield* Forwarder
  const tenancy = yield* makeTenancy
  const more = new Set(
    (yield* Config.String("KUBERNETES_TENANT_RESOURCES").pipe(Config.withDefault("backups.postgresql.cnpg.io")))
      .split(",")
      .map((_) => _.trim())
  )
  const enter = yield* clusterStreams
  const uploads = yield* Uploads
  const answerTimeout = 1000 * (yield* Config.Int("PROXY_ANSWER_SECONDS").pipe(Config.withDefault(60)))
  const idle = 1000 * (yield* Config.Int("KUBERNETES_IDLE_SECONDS").pipe(Config.withDefault(3600)))
  const agent = yield* forwarder.agentWith(api?.ca === undefined ? {} : { connect: { ca: api.ca } })

  /** Decides whether a request is forwarded, from its request line and headers. */
  const route = Effect.fnUntraced(function* (incoming: RawCall, upgrade: boolean) {
    const { from } = incoming
    const caller = yield* admitted(yield* bearerToken(authorizationOf(from, upgrade)), incoming)
    if (promisesOnce(from)) return yield* BadRequest.idempotencyKeyProxied()
    if (api === undefined) return yield* NotFound.service("kubernetes")
    const { method = "GET" } = from
    const target = yield* Effect.fromResult(clusterTarget(from.url ?? ""))
    const call = { method, segments: target.segments, upgrade, type: from.headers["content-type"], more }
    const { changed, guard, namespace, reach } = yield* Effect.fromResult(decided(caller, call))
    incoming.open.recheck = (now) => Effect.fromResult(decided(now, call))
    return {
      api,
      caller,
      reach,
      target,
      namespace,
      writes: tierOf(method) === 1 && !upgrade,
      guard,
      changed
    } satisfies RoutedCall
  })

  /**
   * Ensures the tenant's namespace before a write, and requires it before a read. This runs after every check that
   * can reject the call.
   */
  const ensureNamespace = ({ namespace, reach, writes }: RoutedCall) =>
    namespace === undefined || reach.kind !== "tenant"
      ? Effect.void
      : Effect.catchTag(
          // No namespace is created for a suspended tenant either.
          writes && !reach.tenant.suspended
            ? tenancy.beforeWrite(reach.tenant.projectId)
            : tenancy.beforeRead(namespace),
          "UpstreamError",
          badGateway
        )

  const ensureOfNoDatabase = ({ caller, changed, namespace }: RoutedCall) =>
    namespace === undefined || changed === undefined
      ? Effect.void
      : tenancy
          .beforeChange(namespace, changed)
          .pipe(Effect.provideService(CallOwner, ownerOf(caller) ?? ""), Effect.catchTag("UpstreamError", badGateway))

  /** Reads and checks the body of a write that could reach beyond the tenant, and returns the body to forward. */
  const checkedBody = Effect.fnUntraced(function* (exchange: Exchange, caller: Caller, guard: Guard) {
    const bytes = yield* readBody(exchange, ownerOf(caller), clusterBodyLimit)
    if (bytes === undefined) return undefined
    const { headers, method = "" } = exchange.from
    yield* turnToCheck(ownerOf(caller), bytes, !isPlainJson(headers))
    const read = yield* Effect.fromResult(readWrite(method, headers, bytes, guard))
    if (read.json !== undefined) exchange.draft?.read(read.json)
    const refusal = againstRead(guard, read)
    if (refusal !== undefined) return yield* refusal
    return read.instead ?? { bytes }
  })

  /** One attempt with one token. */
  const attempt = (
    exchange: Exchange,
    { api, caller, reach, target }: RoutedCall,
    token: Redacted.Redacted,
    body: Body | undefined
  ) => {
    const { from, to } = exchange
    const { origin, path } = addressOf(api, target)
    return forwarder.forward(to, {
      upstream: "kubernetes",
      owner: reach.kind === "tenant" ? reach.tenant.projectId : undefined,
      method: from.method ?? "GET",
      origin,
      path,
      headers: withBodyHeaders(headersOf(from, caller, reach, token), body),
      body: body?.bytes ?? (hasBody(from) ? from : null),
      returned: (raw) => [...returnedHeaders(raw, locationOf(api.url)), ...ownHeaders(exchange)],
      treatment: (status) => {
        // A watch of Secrets is recorded at its beginning, not at its end.
        if (isEndless(target)) exchange.record(status)
        return undefined
      },
      agent,
      ...(isEndless(target) ? { idle } : {}),
      // It may come from the server behind the sub-resource.
      relaysUnauthorized: isProxied(target)
    })
  }

  /** A token that the server rejects is replaced once, if the body can be sent again. */
  const forward = Effect.fnUntraced(
    function* (exchange: Exchange, routed: RoutedCall, body: Body | undefined) {
      const token = yield* routed.api.token
      const first = yield* attempt(exchange, routed, token, body)
      if (first.status !== 401 || exchange.to.headersSent) return
      if ((yield* routed.api.renewed(token)) && (body !== undefined || !hasBody(exchange.from))) {
        const again = yield* attempt(exchange, routed, yield* routed.api.token, body)
        if (again.status !== 401 || exchange.to.headersSent) return
      }
      return yield* notAccepted
    },
    Effect.catchTag("UpstreamError", badGateway)
  )

  const serve = Effect.fnUntraced(function* (exchange: Exchange) {
    const routed = yield* route(exchange, false)
    const body = routed.guard === undefined ? undefined : yield* checkedBody(exchange, routed.caller, routed.guard)
    yield* ensureNamespace(routed)
    yield* ensureOfNoDatabase(routed)
    if (!isEndless(routed.target)) {
      // A body that was not read in advance streams without a total time limit.
      const streams = body === undefined && hasBody(exchange.from)
      const entered = streams ? uploads.enter(routed.caller, exchange.from) : Effect.void
      return yield* Effect.scoped(Effect.andThen(entered, forward(exchange, routed, body)))
    }
    // The agent plane's calls come over a pair of streams, which is no socket.
    if (exchange.from.socket instanceof Socket) exchange.from.socket.setTimeout(idle)
    exchange.outlasting()
    yield* Effect.scoped(Effect.andThen(enter(routed.caller), forward(exchange, routed, body)))
  })

  const dialUpstream = Effect.fnUntraced(
    function* ({ from }: Upgrading, { api, caller, reach, target }: RoutedCall) {
      const { origin, path } = addressOf(api, target)
      const { method = "GET" } = from
      const request = { origin, path, answerTimeout, method, protocol: from.headers.upgrade ?? "", ca: api.ca }
      const once = (token: Redacted.Redacted) => dial({ ...request, headers: headersOf(from, caller, reach, token) })
      const token = yield* api.token
      const first = yield* once(token)
      if (first.kind === "switched" || first.response.statusCode !== 401 || isProxied(target)) return first
      first.socket.destroy()
      if (!(yield* api.renewed(token))) return yield* notAccepted
      const again = yield* once(yield* api.token)
      if (again.kind === "switched" || again.response.statusCode !== 401) return again
      again.socket.destroy()
      return yield* notAccepted
    },
    Effect.catchTag("UpstreamError", badGateway)
  )

  /** Authorizes the caller before dialling; then the API server accepts or refuses the protocol. */
  const negotiate = Effect.fnUntraced(function* (upgrading: Upgrading) {
    const routed = yield* route(upgrading, true)
    yield* ensureNamespace(routed)
    yield* enter(routed.caller)
    const answer = yield* dialUpstream(upgrading, routed)
    const returned = returnedHeaders(answer.response.rawHeaders, locationOf(routed.api.url))
    returned.push(...ownHeaders(upgrading))
    return { answer, returned }
  })

  const upgrade = Effect.fnUntraced(function* (upgrading: Upgrading) {
    const early = [upgrading.head]
    yield* Effect.acquireUseRelease(
      Effect.interruptible(Effect.raceFirst(negotiate(upgrading), clientDisconnect(upgrading, early))),
      ({ answer, returned }) =>
        Effect.andThen(
          // Recorded now, because the connection may last for days.
          upgrading.record(answer.kind === "switched" ? 101 : (answer.response.statusCode ?? null)),
          answer.kind === "switched"
            ? splice({ ...upgrading, head: Buffer.concat(early) }, answer, returned, idle)
            : refuseWith(upgrading, answer.response, returned, idle)
        ),
      ({ answer }) => Effect.sync(() => void answer.socket.destroy())
    )
  }, Effect.scoped)

  return { serve, upgrade }
})

/** The client's headers with the length and the media type of a body that was read. */
const withBodyHeaders = (headers: Array<string>, body: Body | undefined): Array<string> => {
  if (body === undefined) return headers
  const { type } = body
  return type === undefined
    ? withoutLength(headers)
    : [...withoutHeaders(withoutLength(headers), (_) => _ === "content-type"), "content-type", type]
}

const notAccepted = Effect.suspend(() =>
  Effect.fail(BadGateway.upstream("kubernetes: the API server did not accept the gateway's token", true))
)

const addressOf = ({ url }: ClusterApi, { path, query }: ClusterTarget) => {
  const { origin } = new URL(url)
  const whole = `${url.slice(origin.length)}${path}`
  return { origin, path: query === undefined ? whole : `${whole}?${query}` }
}
