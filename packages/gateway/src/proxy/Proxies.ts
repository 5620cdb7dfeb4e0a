import { Failure, Internal, Unavailable } from "@portico/contract/Failures"
import { iaasServices } from "@portico/contract/IaasServices"
import type { Source } from "@portico/domain/access/networks"
import { Audit, isAudited } from "@portico/domain/audit/Audit"
import type { Plane } from "@portico/domain/health/readiness"
import { Tracing } from "@portico/upstream/Tracing"
import { Cause, Context, Effect, Layer, Option, Result, Schema } from "effect"
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { TLSSocket } from "node:tls"
import { iaasPrefix, kubernetesPrefix, parametersOf, pathOf, stockPrefix } from "../requests/route.ts"
import { proxyRoute } from "./proxyRoute.ts"
import { readsSecrets } from "./secretReads.ts"
import { AuditDraft } from "../audit/AuditDraft.ts"
import { isDatabaseOutage } from "../middleware/databaseOutage.ts"
import { doubtfulHead, headersOfStatus } from "../middleware/headers.ts"
import { requestIdOf, untraced } from "../requests/RequestId.ts"
import { rawArrivalOf, SourceAddresses } from "../requests/sourceAddress.ts"
import { asRequest } from "../observability/tracing.ts"
import { meterOf } from "../limits/paid.ts"
import { OpenCall } from "../streams/OpenCall.ts"
import { OpenCalls } from "../streams/OpenCalls.ts"
import { Uploads } from "../streams/Uploads.ts"
import type { HeldResponse } from "./HeldResponse.ts"
import { type Exchange, type OwnAnswer, ownHeaders, type RawCall, sendOwn } from "./Exchange.ts"
import { kubernetesProxy } from "./kubernetes/proxy.ts"
import { clusterStatus } from "./kubernetes/status.ts"
import { asksForUpgrade, refuse, type Upgrading } from "./kubernetes/upgrade.ts"
import { platformProxy } from "./openstack/platformProxy.ts"
import { openstackHeaders } from "./openstack/serviceErrors.ts"
import { runtime } from "./fibers.ts"

const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

const isFailure = Schema.is(Failure)

/** The plane at which a request arrived. */
export interface PlaneOptions {
  /**
   * The configured address at which clients reach the plane, without a trailing slash. Undefined when it is not
   * configured; the `Host` header then gives it.
   */
  readonly own: string | undefined
  /** Calls are counted, but not on the operator plane. An administrator has powers on the operator plane only. */
  readonly plane: Plane
}

/**
 * The catch-all routes. They bypass the router, because they carry most of the traffic and need none of its features.
 * Each request runs in its own fiber, from the raw client socket to the raw upstream socket.
 */
export class Proxies extends Context.Service<
  Proxies,
  {
    /** Gives a request of an OpenStack client the gateway's own path, before anything else reads it. */
    adopt(request: IncomingMessage): void
    /**
     * Whether a request is for a proxy. The router handles all others, including other spellings of a proxy's prefix.
     */
    takes(request: IncomingMessage): boolean
    /** @param outlasting called for an answer that may have no end */
    serve(from: IncomingMessage, to: HeldResponse, at: PlaneOptions, outlasting: () => void): void
    /** Whether a request asks for a protocol other than HTTP that the proxy supports. */
    upgrades(request: IncomingMessage): boolean
    /** @param head bytes that followed the request */
    upgrade(from: IncomingMessage, socket: Duplex, at: PlaneOptions, head: Buffer): void
  }
