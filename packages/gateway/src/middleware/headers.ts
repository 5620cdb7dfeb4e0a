import { BadRequest, NotImplemented } from "@portico/contract/Failures"
import { HttpServerResponse } from "effect/http"
import { refusedTarget } from "../requests/target.ts"

/** `uri-host [":" port]` (RFC 9110, section 7.2), with a port up to 65535; empty where the target has no authority. */
const host =
  /^(?:\[[0-9a-f:.]+\]|[a-z0-9._~%!$&'()*+,;=-]*)(?::(?:\d{0,4}|[0-5]\d{4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5]))?$/i

/** The head of a request, with its headers as they were sent. */
interface Head {
  readonly httpVersion: string
  readonly headers: { readonly host?: string | undefined; readonly "transfer-encoding"?: string | undefined }
  readonly rawHeaders: ReadonlyArray<string>
}

/**
 * Why the head of a request is refused: its target is refused; `Host` or `Authorization` is repeated, and two readers
 * may take different ones; `Host` is missing or invalid; or the body has a transfer coding that the gateway does not
 * undo. Undefined for all other requests.
 */
export const doubtfulHead = (from: Head): BadRequest | NotImplemented | undefined =>
  refusedTarget(from) ?? doubtfulHeaders(from)

const doubtfulHeaders = (from: Head): BadRequest | NotImplemented | undefined => {
  const { headers, rawHeaders } = from
  let hosts = 0
  let authorizations = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ""
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1
    else if (name.length === 13 && name.toLowerCase() === "authorization") authorizations += 1
  }
  if (hosts > 1) return BadRequest.headerRepeated("Host")
  if (authorizations > 1) return BadRequest.headerRepeated("Authorization")
  const { "transfer-encoding": coding } = headers
  if (coding !== undefined && coding.toLowerCase() !== "chunked") return NotImplemented.transferCoding()
  if (hosts === 0) return from.httpVersion === "1.0" ? undefined : BadRequest.hostInvalid()
  return host.test(headers.host ?? "") ? undefined : BadRequest.hostInvalid()
}

/** RFC 6750, section 3: a challenge has at least one parameter. */
const challenge = 'Bearer realm="portico"'

/** Headers that the status requires of the gateway's own answers: name, value, name, value. */
export const headersOfStatus = (status: number): ReadonlyArray<string> =>
  status === 401
    ? ["WWW-Authenticate", challenge]
    : status === 429
      ? ["Retry-After", "1"]
      : status === 408
        ? ["Connection", "close"]
        : []

/** The same for the router. A header that the answer already has stays. */
export const withHeadersOfStatus = (
  answer: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse => {
  const [name, value] = headersOfStatus(answer.status)
  return name === undefined || value === undefined || answer.headers[name.toLowerCase()] !== undefined
    ? answer
    : HttpServerResponse.setHeader(answer, name.toLowerCase(), value)
}

/**
 * Headers of every answer of the gateway's own, but for a `Cache-Control` that the answer has: name, value, name, value.
 * Answers depend on the caller, and a cache may store one that does not forbid it (RFC 9111, section 4.2.2).
 */
export const headersOfAnswers = ["Cache-Control", "no-store", "X-Content-Type-Options", "nosniff"] as const

/** The same for the router, with the request's id. */
export const withOwnHeaders =
  (requestId: string) =>
  (answer: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse =>
    HttpServerResponse.setHeaders(answer, {
      "cache-control": answer.headers["cache-control"] ?? "no-store",
      "x-content-type-options": "nosniff",
      "x-request-id": requestId
    })
