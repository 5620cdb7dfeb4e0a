import { NodeHttpServer } from "@effect/platform-node"
import { Api, type ApiRequest, type ApiResponse } from "@portico/agent/Api"
import type { Agent } from "@portico/agent/CurrentAgent"
import { CustomerApi } from "@portico/contract/Api"
import { type Failure, Invalid, Unavailable } from "@portico/contract/Failures"
import { Admission } from "@portico/domain/access/Admission"
import { Duration, Effect, Layer, Redacted } from "effect"
import { HttpRouter } from "effect/http"
import { request } from "node:http"
import { duplexPair } from "node:stream"
import { Connections } from "../connections/Connections.ts"
import { connectionLimits } from "../connections/settings.ts"
import { ListeningPlanes } from "../discovery/ListeningPlanes.ts"
import { documentAddresses } from "../documentAddresses.ts"
import { Listener } from "../Listener.ts"
import type { Allowance } from "../limits/Meter.ts"
import { payFor } from "../limits/paid.ts"
import { requestsOf } from "../observability/Requests.ts"
import { type PlaneOptions, Proxies } from "../proxy/Proxies.ts"
import { exceededBy, type JsonLimits } from "@portico/upstream/jsonLimits"
import { fairSemaphore } from "@portico/upstream/limits/FairSemaphore"
import { routerConfig } from "../requests/route.ts"
import { rendered } from "../middleware/respond.ts"
import { ToolRoutes } from "../Routes.ts"
import { turnOfText } from "../streams/throttles.ts"
import { CurrentPayment } from "./Payment.ts"

/**
 * The longest answer that a tool reads, in bytes, and its longest wait, in milliseconds. A model gets 60 kB at most; the
 * rest is for answers of which it asks for some fields.
 */
const maxAnswer = 1024 * 1024
const timeLimit = 120_000

/** Of a JSON answer that a tool reads. A tenant may have written what it holds, and each value takes time to prepare. */
const answerLimits: JsonLimits = { depth: 200, values: 20_000 }

/** The API calls of tools at once: each holds its answer in memory. Further ones wait in order. */
const callsAtOnce = { ofOne: 4, inAll: 64, longestWait: Duration.millis(timeLimit) }

/** An answer of more characters takes milliseconds to prepare. */
const longAnswer = 16 * 1024

const isJsonType = (type: string | undefined): boolean => /[/+](json|x-ndjson|jsonl)\b/.test(type ?? "")

/**
 * The longest path with its query, in characters. Node closes the connection when the path and all headers are longer
 * than 16 KiB together. A write would then seem to be lost, although no server read it.
 */
const longestPath = 8192
const pathTooLong = Invalid.issues([
  {
    loc: ["arguments"],
    msg: `The arguments in the path and the query have at most ${longestPath} characters together, percent-encoded`,
    type: "value_error"
  }
])

/**
 * The customers' routes and proxies on a server without a port. Only tools reach it, by a pair of streams within the
 * process. A call has the agent's address and token, and passes every check of the customer plane.
 */
export const ToolPlane = Layer.effect(
  Api,
  Effect.gen(function* () {
    const proxies = yield* Proxies
    const requests = yield* requestsOf("tools", CustomerApi)
    const connections = new Connections(yield* connectionLimits("agent"))
    const { server: configured } = yield* documentAddresses("customer")
    const planes = yield* ListeningPlanes
    const options: PlaneOptions = {
      // Addresses in answers begin with it. A tool's call has no client's Host header to take in its place.
      get own() {
        return configured === "/" ? (planes.urlOf("customer") ?? "") : configured
      },
      plane: "agent"
    }
    const server = new Listener(proxies, requests, options, connections)
    const app = yield* Effect.provideService(HttpRouter.toHttpEffect(ToolRoutes), HttpRouter.RouterConfig, routerConfig)
    const handler = yield* NodeHttpServer.makeHandler(app, { scope: yield* Effect.scope })
    server.on("request", handler)
    server.on("checkContinue", handler)
    const { admit } = yield* Admission
    const { withPermit } = yield* fairSemaphore(callsAtOnce)
    const inOrder = ({ caller }: Agent, call: Effect.Effect<ApiResponse>) =>
      call.pipe(
        withPermit(caller.tenant?.projectId ?? "", Effect.fail(Unavailable.overloaded("the agent plane"))),
        (_) => Effect.catch(_, refused)
      )
    return Api.of({
      // The request to the agent plane was admitted, but its tool may have waited since then, also for a person.
      call: (agent, asked) =>
        Effect.matchEffect(admit(agent.caller), {
          onFailure: refused,
          onSuccess: () =>
            asked.path.length > longestPath
              ? refused(pathTooLong)
              : Effect.flatMap(CurrentPayment, (payment) => called(server, agent, asked, payment?.take()))
        }).pipe(Effect.tap(turnToPrepare), (call) => inOrder(agent, call))
    })
  })
)

/**
 * The turn of the event loop in which a tool prepares an answer. Long answers take milliseconds each; other callers are
 * served between two of them.
 */
export const turnToPrepare = ({ body }: Pick<ApiResponse, "body">): Effect.Effect<void> =>
  body.length > longAnswer ? turnOfText : Effect.void

const refused = (failure: Failure): Effect.Effect<ApiResponse> =>
  Effect.map(rendered(failure), ({ body, status }) => ({
    status,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    cut: false
  }))

const called = (
  server: Listener,
  agent: Agent,
  { body, headers, method, path }: ApiRequest,
  allowance: Allowance | undefined
) =>
  Effect.callback<ApiResponse>((resume) => {
    const [near, far] = duplexPair()
    if (allowance !== undefined) payFor(far, allowance)
    server.emit("connection", Object.assign(far, { remoteAddress: agent.source }))
    const asked = request({
      createConnection: () => near,
      method,
      path,
      headers: {
        ...headers,
        host: "portico",
        authorization: `Bearer ${Redacted.value(agent.token)}`,
        traceparent: `00-${agent.requestId}-${agent.requestId.slice(0, 16)}-01`,
        ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) })
      }
    })
    // Neither stream of the pair ends with the other one.
    const hangUp = () => {
      near.destroy()
      far.destroy()
    }
    const end = (response: ApiResponse) => {
      clearTimeout(late)
      resume(Effect.succeed(response))
      hangUp()
    }
    const lost = { status: null, headers: {}, body: "", cut: false }
    const late = setTimeout(() => end(lost), timeLimit).unref()
    asked.on("error", () => end(lost))
    asked.on("response", (answer) => {
      const parts: Array<Buffer> = []
      let size = 0
      const whole = (isTooLong: boolean) => {
        const body = Buffer.concat(parts).toString("utf8")
        const cut =
          isTooLong || (isJsonType(answer.headers["content-type"]) && exceededBy(body, answerLimits) !== undefined)
        end({
          status: answer.statusCode ?? null,
          headers: Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, String(value)])),
          body,
          cut
        })
      }
      answer.on("data", (part: Buffer) => {
        size += part.length
        if (size > maxAnswer) whole(true)
        else parts.push(part)
      })
      answer.on("end", () => whole(false))
      answer.on("error", () => end(lost))
    })
    asked.end(body)
    return Effect.sync(() => {
      clearTimeout(late)
      hangUp()
    })
  })
