import { Predicate, Struct } from "effect"
import type { Answer } from "../tools/Tool.ts"
import { adviceOf, type ToolOf } from "./advice.ts"
import type { ToolCode } from "./toolCodes.ts"

type Json = Readonly<Record<string, unknown>>

/** The call that failed. */
export interface Failed {
  readonly requestId: string
  readonly writes: boolean
  readonly toolOf: ToolOf
}

/** The code of a call whose answer was lost. */
export const lost = "answer_lost" satisfies ToolCode

/** A failure for a model: what happened, in the words of the API, then the cause and what to do. */
export const failureOf = ({ body: told, headers = {}, status }: Answer, failed: Failed): Json => {
  const { requestId, toolOf } = failed
  const body = ownRefusal(told, toolOf) ?? told
  const { code } = body
  const known = typeof code === "string" ? adviceOf(code, toolOf) : undefined
  const waits = retryAfterOf(headers)
  const end = { request_id: requestId, ...(waits === undefined ? {} : { retry_after: waits }) }
  if (known !== undefined) {
    const { detail } = body
    return {
      status,
      detail,
      code,
      cause: known.cause,
      fix: known.fix,
      ...end,
      ...Struct.omit(body, ["code", "detail"])
    }
  }
  if (status !== null) return { status, ...upstreamOf(status, body, waits), ...end, upstream: upstreamBody(body) }
  // A tool that refuses a call itself answers with a code and its own explanation.
  return typeof code === "string" ? { status, ...body, ...end } : { status, ...lostOf(body, failed), ...end }
}

/**
 * A refusal of a cluster call by the gateway, as `detail` and `code`. The gateway sends it in the cluster's form, with
 * the code among the causes. Undefined for a refusal by the cluster itself.
 */
const ownRefusal = ({ details, kind }: Json, toolOf: ToolOf): Json | undefined => {
  const causes = kind === "Status" && Predicate.isReadonlyObject(details) ? details["causes"] : undefined
  const cause: unknown = Array.isArray(causes) ? causes[0] : undefined
  if (!Predicate.isReadonlyObject(cause)) return undefined
  const { message, reason } = cause
  if (typeof reason !== "string" || adviceOf(reason, toolOf) === undefined) return undefined
  return { detail: message, code: reason }
}

/** `Retry-After` in seconds. A date, which HTTP allows too, is ignored, because the two clocks may differ. */
const retryAfterOf = (headers: Readonly<Record<string, string>>): number | undefined => {
  const value = headers["retry-after"] ?? ""
  return /^\d{1,9}$/.test(value) ? Number(value) : undefined
}

const lostOf = ({ idempotency_key }: Json, { requestId, toolOf, writes }: Failed): Json => {
  const audit = toolOf("audit.list")
  const key = idempotency_key === undefined ? {} : { idempotency_key }
  const repeat =
    idempotency_key === undefined ? "" : " Or call again with the same arguments and idempotency_key: it is done once."
  const look =
    audit === undefined ? "" : ` The tool \`${audit}\` with request_id ${requestId} shows whether it was done.`
  return {
    detail: "No answer came in time",
    code: lost,
    ...(writes
      ? {
          may_have_happened: true,
          ...key,
          cause: "The call was sent, and its answer was lost: it may have been carried out.",
          fix: `Look before you call again: what the call makes may exist.${look}${repeat}`
        }
      : { may_have_happened: false, cause: "The answer was lost. The call changes nothing.", fix: "Call again." })
  }
}

const classes: Readonly<Record<number, string>> = {
  400: "does not understand the request",
  401: "does not accept the platform's login",
  403: "forbids the call",
  404: "does not have what the call names",
  409: "is in a state that does not allow the call",
  413: "takes no request of this size",
  429: "takes no more calls now"
}

/** A refusal by a platform service behind a proxy, in the words of the service. */
const upstreamOf = (status: number, body: Json, waits: number | undefined): Json => ({
  detail: messageOf(body) ?? `The platform service answered with status ${status}`,
  code: null,
  cause: `The platform service behind this tool ${classes[status] ?? (status < 500 ? "refused the call" : "failed")}.`,
  fix:
    status >= 500 || status === 429
      ? `Call again ${waits === undefined ? "later" : `after ${waits} seconds`}; look first whether a write was done.`
      : "Correct what `detail` names; `upstream` is the service's own answer."
})

/** The service's whole answer. Content that is not a JSON object is without its wrapping field. */
const upstreamBody = (body: Json): unknown => {
  const names = Object.keys(body)
  return names.length === 1 && (names[0] === "result" || names[0] === "text") ? body[names[0]] : body
}

/**
 * The message of a refusal: `{"itemNotFound": {"message"}}`, `{"NeutronError": {"message"}}`, `{"error": {"message"}}`
 * of OpenStack, `{"title", "description"}` of Barbican, `{"message"}` of Kubernetes.
 */
const messageOf = (body: Json): string | undefined => {
  for (const found of [body, ...Object.values(body)]) {
    if (!Predicate.isReadonlyObject(found)) continue
    for (const name of ["message", "description", "detail", "faultstring"]) {
      const value = found[name]
      if (typeof value === "string" && value !== "") return value
    }
  }
  return undefined
}
