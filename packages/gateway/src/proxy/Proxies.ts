import { Failure, Internal } from "@portico/contract/Failures"
import { iaasServices } from "@portico/contract/IaasServices"
import type { Source } from "@portico/domain/access/networks"
import { Audit, isAudited } from "@portico/domain/audit/Audit"
import type { Plane } from "@portico/domain/health/readiness"
import { Tracing } from "@portico/upstream/Tracing"
import { Cause, Context, Effect, Layer, Option, Schema } from "effect"
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { TLSSocket } from "node:tls"
import { iaasPrefix, kubernetesPrefix, parametersOf, pathOf } from "../requests/Place.ts"
import { proxyPlace } from "./proxyPlace.ts"
import { readsSecrets } from "./secretReads.ts"
import { AuditDraft } from "../audit/AuditDraft.ts"
import { doubtfulHeaders, headersOfStatus } from "../middleware/headers.ts"
import { requestIdOf, untraced } from "../requests/RequestId.ts"
import { rendered } from "../middleware/respond.ts"
import { rawArrivalOf, SourceAddresses } from "../requests/sourceAddress.ts"
import { asRequest } from "../observability/tracing.ts"
import { Meter } from "../limits/Meter.ts"
import { OpenCall } from "../streams/OpenCall.ts"
import { OpenCalls } from "../streams/OpenCalls.ts"
import { Uploads } from "../streams/Uploads.ts"
import type { HeldResponse } from "./HeldResponse.ts"
import { type Exchange, ownHeaders } from "./Exchange.ts"
import { kubernetesProxy } from "./kubernetes/proxy.ts"
import { clusterStatus } from "./kubernetes/status.ts"
import { asksForUpgrade, refuse, type Upgrading } from "./kubernetes/upgrade.ts"
import { iaasEntrance } from "./openstack/entrance.ts"
import { runtime } from "./fibers.ts"

const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

const isFailure = Schema.is(Failure)

/** The plane that a request came in at. */
export interface PlaneOptions {
  /** Where clients reach it, without a slash at the end, if that is known; otherwise they say it themselves. */
  readonly own: string | undefined
  /** Only on the customer plane calls are counted, and only on the operator plane an administrator has powers. */
  readonly plane: Plane
}

/**
 * The catch-all routes. They stand in front of the router, because they are
 * most of the traffic and need none of it: each request is a fiber of its own,
 * from the raw sockets on one side to those on the other.
 */
export class Proxies extends Context.Service<
  Proxies,
  {
    /** Whether a request leads to a proxy. Any other, and any other spelling of a proxy's prefix, is the router's. */
    takes(request: IncomingMessage): boolean
    /** @param outlasting called for an answer that may have no end */
    serve(from: IncomingMessage, to: HeldResponse, at: PlaneOptions, outlasting: () => void): void
    /** Whether a request may leave HTTP. */
    upgrades(request: IncomingMessage): boolean
    /** @param head what came behind the request already */
    upgrade(from: IncomingMessage, socket: Duplex, at: PlaneOptions, head: Buffer): void
  }
>()("portico/gateway/proxy/Proxies") {
  static readonly layer = Layer.effect(
    Proxies,
    Effect.gen(function* () {
      const iaas = yield* iaasEntrance
      const kubernetes = yield* kubernetesProxy
      const audit = yield* Audit
      const sources = yield* SourceAddresses
      const run = yield* runtime(yield* OpenCalls)
      const tracing = yield* Tracing
      const traced = (
        effect: Effect.Effect<void>,
        from: IncomingMessage,
        requestId: string,
        status: () => number | undefined
      ) =>
        asRequest({
          method: from.method ?? "",
          route: proxiedRoute(from.url ?? ""),
          traceparent: header(from, "traceparent"),
          requestId
        })(effect, status)

      /** @param status null when the client did not wait for an answer */
      const record = (
        from: IncomingMessage,
        requestId: string,
        draft: AuditDraft,
        source: Source,
        status: number | null
      ) => {
        const { method = "", url = "" } = from
        return audit.record({
          method,
          ...proxyPlace(pathOf(url)),
          status,
          parameters: parametersOf(url),
          fields: draft.fields,
          caller: draft.caller,
          source: source() ?? null,
          request_id: requestId
        })
      }
      return Proxies.of({
        takes: ({ method = "", url = "" }) =>
          (url.startsWith(iaasPrefix) || url.startsWith(kubernetesPrefix)) && methods.has(method),
        serve: (from, to, at, outlasting) => {
          const requestId = requestIdOf(header(from, "traceparent"))
          const told = (status: number | null) =>
            Effect.suspend(() => {
              const { source, draft } = exchange
              if (isTold || draft === undefined) return Effect.void
              isTold = true
              return record(from, requestId, draft, source, status)
            })
          let isTold = false
          const exchange = {
            from,
            to,
            target: from.url ?? "",
            authorization: from.headers.authorization,
            versioned: false,
            requestId,
            // Once it is over, its connection may be gone.
            source: rememberedSource(sources, from),
            draft: isAudited(from.method) || readsSecrets(from) ? new AuditDraft() : undefined,
            plane: at.plane,
            meter: meterAt(at),
            open: new OpenCall(from.socket, requestId),
            own: at.own ?? ownAddressOf(from),
            outlasting,
            answered: (status: number) => run(told(status), untraced(requestId))
          }
          const isIaas = from.url?.startsWith(iaasPrefix) === true
          const doubtful = doubtfulHeaders(from)
          const proxy = isIaas ? iaas.serve(exchange) : kubernetes.serve(exchange)
          const caught = Effect.catchCause(doubtful === undefined ? proxy : Effect.fail(doubtful), (cause) =>
            ended(exchange, cause, isIaas ? iaas.renderedFor(exchange) : renderedForCluster)
          )
          const served = tracing
            ? traced(caught, from, requestId, () => (to.headersSent ? to.statusCode : undefined))
            : caught
          const { open, source, draft } = exchange
          const ids = untraced(requestId)
          if (draft === undefined) return run(served, ids, open)
          source()
          // Its client has the answer when the record of it is kept, so that there is none without.
          to.holdBack()
          run(
            Effect.ensuring(
              served,
              Effect.ensuring(
                Effect.suspend(() => told(draft.status ?? (to.headersSent ? to.statusCode : null))),
                Effect.sync(() => to.letGo())
              )
            ),
            ids,
            open
          )
        },
        upgrades: (from) => from.url?.startsWith(kubernetesPrefix) === true && asksForUpgrade(from),
        upgrade: (from, socket, at, head) => {
          // A connection that breaks is no fault of the process, and closes by itself.
          socket.on("error", () => {})
          const requestId = requestIdOf(header(from, "traceparent"))
          const draft = new AuditDraft()
          const source = rememberedSource(sources, from)
          source()
          let told = false
          const answered = (status: number | null) =>
            Effect.suspend(() => {
              if (told) return Effect.void
              told = true
              return record(from, requestId, draft, source, status)
            })
          const { plane } = at
          const doubtful = doubtfulHeaders(from)
          const open = new OpenCall(socket, requestId)
          const upgrading = { from, socket, head, requestId, plane, source, draft, meter: meterAt(at), open, answered }
          run(
            Effect.ensuring(
              Effect.catchCause(
                doubtful === undefined ? kubernetes.upgrade(upgrading) : Effect.fail(doubtful),
                (cause) => endedUpgrade(upgrading, cause)
              ),
              answered(null)
            ),
            untraced(requestId),
            open
          )
        }
      })
    })
  ).pipe(Layer.provide(Uploads.layer))
}

