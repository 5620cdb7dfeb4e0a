import { type Caller, tierOf } from "@portico/contract/Access"
import { BadGateway, BadRequest, NotFound } from "@portico/contract/Failures"
import { bearerToken } from "@portico/domain/access/PresentedToken"
import type { Reach } from "@portico/domain/access/reach"
import { badGateway } from "@portico/domain/badGateway"
import { type ClusterApi, Cluster } from "@portico/upstream/kubernetes/Cluster"
import { Config, Effect, type Redacted } from "effect"
import { admission } from "../../limits/admission.ts"
import { type Exchange, hasBody, ownHeaders, promisesOnce } from "../Exchange.ts"
import { Forwarder } from "../forward.ts"
import { returnedHeaders } from "../headers.ts"
import { readBody } from "../requestBody.ts"
import { decided } from "./access.ts"
import { againstRead, clusterBodyLimit, readWrite } from "./body.ts"
import type { Guard } from "./guards.ts"
import { clusterStreams } from "./ClusterStreams.ts"
import { headersOf } from "./identity.ts"
import { locationOf } from "./locations.ts"
import { type ClusterTarget, clusterTarget, isEndless } from "./target.ts"
import { makeTenancy } from "./Tenancy.ts"
import { Uploads } from "../../streams/Uploads.ts"
import { dial, hangUp, refuseWith, splice, type Upgrading } from "./upgrade.ts"

/** Who asks, and from where. */
type Asking = Pick<Exchange, "from" | "plane" | "source" | "draft" | "meter" | "open">

/** A call that may go on. */
interface Placed {
  readonly api: ClusterApi
  readonly caller: Caller
  readonly reach: Reach
  readonly target: ClusterTarget
  /** The tenant's own that it is about. */
  readonly namespace: string | undefined
  /** Whether it creates or changes. */
  readonly writes: boolean
  /** What its body is held to first. */
  readonly guard: Guard | undefined
}

/** A body that was read. */
interface Body {
  readonly bytes: Buffer
  /** The media type of what goes on in the place of the client's own. */
  readonly type?: string
}

