import * as AgentServer from "@portico/agent/AgentServer"
import { CurrentAgent } from "@portico/agent/CurrentAgent"
import {
  BadRequest,
  MethodNotAllowed,
  NotAcceptable,
  TooLarge,
  Unavailable,
  UnsupportedMediaType
} from "@portico/contract/Failures"
import type { Caller } from "@portico/contract/Access"
import { Watchers } from "@portico/domain/events/Watchers"
import { NodeHttpServerRequest } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Allowances } from "../limits/Allowances.ts"
import { CurrentMeter, Meter } from "../limits/Meter.ts"
import { isJson, limitedBody } from "../middleware/body.ts"
import { respond } from "../middleware/respond.ts"
import { accepts } from "../requests/accepts.ts"
import { HeldBodies, ownerOf } from "../proxy/HeldBodies.ts"
import { exceededBy, type JsonLimits } from "@portico/upstream/jsonLimits"
import { routerConfig } from "../requests/route.ts"
import { authenticated, type Authentic } from "./authenticated.ts"
import { withListChange } from "./areas.ts"
import { listChanges } from "./listChanges.ts"
import { longestBatch, messagesOf } from "./messages.ts"
import { CurrentPayment, Payment } from "./Payment.ts"
import { type Endpoint, requestTo } from "./sessions/exchange.ts"
import { makeSessions, type Sessions } from "./sessions/Sessions.ts"
import { unreachedCalls } from "./unreachedCalls.ts"

/** The longest body of a request, in bytes. It fits the body of an API call as JSON within JSON. */
const bodyLimit = 256 * 1024

/** Deeper than any API call, and more values than the arguments of a tool need. */
const jsonLimits: JsonLimits = { depth: 64, values: 4000 }

/** The body. While it arrives it counts against the memory of its tenant, by the length that it has at most. */
const bodyOf = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, caller: Caller) {
  const held = yield* HeldBodies
  const owner = ownerOf(caller)
  const bytes = Math.min(Number(request.headers["content-length"] ?? bodyLimit), bodyLimit)
  const taken = Effect.suspend(() =>
    held.take(owner, bytes) ? Effect.void : Effect.fail(Unavailable.overloaded("the gateway"))
  )
  return yield* Effect.acquireUseRelease(
    taken,
    () => limitedBody(request, request.text, bodyLimit),
    () => Effect.sync(() => held.release(owner, bytes))
  )
})

/** The revision of MCP without sessions. */
const stateless = "2026-07-28"

/**
 * MCP at `/mcp`. Before the library's endpoint gets a request, the gateway authenticates and counts it, bounds its
 * body, and finds its session, which works in every replica.
 */
