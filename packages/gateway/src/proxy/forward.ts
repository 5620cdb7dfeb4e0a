import { BadGateway } from "@portico/contract/Failures"
import { Context, Effect, Layer } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Readable } from "node:stream"
import { Agent, type Dispatcher } from "undici"
import { returnedHeaders } from "./headers.ts"

/** How one request goes on: where to, with which headers, and what an upstream address becomes on the way back. */
export interface Onward {
  readonly upstream: string
  readonly url: string
  readonly headers: Record<string, string | Array<string>>
  readonly requestId: string
  rewrite(location: string): string | undefined
}

/** What became of it. `unauthorized`: the upstream answered 401, and nothing was sent to the client. */
export type Forwarded = "answered" | "unauthorized"

/**
 * Streams requests to upstreams and their answers back, socket to socket, with
 * back-pressure on both sides and without a limit on the whole, because a
 * stream may be long; only the head of an answer has to come in time.
 */
export class Forwarder extends Context.Service<
  Forwarder,
  {
    forward(from: IncomingMessage, to: ServerResponse, onward: Onward): Effect.Effect<Forwarded, BadGateway>
  }
>()("portico/gateway/proxy/Forwarder") {
  static readonly layer = Layer.effect(
    Forwarder,
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => new Agent({ headersTimeout: 60_000, bodyTimeout: 300_000, connect: { timeout: 5_000 } })),
        (agent) => Effect.promise(() => agent.close())
      ),
      (agent) => Forwarder.of({ forward: (from, to, onward) => forward(agent, from, to, onward) })
    )
  )
}

const forward = (
  agent: Dispatcher,
  from: IncomingMessage,
  to: ServerResponse,
  onward: Onward
): Effect.Effect<Forwarded, BadGateway> =>
  Effect.callback<Forwarded, BadGateway>((resume, signal) => {
    const hungUp = new AbortController()
    const abort = () => hungUp.abort()
    // The client went: what is under way upstream has nobody to answer.
    const closed = () => {
      if (!to.writableFinished) abort()
    }
    to.once("close", closed)
    signal.addEventListener("abort", abort, { once: true })
    const done = (result: Effect.Effect<Forwarded, BadGateway>) => {
      to.off("close", closed)
      signal.removeEventListener("abort", abort)
      resume(result)
    }

    agent
      .request({
        origin: new URL(onward.url).origin,
        path: onward.url.slice(new URL(onward.url).origin.length),
        method: methodOf(from),
        headers: onward.headers,
        body: hasBody(from) ? from : null,
        responseHeaders: "raw",
        signal: hungUp.signal
      })
      .then(({ body, headers, statusCode }) => {
        if (statusCode === 401) {
          return body.dump().then(() => done(Effect.succeed("unauthorized")))
        }
        const raw: unknown = headers
        to.writeHead(
          statusCode,
          withRequestId(returnedHeaders(isRaw(raw) ? raw : [], onward.rewrite), onward.requestId)
        )
        return pipe(body, to).then(() => done(Effect.succeed("answered")))
      })
      .catch((cause: unknown) => {
        // Headers are out: the only honest ending left is a broken connection.
        if (to.headersSent) {
          to.destroy()
          return done(Effect.succeed("answered"))
        }
        done(Effect.fail(BadGateway.upstream(`${onward.upstream}: ${wordsOf(cause)}`, true)))
      })
  })

const withRequestId = (headers: Array<string>, id: string): Array<string> => [...headers, "X-Request-Id", id]

const isRaw = (headers: unknown): headers is ReadonlyArray<Buffer | string> => Array.isArray(headers)

const pipe = (body: Readable, to: ServerResponse): Promise<void> =>
  new Promise((resolve, reject) => {
    body.once("error", reject)
    to.once("error", reject)
    to.once("finish", resolve)
    to.once("close", resolve)
    body.pipe(to)
  })

export const hasBody = (from: IncomingMessage): boolean =>
  from.headers["transfer-encoding"] !== undefined || Number(from.headers["content-length"] ?? 0) > 0

const methodOf = (from: IncomingMessage): Dispatcher.HttpMethod => {
  const method = from.method ?? "GET"
  return isMethod(method) ? method : "GET"
}

const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
const isMethod = (method: string): method is Dispatcher.HttpMethod => methods.has(method)

/** The words of a connection that failed, without the addresses that they may hold. */
const wordsOf = (cause: unknown): string => {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
  return code.includes("TIMEOUT")
    ? "no answer in time"
    : `no answer: the connection failed${code === "" ? "" : ` (${code})`}`
}
