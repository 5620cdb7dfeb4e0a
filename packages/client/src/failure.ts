import { isObject } from "@portico/contract/isObject"
import { mayPass as mayPassWith } from "@portico/contract/waiting"
import { retryAfterOf } from "./engine/retry.ts"
import { PorticoError } from "./PorticoError.ts"

interface Issue {
  readonly loc: ReadonlyArray<string | number>
  readonly msg: string
  readonly type: string
}

const isIssue = (value: unknown): value is Issue =>
  isObject(value) &&
  Array.isArray(value["loc"]) &&
  typeof value["msg"] === "string" &&
  typeof value["type"] === "string"

const sentenceOf = (issues: ReadonlyArray<Issue>): string =>
  issues.map((_) => `${_.loc.join(".")}: ${_.msg}`).join("; ")

/** The failure that an answer is. Its body is read. */
export const failureOf = async (response: Response, operation: string, now: number): Promise<PorticoError> => {
  const { headers, status } = response
  const text = await response.text().catch(() => "")
  const body = await parsed(text)
  const about = {
    status,
    operation,
    requestId: headers.get("x-request-id") ?? undefined,
    retryAfter: retryAfterOf(headers, now),
    body
  }
  if (!isObject(body) || typeof body["code"] !== "string") {
    const detail = `The answer with status ${status} is not the gateway's`
    return new PorticoError("unexpected_response", { ...about, detail, body: body ?? text })
  }
  const { code, detail } = body
  if (typeof detail === "string") return new PorticoError(code, { ...about, detail })
  const issues = Array.isArray(detail) ? detail.filter(isIssue) : []
  return new PorticoError(code, { ...about, detail: sentenceOf(issues), issues })
}

/** What a failed attempt to get an answer is. The reason of an abortion stays what it is. */
export const unreached = (error: unknown, operation: string, signal: AbortSignal | undefined): unknown => {
  if (signal?.aborted === true) return signal.reason
  if (error instanceof PorticoError) return new PorticoError(error.code, { ...error, operation, cause: error.cause })
  const why = error instanceof Error ? reasonOf(error) : String(error)
  return new PorticoError("unreachable", { detail: `No answer came: ${why}`, status: 0, operation, cause: error })
}

/** Node's `fetch` says `fetch failed`, and why in the cause. */
const reasonOf = ({ cause, message }: Error): string => (cause instanceof Error ? cause.message : message)

/** Undefined for what is not JSON. */
export const parsed = (text: string): Promise<unknown> => new Response(text).json().catch((): unknown => undefined)

/** The status of the answer that a failure is; null when no answer came. */
export const statusOf = ({ code, status }: PorticoError): number | null => (code === "unreachable" ? null : status)

/** Whether another attempt may succeed, however long that takes. */
export const mayPass = (error: unknown): boolean => error instanceof PorticoError && mayPassWith(statusOf(error))
