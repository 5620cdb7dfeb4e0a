import { Effect, Layer, Stream } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"
import { entry } from "./Json.ts"
import { MemoryResponse } from "./MemoryResponse.ts"
import { SimulatedCloud, type Outcome } from "./SimulatedCloud.ts"
import { type Call, mounts, type ServiceName } from "./Wire.ts"

/** The simulated cloud's URL when no socket is involved. */
export const memoryUrl = "http://cloud.simulated"

/** Splits the request line into the mount and the rest that the service sees; undefined for an unknown mount. */
export const callOf = (
  method: string,
  target: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array
): Call | undefined => {
  const [rawPath = "", rawQuery = ""] = split(target, "?")
  const [mount = "", rest = ""] = split(rawPath.slice(1), "/")
  const service = entry(mounts, mount)
  return service && { service, method, target, path: `/${rest}`, query: new URLSearchParams(rawQuery), headers, body }
}

/** The calls of one service, at an address without its mount. */
export const callAt =
  (service: ServiceName): typeof callOf =>
  (method, target, headers, body) => {
    const [path = "", query = ""] = split(target, "?")
    return { service, method, target, path, query: new URLSearchParams(query), headers, body }
  }

const split = (text: string, at: string): readonly [string, string] => {
  const index = text.indexOf(at)
  return index < 0 ? [text, ""] : [text.slice(0, index), text.slice(index + 1)]
}

/** An HTTP client without sockets: every request goes to the {@link SimulatedCloud} of the context. */
export const layer: Layer.Layer<HttpClient.HttpClient, never, SimulatedCloud> = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(SimulatedCloud, (cloud) =>
    HttpClient.make((request, url) => {
      const headers = { host: url.host, ...request.headers }
      const call = callOf(request.method, url.pathname + url.search, headers, bytesOf(request))
      const unreachable = (description: string) =>
        new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, description }) })
      if (call === undefined) return Effect.fail(unreachable(`nothing listens at ${url.href}`))
      return Effect.flatMap(cloud.answer(call), (outcome) => {
        if (outcome === "reset") return Effect.fail(unreachable("socket hang up"))
        if (outcome.status === 101) return Effect.fail(unreachable("without sockets nothing can be upgraded"))
        const { headers: fields, status, stream } = outcome
        if (status === 204 || status === 304) return Effect.succeed(webResponse(request, outcome, null))
        const bytes = new Uint8Array(Buffer.from(outcome.body))
        if (stream === undefined) return Effect.succeed(new MemoryResponse(request, status, fields, bytes))
        // The caller's clock drives a streamed body.
        const whole = bytes.length === 0 ? stream : Stream.concat(Stream.make(bytes), stream)
        return Effect.map(Stream.toReadableStreamEffect(whole), (_) => webResponse(request, outcome, _))
      })
    })
  )
)

const bytesOf = (request: HttpClientRequest.HttpClientRequest): Uint8Array =>
  request.body._tag === "Uint8Array" ? request.body.body : new Uint8Array()

const webResponse = (
  request: HttpClientRequest.HttpClientRequest,
  { headers, status }: Exclude<Outcome, "reset">,
  body: ReadableStream<Uint8Array> | null
) => HttpClientResponse.fromWeb(request, new Response(body, { status, headers: { ...headers } }))
