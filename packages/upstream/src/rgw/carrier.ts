import { type Context, Effect } from "effect"
import { type HttpClient, HttpClientRequest, type HttpMethod } from "effect/http"
import { exchange } from "../System.ts"
import { UpstreamError } from "../UpstreamError.ts"
import { detailOf } from "../errorDetail.ts"
import { queryOf, sendablePath } from "./paths.ts"
import type { Carrier, SdkRequest } from "./sdk.ts"

/** The body of a success response: empty, or a document with this root element. */
export type Expected =
  | "nothing"
  | "CORSConfiguration"
  | "ListBucketResult"
  | "ListVersionsResult"
  | "ListMultipartUploadsResult"
  | "VersioningConfiguration"
  | "InitiateMultipartUploadResult"

interface Carried {
  readonly http: HttpClient.HttpClient
  readonly services: Context.Context<never>
  /** Scheme, host and port. */
  readonly origin: string
  /** The name of the call in failures. */
  readonly call: string
  readonly expected: Expected
}

/**
 * Sends the SDK's requests with the gateway's own HTTP client. Error responses,
 * and responses that are not the object gateway's own, become an
 * {@link UpstreamError}: an intermediary may have answered, and the call may
 * have had no effect.
 */
export const carrierOf = ({ call, expected, http, origin, services }: Carried): Carrier => {
  const carried = Effect.fnUntraced(function* (request: SdkRequest) {
    // The `traceparent` may be added after the signing: the signature covers only the SDK's own headers.
    const { headers, status, text } = yield* exchange(http, { upstream: "rgw", call }, requestOf(origin, request))
    if (status < 200 || status >= 300) return yield* refused(call, status, text)
    if (!isSound(expected, text)) {
      const detail = `answered ${status} with a body that is not understood`
      return yield* new UpstreamError({ upstream: "rgw", call, status, detail })
    }
    return { statusCode: status, headers: { ...headers }, body: new TextEncoder().encode(text) }
  })
  return (request, signal) =>
    Effect.runPromiseWith(services)(carried(request), signal === undefined ? undefined : { signal })
}

const methods: ReadonlySet<string> = new Set<HttpMethod.HttpMethod>(["GET", "HEAD", "PUT", "DELETE", "POST"])
const isMethod = (method: string): method is HttpMethod.HttpMethod => methods.has(method)

const requestOf = (origin: string, { body, headers, method, path, query }: SdkRequest) => {
  const own = Object.entries(headers).filter(([name]) => name !== "content-length" && name !== "host")
  const url = `${origin}${sendablePath(path)}?${queryOf(query)}`
  const request = HttpClientRequest.make(isMethod(method) ? method : "GET")(url, { headers: Object.fromEntries(own) })
  return typeof body === "string"
    ? HttpClientRequest.bodyText(request, body, headers["content-type"] ?? "application/xml")
    : request
}

const isSound = (expected: Expected, text: string): boolean =>
  expected === "nothing" ? text.trim() === "" : text.includes(`<${expected}`) && text.trimEnd().endsWith(">")

const refused = (call: string, status: number, text: string) => {
  const code = elementOf("Code", text)
  const message = elementOf("Message", text)
  const detail = code === undefined ? detailOf(status, text) : message === undefined ? code : `${code}: ${message}`
  return new UpstreamError({ upstream: "rgw", call, status, detail, ...(code === undefined ? {} : { code }) })
}

const elementOf = (name: string, text: string): string | undefined =>
  new RegExp(`<${name}>([^<]{1,500})</${name}>`).exec(text)?.[1]