>()("portico/gateway/proxy/Proxies") {
  static readonly layer = Layer.effect(
    Proxies,
    Effect.gen(function* () {
      const iaas = yield* platformProxy
      const kubernetes = yield* kubernetesProxy
      const audit = yield* Audit
      const sources = yield* SourceAddresses
      const { enter, run } = yield* runtime(yield* OpenCalls)
      const tracing = yield* Tracing
      /** Requests whose path was another. */
      const adopted = new WeakSet<IncomingMessage>()

      const arrived = (from: IncomingMessage, socket: Duplex, { plane }: PlaneOptions, draft?: AuditDraft): RawCall => {
        const requestId = requestIdOf(header(from, "traceparent"))
        const source = rememberedSource(sources, from)
        // Looked up now for the record, because the connection may be gone when the call ends.
        if (draft !== undefined) source()
        // Operators' calls are not counted.
        const meter = plane === "operator" ? undefined : meterOf(from)
        return { from, plane, requestId, source, draft, meter, open: new OpenCall(socket, requestId) }
      }

      /** A call for its record. The status is null when the client disconnected before an answer. */
      const completedOf = ({ from, requestId, source }: RawCall, draft: AuditDraft, status: number | null) => {
        const { method = "", url = "" } = from
        return {
          method,
          ...proxyRoute(pathOf(url)),
          status,
          parameters: parametersOf(url),
          fields: draft.fields,
          caller: draft.caller,
          source: source() ?? null,
          request_id: requestId
        }
      }

      /** Records a call once. */
      const recorderOf = (call: RawCall) => {
        const { draft } = call
        let isRecorded = false
        return (status: number | null) =>
          Effect.suspend(() => {
            if (isRecorded || draft === undefined) return Effect.void
            isRecorded = true
            return audit.record(completedOf(call, draft, status))
          })
      }

      /**
       * Serves a call of the platform without a fiber, as far as that goes: see `begin` of the platform proxy.
       *
       * @param run runs an effect for the call to its end, its record included
       */
      const beginServing = (
        exchange: Exchange,
        to: HeldResponse,
        begin: NonNullable<typeof iaas.begin>,
        run: (rest: Effect.Effect<void, unknown>) => void
      ) => {
        const { draft, open } = exchange
        let isOver = false
        const conclude = (rest?: Effect.Effect<void, unknown>) => {
          if (isOver) return
          isOver = true
          leave()
          if (rest !== undefined) run(rest)
          else if (draft !== undefined) {
            audit.note(completedOf(exchange, draft, draft.status ?? null), () => to.release())
          }
        }
        const leave = enter(open, () => conclude(Effect.interrupt))
        const rest = Result.getOrElse(
          Result.try(() => begin(exchange, conclude)),
          Effect.die
        )
        if (rest !== undefined) conclude(rest)
      }

      return Proxies.of({
        adopt: (request) => {
          if (!iaas.compatible || request.url?.startsWith(stockPrefix) !== true) return
          adopted.add(request)
          request.url = `${iaasPrefix}${request.url.slice(stockPrefix.length)}`
        },
        takes: ({ method = "", url = "" }) =>
          (url.startsWith(iaasPrefix) || url.startsWith(kubernetesPrefix)) && methods.has(method),
        serve: (from, to, at, outlasting) => {
          const draft = isAudited(from.method) || readsSecrets(from) ? new AuditDraft() : undefined
          const call = arrived(from, from.socket, at, draft)
          const { meter, open, plane, requestId, source } = call
          const recordOnce = recorderOf(call)
          const exchange: Exchange = {
            from,
            plane,
            requestId,
            source,
            draft,
            meter,
            open,
            to,
            target: from.url ?? "",
            authorization: from.headers.authorization,
            versioned: false,
            own: at.own ?? ownAddressOf(from),
            prefix: adopted.has(from) ? stockPrefix : iaasPrefix,
            outlasting,
            record: (status) => run(recordOnce(status), untraced(requestId))
          }
          const isIaas = from.url?.startsWith(iaasPrefix) === true
          const answered = (served: Effect.Effect<void, unknown>) =>
            Effect.catchCause(served, (cause) =>
              ended(exchange, cause, isIaas ? iaas.renderedFor(exchange) : renderedForCluster)
            )
          const doubtful = doubtfulHead(from)
          const sentStatus = () => (to.headersSent ? to.statusCode : undefined)
          /** Runs what serves the call to its end. */
          const serving = (served: Effect.Effect<void>) => {
            if (draft === undefined) return run(served, untraced(requestId), open)
            const recorded = Effect.suspend(() => recordOnce(draft.status ?? sentStatus() ?? null))
            const released = Effect.sync(() => to.release())
            run(Effect.ensuring(served, Effect.ensuring(recorded, released)), untraced(requestId), open)
          }
          // The client receives the end of the answer only after the audit record is stored, so no answered call is
          // without a record.
          if (draft !== undefined) to.holdBack()
          if (isIaas && iaas.begin !== undefined && doubtful === undefined && !tracing) {
            return beginServing(exchange, to, iaas.begin, (rest) => serving(answered(rest)))
          }
          const proxy = isIaas ? iaas.serve(exchange) : kubernetes.serve(exchange)
          const answer = answered(doubtful === undefined ? proxy : Effect.fail(doubtful))
          const served = tracing
            ? asRequest({
                method: from.method ?? "",
                route: proxiedRoute(from.url ?? ""),
                traceparent: header(from, "traceparent"),
                requestId
              })(answer, sentStatus)
            : answer
          serving(served)
        },
        upgrades: (from) => from.url?.startsWith(kubernetesPrefix) === true && asksForUpgrade(from),
        upgrade: (from, socket, at, head) => {
          // A broken connection is no error of the process, and closes by itself.
          socket.on("error", () => {})
          const call = arrived(from, socket, at, new AuditDraft())
          const upgrading = { ...call, socket, head, record: recorderOf(call) }
          const doubtful = doubtfulHead(from)
          const proxy: Effect.Effect<void, Failure> =
            doubtful === undefined ? kubernetes.upgrade(upgrading) : Effect.fail(doubtful)
          const ending = Effect.catchCause(proxy, (cause) => endedUpgrade(upgrading, cause))
          run(Effect.ensuring(ending, upgrading.record(null)), untraced(call.requestId), call.open)
        }
      })
    })
  ).pipe(Layer.provide(Uploads.layer))
}