/** Calls are counted for tenants, and on their plane. */
const meterAt = ({ plane }: PlaneOptions): Meter | undefined => (plane === "customer" ? new Meter() : undefined)

/** Found out when somebody asks, and known from then on. */
const rememberedSource = (sources: SourceAddresses["Service"], from: IncomingMessage): Source => {
  let found: string | undefined
  return () => (found ??= sources.of(rawArrivalOf(from)))
}

/** The proxy and its service, which are few. */
const proxiedRoute = (url: string): string => {
  if (!url.startsWith(iaasPrefix)) return `${kubernetesPrefix}*`
  const service = iaasServices.find((_) => url.startsWith(`${_}/`, iaasPrefix.length))
  return service === undefined ? `${iaasPrefix}*` : `${iaasPrefix}${service}/*`
}

const header = (from: IncomingMessage, name: string): string | undefined => {
  const value = from.headers[name]
  return typeof value === "string" ? value : undefined
}

/** Where the client says that it reached us; it matters to nobody but itself. */
const ownAddressOf = ({ headers: { host }, socket }: IncomingMessage): string =>
  `${socket instanceof TLSSocket ? "https" : "http"}://${host !== undefined && /^[\w.:[\]-]+$/.test(host) ? host : `${socket.localAddress}:${socket.localPort}`}`

const renderedForCluster = (failure: Failure) => Effect.succeed(clusterStatus(failure))

/** A request that did not get through: the failure's own answer, or that of a bug, of which the caller learns nothing. */
const ended = Effect.fnUntraced(function* (exchange: Exchange, cause: Cause.Cause<unknown>, render: typeof rendered) {
  const { from, to } = exchange
  if (Cause.hasInterruptsOnly(cause)) return void to.destroy()
  const failure = yield* failureOf(from, cause)
  // Whoever has gone gets no answer, and there is none on record.
  if (to.headersSent || to.destroyed) return void to.destroy()
  const { body, status } = yield* render(failure)
  const bytes = Buffer.from(JSON.stringify(body))
  const head = ["Content-Type", "application/json", "Content-Length", String(bytes.length)]
  // A body that the client was not told to send may come or not: the next request could not be told from it.
  if (from.headers.expect !== undefined && !from.complete) head.push("Connection", "close")
  to.writeHead(status, headersOf(status, [...head, ...ownHeaders(exchange)]))
  to.end(bytes)
})

/** The same where there is nothing but a socket to answer on. */
const endedUpgrade = Effect.fnUntraced(function* (upgrading: Upgrading, cause: Cause.Cause<unknown>) {
  const { from, socket } = upgrading
  if (Cause.hasInterruptsOnly(cause)) return void socket.destroy()
  const { body, status } = clusterStatus(yield* failureOf(from, cause))
  yield* upgrading.answered(status)
  refuse(
    socket,
    status,
    ["Content-Type", "application/json", ...headersOf(status, ownHeaders(upgrading))],
    Buffer.from(JSON.stringify(body))
  )
})

/** With what the status asks for, unless it is there already. */
const headersOf = (status: number, head: ReadonlyArray<string>): Array<string> => {
  const [name, value] = headersOfStatus(status)
  return name === undefined || value === undefined || head.includes(name) ? [...head] : [...head, name, value]
}

const failureOf = Effect.fnUntraced(function* (from: IncomingMessage, cause: Cause.Cause<unknown>) {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (isFailure(error)) return error
  const [path = ""] = (from.url ?? "").split("?", 1)
  yield* Effect.logError(`${from.method} ${path} failed`, cause)
  return Internal.error()
})