export const McpEndpoint = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    /** The number of clients that listen for changes now. */
    let listening = 0
    // The library gets a router of its own, because the plane's router has the same path.
    const library: Endpoint = yield* HttpRouter.toHttpEffect(
      Layer.provideMerge(
        listChanges(() => listening > 0),
        AgentServer.layer
      )
    ).pipe(
      Effect.provideService(HttpRouter.RouterConfig, routerConfig),
      Effect.provideServiceEffect(Layer.CurrentMemoMap, Layer.makeMemoMap)
    )
    const sessions = yield* makeSessions(library)
    const allowances = yield* Allowances
    const watchers = yield* Watchers
    const admitted = yield* authenticated
    const unreached = yield* unreachedCalls

    const post = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, authentic: Authentic) {
      const { headers } = request
      if (!isJson(headers["content-type"])) return yield* UnsupportedMediaType.notJson()
      if (!accepts(headers["accept"], "application/json")) return yield* NotAcceptable.form("application/json")
      const body = yield* bodyOf(request, authentic.caller)
      // Before it is parsed: values are what that takes long for.
      const exceeded = exceededBy(body, jsonLimits)
      if (exceeded === "values") return yield* TooLarge.values(jsonLimits.values)
      const { calls, flaw, isJson: valid, isTooLong, method, params, requests } = messagesOf(body)
      if (isTooLong) return rpcError(400, -32600, `A batch has at most ${longestBatch} messages`)
      // The library would accept some texts that are not JSON, such as one behind a byte order mark.
      if (!valid) return rpcError(400, -32700, "Parse error: the body is not JSON")
      if (exceeded === "depth") return yield* BadRequest.bodyTooDeep(jsonLimits.depth)
      const payment = yield* paid(authentic, requests)
      const { agent, caller, user } = authentic
      yield* Effect.forEach(calls, (call) => unreached(agent, call, flaw !== undefined), { discard: true })
      if (flaw !== undefined) return rpcError(400, -32600, `Invalid request: ${flaw}`)
      // Every session of the library is opened here, so each one has an id that works in all replicas.
      if (method === "initialize" && sessionOf(headers) === undefined) {
        const first = { headers: { ...headersOf(headers), "mcp-session-id": undefined }, body }
        return withWords(yield* opened(sessions, first, params, user))
      }
      if (method === "subscriptions/listen") {
        if (!accepts(headers["accept"], events)) return yield* NotAcceptable.form(events)
        yield* watchers.enter(caller.tenant?.projectId)
        listening += 1
        NodeHttpServerRequest.toServerResponse(request).once("close", () => (listening -= 1))
      }
      return yield* Effect.provideService(
        inSession(request, authentic, body, ({ answer }) =>
          sessionOf(headers) === undefined ? answer : withListChange(authentic.agent, answer)
        ),
        CurrentPayment,
        payment
      )
    })

    /** Counts the requests of a POST. The first one was counted when the caller was authenticated. */
    const paid = Effect.fnUntraced(function* ({ caller }: Authentic, requests: number) {
      const payment = new Payment()
      const first = yield* CurrentMeter
      if (first?.allowance !== undefined) payment.add(first.allowance)
      for (let further = 1; further < requests; further++) {
        const meter = new Meter()
        yield* allowances
          .admit(caller, meter)
          .pipe(Effect.ensuring(Effect.sync(() => first !== undefined && (first.allowance = meter.allowance))))
        if (meter.allowance !== undefined) payment.add(meter.allowance)
      }
      return payment
    })

    const inSession = Effect.fnUntraced(function* (
      request: HttpServerRequest.HttpServerRequest,
      { agent, user }: Authentic,
      body: string | undefined,
      ended: (over: {
        readonly answer: HttpServerResponse.HttpServerResponse
        readonly end: () => void
      }) => HttpServerResponse.HttpServerResponse
    ) {
      const { headers } = request
      const id = sessionOf(headers)
      const lease = id === undefined ? undefined : yield* sessions.use(id, user)
      if (id !== undefined && lease === undefined) return noSession
      if (lease !== undefined) NodeHttpServerRequest.toServerResponse(request).once("close", lease.release)
      const given = { ...headersOf(headers), "mcp-session-id": lease?.innerId }
      const answer = yield* library.pipe(
        Effect.provideService(
          HttpServerRequest.HttpServerRequest,
          requestTo(request.method === "DELETE" ? "DELETE" : "POST", given, body, searchOf(request.url))
        ),
        Effect.provideService(CurrentAgent, agent)
      )
      return ended({ answer: withWords(answer), end: () => lease?.end() })
    })

    yield* router.add("*", AgentServer.mcpPath, (request) =>
      admitted((authentic) => {
        if (request.method === "POST") return post(request, authentic)
        if (request.method !== "DELETE") return notAllowed
        return inSession(request, authentic, undefined, ({ answer, end }) => {
          if (answer.status === 204) end()
          return answer
        })
      })
    )
  })
)

const opened = Effect.fnUntraced(function* (
  sessions: Sessions,
  request: Parameters<Sessions["begin"]>[0],
  params: unknown,
  user: Authentic["user"]
) {
  const began = yield* sessions.begin(request, params, user)
  if (began === undefined) {
    return rpcError(400, -32602, "clientInfo and capabilities are too long: their names and versions suffice")
  }
  const { answer, id } = began
  return id === undefined ? answer : HttpServerResponse.setHeader(answer, "mcp-session-id", id)
})

/** The session id of a request; undefined in the revision without sessions, whose requests have no session. */
const sessionOf = (headers: Readonly<Record<string, string | undefined>>): string | undefined =>
  headers["mcp-protocol-version"] === stateless ? undefined : headers["mcp-session-id"]

const searchOf = (url: string): string => (url.includes("?") ? url.slice(url.indexOf("?")) : "")

const events = "text/event-stream"

/**
 * The headers that the library gets: those of MCP, without the token and the origin, which the gateway checked. Of the
 * accepted types, which the gateway checked too, the library knows no wildcard.
 */
const headersOf = (headers: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(
    passed.flatMap((name) => {
      const value = headers[name]
      return value === undefined ? [] : [[name, value]]
    })
  ),
  accept: `application/json, ${events}`
})

const passed = ["content-type", "mcp-protocol-version", "mcp-session-id", "mcp-method", "mcp-name"]

const rpcError = (status: number, code: number, message: string) =>
  HttpServerResponse.jsonUnsafe({ jsonrpc: "2.0", id: null, error: { code, message } }, { status })

/** The library refuses some requests without a body. A refusal always says what is wrong. */
const withWords = (answer: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse => {
  const isEmpty =
    answer.body._tag === "Empty" || (answer.body._tag === "Uint8Array" && answer.body.body.byteLength === 0)
  if (answer.status < 400 || !isEmpty) return answer
  if (answer.status === 404) return noSession
  return answer.status === 400
    ? rpcError(400, -32600, "Invalid request: it needs the Mcp-Session-Id of its session; send initialize to open one")
    : rpcError(answer.status, -32600, `Invalid request: it is refused with status ${answer.status}`)
}

/** The answer that MCP asks for, so that the client opens a new session. */
const noSession = rpcError(404, -32001, "Session not found: it has ended, or is not yours; send initialize")

const notAllowed = Effect.map(
  respond(MethodNotAllowed.method()),
  HttpServerResponse.setHeader("allow", "DELETE, OPTIONS, POST")
)