/** Computed on first use, and remembered. */
const rememberedSource = (sources: SourceAddresses["Service"], from: IncomingMessage): Source => {
  let found: string | undefined
  return () => (found ??= sources.of(rawArrivalOf(from)))
}

/** The route label of a proxied path: the proxy and its service. Their number is small and fixed. */
const proxiedRoute = (url: string): string => {
  if (!url.startsWith(iaasPrefix)) return `${kubernetesPrefix}*`
  const service = iaasServices.find((_) => url.startsWith(`${_}/`, iaasPrefix.length))
  return service === undefined ? `${iaasPrefix}*` : `${iaasPrefix}${service}/*`
}

const header = (from: IncomingMessage, name: string): string | undefined => {
  const value = from.headers[name]
  return typeof value === "string" ? value : undefined
}

/** The gateway's address according to the client's `Host` header. It appears only in answers to that client. */
const ownAddressOf = ({ headers: { host }, socket }: IncomingMessage): string => {
  if (host === undefined) return `${schemeOf(socket)}//${socket.localAddress}:${socket.localPort}`
  const known = socket instanceof TLSSocket ? encryptedAddresses : plainAddresses
  const remembered = known.get(host)
  if (remembered !== undefined) return remembered
  const valid = /^[\w.:[\]-]+$/.test(host) ? host : `${socket.localAddress}:${socket.localPort}`
  const address = `${schemeOf(socket)}//${valid}`
  if (host === valid && known.size < addressLimit) known.set(host, address)
  return address
}

/** The addresses by `Host` header. Clients name few hosts. */
const plainAddresses = new Map<string, string>()
const encryptedAddresses = new Map<string, string>()
const addressLimit = 100

const schemeOf = (socket: Duplex): string => (socket instanceof TLSSocket ? "https:" : "http:")

const renderedForCluster = (failure: Failure) => Effect.succeed(clusterStatus(failure))

/**
 * Answers a request that failed: with the failure's own answer, or for a bug with one that says nothing of its cause.
 */
const ended = Effect.fnUntraced(function* (
  exchange: Exchange,
  cause: Cause.Cause<unknown>,
  render: (failure: Failure) => Effect.Effect<OwnAnswer>
) {
  const { from, to } = exchange
  if (Cause.hasInterruptsOnly(cause)) return void to.destroy()
  const failure = yield* failureOf(from, cause)
  // The client has disconnected: there is no answer, and none is recorded.
  if (to.headersSent || to.destroyed) return void to.destroy()
  const answer = yield* render(failure)
  // The client may or may not send a body that it was not invited to send. The gateway could not tell it from the
  // next request.
  const closing = from.headers.expect !== undefined && !from.complete ? ["Connection", "close"] : []
  const again = isDatabaseOutage(cause) || isOverload(failure) ? ["Retry-After", "1"] : []
  const headers = [...closing, ...again, ...openstackHeaders(exchange), ...ownHeaders(exchange)]
  sendOwn(to, answer, headersOf(answer.status, headers))
})

/** Nothing was sent, so the call can be repeated as it is. */
const isOverload = (failure: Failure): boolean => failure._tag === "Unavailable" && failure.code === "overloaded"

/** The same for an upgrade, where only a raw socket is left. */
const endedUpgrade = Effect.fnUntraced(function* (upgrading: Upgrading, cause: Cause.Cause<unknown>) {
  const { from, socket } = upgrading
  if (Cause.hasInterruptsOnly(cause)) return void socket.destroy()
  const { body, status } = clusterStatus(yield* failureOf(from, cause))
  yield* upgrading.record(status)
  refuse(upgrading, status, headersOf(status, ownHeaders(upgrading)), body)
})

/** Adds the header that the status requires, unless it is already present. */
const headersOf = (status: number, head: ReadonlyArray<string>): Array<string> => {
  const [name, value] = headersOfStatus(status)
  return name === undefined || value === undefined || head.includes(name) ? [...head] : [...head, name, value]
}

const failureOf = Effect.fnUntraced(function* (from: IncomingMessage, cause: Cause.Cause<unknown>) {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (isFailure(error)) return error
  const [path = ""] = (from.url ?? "").split("?", 1)
  if (isDatabaseOutage(cause)) {
    yield* Effect.logWarning(`${from.method} ${path} failed: the database is not available`, cause)
    return Unavailable.database()
  }
  yield* Effect.logError(`${from.method} ${path} failed`, cause)
  return Internal.error()
})
