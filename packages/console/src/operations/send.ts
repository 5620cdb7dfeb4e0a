import { partsOf, resolved, targetOf } from "@portico/client/catalogue/Call"
import type { Shape } from "@portico/client/catalogue/Catalogue"
import { isObject } from "@portico/client/isObject"
import { failureOf, unreached } from "@portico/client/failure"
import type { CallOptions } from "@portico/client"
import { plane } from "#plane"
import { portico } from "../api/portico.ts"
import type { Input } from "./draft.ts"

/** An answer as it came. */
export interface Reply {
  readonly status: number
  readonly requestId: string | undefined
  readonly text: string
  /** The place of the next page. */
  readonly next: string | undefined
}

export interface SendOptions extends Pick<CallOptions, "signal" | "idempotencyKey"> {
  /** Of a body for a service behind a catch-all. */
  readonly contentType?: string
}

const textOf = (body: unknown): string | undefined =>
  body === undefined || typeof body === "string" ? body : JSON.stringify(body)

const formOf = (body: unknown): URLSearchParams =>
  new URLSearchParams(isObject(body) ? Object.entries(body).map(([key, value]) => [key, String(value)]) : [])

const requestOf = (operation: Shape, input: Input) => {
  const call = resolved({ base: "", plane: plane.name, operation, input })
  if (!("operation" in call)) return { path: call.path, body: textOf(call.body) }
  const parts = partsOf(operation, input)
  const body = operation.takes === "form" ? formOf(parts.body) : textOf(parts.body)
  return { path: targetOf(operation, parts), body }
}

/**
 * Sends what a form holds with the client's token, renewals and repetitions.
 * The answer is as it came: its status, its number and its text are shown.
 */
export const answerOf = async (operation: Shape, input: Input, options: SendOptions = {}): Promise<Response> => {
  const { contentType = "application/json", idempotencyKey, signal } = options
  const { body, path } = requestOf(operation, input)
  const headers = new Headers()
  if (typeof body === "string") headers.set("content-type", contentType)
  if (operation.stream === "sse") headers.set("accept", "text/event-stream")
  if (operation.creates === true && idempotencyKey !== undefined) headers.set("idempotency-key", idempotencyKey)
  const init = { method: operation.method, headers, ...(body === undefined ? {} : { body }) }
  const answer = await portico
    .fetch(path, signal === undefined ? init : { ...init, signal })
    .catch((error: unknown) => {
      throw error instanceof TypeError && error.message.includes("dot segments")
        ? error
        : unreached(error, operation.id, signal)
    })
  // A service behind a catch-all refuses in its own way, which is shown as its answer.
  if (answer.ok || operation.catchAll === true) return answer
  throw await failureOf(answer, operation.id, new Date().getTime())
}

const pretty = async (text: string): Promise<{ readonly text: string; readonly next: string | undefined }> => {
  const body: unknown = await new Response(text).json().catch(() => undefined)
  if (body === undefined) return { text, next: undefined }
  const next = isObject(body) ? (body["next_cursor"] ?? body["next_continuation_token"]) : undefined
  return { text: JSON.stringify(body, undefined, 2), next: typeof next === "string" ? next : undefined }
}

export const send = async (operation: Shape, input: Input, options?: SendOptions): Promise<Reply> => {
  const answer = await answerOf(operation, input, options)
  return {
    status: answer.status,
    requestId: answer.headers.get("x-request-id") ?? undefined,
    ...(await pretty(await answer.text()))
  }
}

/** The input of the next page. */
export const nextPage = ({ query }: Shape, input: Input, next: string): Input => ({
  ...input,
  [query.some((_) => _.name === "continuation_token") ? "continuation_token" : "cursor"]: next
})
