import { type Caller, tierOf } from "@portico/contract/Access"
import { BadGateway, BadRequest, NotFound } from "@portico/contract/Failures"
import { bearerToken } from "@portico/domain/access/bearer"
import { badGateway } from "@portico/domain/badGateway"
import { type Api, Cluster } from "@portico/upstream/kubernetes/Cluster"
import { Config, Effect, type Redacted } from "effect"
import { admission } from "../../limits/admission.ts"
import { type Exchange, hasBody, ownHeaders, promisesOnce } from "../Exchange.ts"
import { Forwarder } from "../forward.ts"
import { returnedHeaders } from "../headers.ts"
import { decided } from "./access.ts"
import { clusterStreams } from "./ClusterStreams.ts"
import { headersOf } from "./identity.ts"
import { locationOf } from "./locations.ts"
import { type ClusterTarget, clusterTarget, isEndless } from "./target.ts"
import { makeTenancy } from "./Tenancy.ts"
import { dial, hangUp, refuseWith, splice, type Upgrading } from "./upgrade.ts"

/** Who asks, and from where. */
type Asking = Pick<Exchange, "from" | "source" | "trail" | "meter" | "open">

/** A call that may go on. */
interface Placed {
  readonly api: Api
  readonly caller: Caller
  readonly target: ClusterTarget
}

/**
 * Forwards calls to the API server of the cluster, which sees the caller and
 * not the gateway: every call is made as a user of the tenant. Watches and
 * followed logs stream for as long as something of them comes; connections
 * that become another protocol's are joined to the API server's.
 *
 * Errors: 400 for a path or query that can be read in two ways, and for an `Idempotency-Key`; 401 without a
 * caller; 429 beyond the allowance of its tenant, and beyond what it may have open; 403 below the tier, or for what tenants may not write; 404 for
 * everything that is not the tenant's, and in a cloud without a cluster; 409
 * for a write, or a way into a pod, in a tenant that is being deleted or closed; 502
 * when the API server does not answer, or does not accept a fresh token.
 */
export const kubernetesProxy = Effect.gen(function* () {
  const { api } = yield* Cluster
  const admitted = yield* admission
  const forwarder = yield* Forwarder
  const tenancy = yield* makeTenancy
  const enter = yield* clusterStreams
  const patience = 1000 * (yield* Config.Int("PROXY_ANSWER_SECONDS").pipe(Config.withDefault(60)))
  const idle = 1000 * (yield* Config.Int("KUBERNETES_IDLE_SECONDS").pipe(Config.withDefault(3600)))
  // Over HTTP/2 all watches would share one connection, and its end.
  const agent = yield* forwarder.agentWith({
    allowH2: false,
    ...(api?.ca === undefined ? {} : { connect: { ca: api.ca } })
  })

  /** Decides whether a request goes on: by its first line alone. */
  const placed = Effect.fnUntraced(
    function* (asking: Asking, upgrade: boolean) {
      const { from } = asking
      const caller = yield* admitted(yield* bearerToken(from.headers.authorization), asking)
      if (promisesOnce(from)) return yield* BadRequest.idempotencyKeyProxied()
      if (api === undefined) return yield* NotFound.service("kubernetes")
      const { method = "GET" } = from
      const target = yield* Effect.fromResult(clusterTarget(from.url ?? ""))
      const asked = { method, segments: target.segments, upgrade }
      const { namespace } = yield* Effect.fromResult(decided(caller, asked))
      asking.open.holds = (now) => Effect.fromResult(decided(now, asked))
      if (namespace !== undefined && caller.tenant !== null) {
        const writes = tierOf(method) === 1 && !upgrade
        yield* writes ? tenancy.beforeWrite(caller.tenant.projectId) : tenancy.beforeRead(namespace)
      }
      return { api, caller, target } satisfies Placed
    },
    Effect.catchTag("UpstreamError", badGateway)
  )

  /** One attempt under one token. */
  const attempt = (exchange: Exchange, { api, caller, target }: Placed, token: Redacted.Redacted) => {
    const { from, to } = exchange
    const { origin, path } = addressOf(api, target)
    return forwarder.forward(to, {
      upstream: "kubernetes",
      method: from.method ?? "GET",
      origin,
      path,
      headers: headersOf(from, caller, token),
      body: hasBody(from) ? from : null,
      returned: (raw) => [...returnedHeaders(raw, locationOf(api.url)), ...ownHeaders(exchange)],
      treatment: () => undefined,
      agent,
      ...(isEndless(target) ? { idle } : {}),
      keepsUnauthorized: isProxied(target)
    })
  }

  /** A token that the server does not accept is replaced once, if the body can be sent again. */
  const forward = Effect.fnUntraced(
    function* (exchange: Exchange, onward: Placed) {
      const token = yield* onward.api.token
      const first = yield* attempt(exchange, onward, token)
      if (first.status !== 401 || exchange.to.headersSent) return
      if ((yield* onward.api.renewed(token)) && !hasBody(exchange.from)) {
        const again = yield* attempt(exchange, onward, yield* onward.api.token)
        if (again.status !== 401 || exchange.to.headersSent) return
      }
      return yield* notAccepted
    },
    Effect.catchTag("UpstreamError", badGateway)
  )

  const serve = Effect.fnUntraced(function* (exchange: Exchange) {
    const onward = yield* placed(exchange, false)
    if (!isEndless(onward.target)) return yield* forward(exchange, onward)
    exchange.from.socket.setTimeout(idle)
    exchange.outlasting()
    yield* Effect.scoped(Effect.andThen(enter(onward.caller), forward(exchange, onward)))
  })

  const dialled = Effect.fnUntraced(
    function* ({ from }: Upgrading, { api, caller, target }: Placed) {
      const { origin, path } = addressOf(api, target)
      const { method = "GET" } = from
      const request = { origin, path, patience, method, protocol: from.headers.upgrade ?? "", ca: api.ca }
      const once = (token: Redacted.Redacted) => dial({ ...request, headers: headersOf(from, caller, token) })
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

const notAccepted = Effect.suspend(() =>
  Effect.fail(BadGateway.upstream("kubernetes: the API server did not accept the gateway's token", true))
)

/** There a 401 may be that of whoever is behind it. */
const isProxied = ({ segments }: ClusterTarget): boolean => segments.includes("proxy")

const addressOf = ({ url }: Api, { path, query }: ClusterTarget) => {
  const { origin } = new URL(url)
  const whole = `${url.slice(origin.length)}${path}`
  return { origin, path: query === undefined ? whole : `${whole}?${query}` }
}