/**
 * Forwards calls to the API server of the cluster, which sees the caller and
 * not the gateway: every call is made as a user of the tenant. Watches and
 * followed logs stream for as long as something of them comes; connections
 * that become another protocol's are joined to the API server's.
 *
 * Errors: 400 for a path or query that can be read in two ways, and for an `Idempotency-Key`; 401 without a
 * caller; 429 beyond the allowance of its tenant, and beyond what it may have open; 403 below the tier, or for what
 * tenants may not write; 400, 413 and 415 for a write whose body has to be read and cannot be; 404 for
 * everything that is not the tenant's, and in a cloud without a cluster; 409
 * for a write, or a way into a pod, in a tenant that is being deleted or closed; 502
 * when the API server does not answer, or does not accept a fresh token.
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
  const patience = 1000 * (yield* Config.Int("PROXY_ANSWER_SECONDS").pipe(Config.withDefault(60)))
  const idle = 1000 * (yield* Config.Int("KUBERNETES_IDLE_SECONDS").pipe(Config.withDefault(3600)))
  // Over HTTP/2 all watches would share one connection, and its end.
  const agent = yield* forwarder.agentWith({
    allowH2: false,
    ...(api?.ca === undefined ? {} : { connect: { ca: api.ca } })
  })

  /** Decides whether a request goes on: by its first line alone. */
  const placed = Effect.fnUntraced(function* (asking: Asking, upgrade: boolean) {
    const { from } = asking
    const caller = yield* admitted(yield* bearerToken(from.headers.authorization), asking)
    if (promisesOnce(from)) return yield* BadRequest.idempotencyKeyProxied()
    if (api === undefined) return yield* NotFound.service("kubernetes")
    const { method = "GET" } = from
    const target = yield* Effect.fromResult(clusterTarget(from.url ?? ""))
    const asked = { method, segments: target.segments, upgrade, type: from.headers["content-type"], more }
    const { guard, namespace, reach } = yield* Effect.fromResult(decided(caller, asked))
    asking.open.holds = (now) => Effect.fromResult(decided(now, asked))
    return { api, caller, reach, target, namespace, writes: tierOf(method) === 1 && !upgrade, guard } satisfies Placed
  })

  /** The tenant's namespace is there for a write; for a read it has to be. After all that can refuse the call. */
  const settled = ({ namespace, reach, writes }: Placed) =>
    namespace === undefined || reach.kind !== "tenant"
      ? Effect.void
      : Effect.catchTag(
          // A suspended tenant gets no namespace either.
          writes && !reach.tenant.suspended
            ? tenancy.beforeWrite(reach.tenant.projectId)
            : tenancy.beforeRead(namespace),
          "UpstreamError",
          badGateway
        )

  /** Reads the body of a write that could reach beyond the tenant, and refuses it, or says what goes on. */
  const examined = Effect.fnUntraced(function* (exchange: Exchange, guard: Guard) {
    const bytes = yield* readBody(exchange, clusterBodyLimit)
    if (bytes === undefined) return undefined
    const { headers, method = "" } = exchange.from
    const read = yield* Effect.fromResult(readWrite(method, headers, bytes, guard))
    if (read.json !== undefined) exchange.draft?.read(read.json)
    const refusal = againstRead(guard, read)
    if (refusal !== undefined) return yield* refusal
    return read.instead ?? { bytes }
  })

  /** One attempt under one token. */
  const attempt = (
    exchange: Exchange,
    { api, caller, reach, target }: Placed,
    token: Redacted.Redacted,
    body: Body | undefined
  ) => {
    const { from, to } = exchange
    const { origin, path } = addressOf(api, target)
    return forwarder.forward(to, {
      upstream: "kubernetes",
      method: from.method ?? "GET",
      origin,
      path,
      headers: describing(headersOf(from, caller, reach, token), body),
      body: body?.bytes ?? (hasBody(from) ? from : null),
      returned: (raw) => [...returnedHeaders(raw, locationOf(api.url)), ...ownHeaders(exchange)],
      treatment: (status) => {
        // Of a watch of Secrets, now and not at its end.
        if (isEndless(target)) exchange.answered(status)
        return undefined
      },
      agent,
      ...(isEndless(target) ? { idle } : {}),
      keepsUnauthorized: isProxied(target)
    })
  }

  /** A token that the server does not accept is replaced once, if the body can be sent again. */
  const forward = Effect.fnUntraced(
    function* (exchange: Exchange, onward: Placed, body: Body | undefined) {
      const token = yield* onward.api.token
      const first = yield* attempt(exchange, onward, token, body)
      if (first.status !== 401 || exchange.to.headersSent) return
      if ((yield* onward.api.renewed(token)) && (body !== undefined || !hasBody(exchange.from))) {
        const again = yield* attempt(exchange, onward, yield* onward.api.token, body)
        if (again.status !== 401 || exchange.to.headersSent) return
      }
      return yield* notAccepted
    },
    Effect.catchTag("UpstreamError", badGateway)
  )

  const serve = Effect.fnUntraced(function* (exchange: Exchange) {
    const onward = yield* placed(exchange, false)
    const body = onward.guard === undefined ? undefined : yield* examined(exchange, onward.guard)
    yield* settled(onward)
    if (!isEndless(onward.target)) {
      // A body that was not read first streams on, for as long as it likes.
      const streams = body === undefined && hasBody(exchange.from)
      const entered = streams ? uploads.enter(onward.caller, exchange.from) : Effect.void
      return yield* Effect.scoped(Effect.andThen(entered, forward(exchange, onward, body)))
    }
    exchange.from.socket.setTimeout(idle)
    exchange.outlasting()
    yield* Effect.scoped(Effect.andThen(enter(onward.caller), forward(exchange, onward, body)))
  })

  const dialled = Effect.fnUntraced(
    function* ({ from }: Upgrading, { api, caller, reach, target }: Placed) {
      const { origin, path } = addressOf(api, target)
      const { method = "GET" } = from
      const request = { origin, path, patience, method, protocol: from.headers.upgrade ?? "", ca: api.ca }
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

  /** The caller is known, and may, before anything is dialled; then the API server agrees to the protocol, or refuses. */
  const agreed = Effect.fnUntraced(function* (upgrading: Upgrading) {
    const onward = yield* placed(upgrading, true)
    yield* settled(onward)
    yield* enter(onward.caller)
    const answer = yield* dialled(upgrading, onward)
    const returned = returnedHeaders(answer.response.rawHeaders, locationOf(onward.api.url))
    returned.push(...ownHeaders(upgrading))
    return { answer, returned }
  })

  const upgrade = Effect.fnUntraced(function* (upgrading: Upgrading) {
    const early = [upgrading.head]
    yield* Effect.acquireUseRelease(
      Effect.interruptible(Effect.raceFirst(agreed(upgrading), hangUp(upgrading, early))),
      ({ answer, returned }) =>
        Effect.andThen(
          // Now, because the connection may last for days.
          upgrading.answered(answer.kind === "switched" ? 101 : (answer.response.statusCode ?? null)),
          answer.kind === "switched"
            ? splice({ ...upgrading, head: Buffer.concat(early) }, answer, returned, idle)
            : refuseWith(upgrading, answer.response, returned, idle)
        ),
      ({ answer }) => Effect.sync(() => void answer.socket.destroy())
    )
  }, Effect.scoped)

  return { serve, upgrade }
})

/** The client's headers with what is true of a body that was read: its length, and its media type. */
const describing = (headers: ReadonlyArray<string>, body: Body | undefined): ReadonlyArray<string> => {
  if (body === undefined) return headers
  const kept = headers.flatMap((name, i) => {
    if (i % 2 === 1) return []
    const lower = name.toLowerCase()
    const replaced = lower === "content-length" || (lower === "content-type" && body.type !== undefined)
    return replaced ? [] : [name, headers[i + 1] ?? ""]
  })
  return body.type === undefined ? kept : [...kept, "content-type", body.type]
}

const notAccepted = Effect.suspend(() =>
  Effect.fail(BadGateway.upstream("kubernetes: the API server did not accept the gateway's token", true))
)

/** There a 401 may be that of whoever is behind it. */
const isProxied = ({ segments }: ClusterTarget): boolean => segments.includes("proxy")

const addressOf = ({ url }: ClusterApi, { path, query }: ClusterTarget) => {
  const { origin } = new URL(url)
  const whole = `${url.slice(origin.length)}${path}`
  return { origin, path: query === undefined ? whole : `${whole}?${query}` }
}
