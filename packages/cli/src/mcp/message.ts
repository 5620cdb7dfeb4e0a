import { Predicate, Result } from "effect"

// What a bridge has to know of a JSON-RPC message. The message itself is passed on as it came.

export type Id = string | number

/** A message of the client, or several in one line (the batches of revision 2025-03-26). */
export interface Message {
  /** As it came. */
  readonly text: string
  /** Of a single request or notification. */
  readonly method: string | undefined
  /** What is to be answered. */
  readonly requests: ReadonlyArray<Id>
  /** The revision that the message names itself, as of 2026-07-28: it needs no session. */
  readonly revision: string | undefined
  /** What a tool call, a prompt or a read is about. */
  readonly subject: string | undefined
  /** The request that a `notifications/cancelled` ends. */
  readonly cancels: Id | undefined
}

type Json = Readonly<Record<string, unknown>>

const objectAt = (value: unknown, key: string): Json => {
  const found = Predicate.isObject(value) ? value[key] : undefined
  return Predicate.isObject(found) ? found : {}
}

const textAt = (value: Json, key: string): string | undefined => {
  const found = value[key]
  return typeof found === "string" ? found : undefined
}

const idOf = (value: unknown): Id | undefined =>
  typeof value === "string" || typeof value === "number" ? value : undefined

export const parsed = (text: string): Result.Result<unknown, unknown> => Result.try((): unknown => JSON.parse(text))

const isRequest = (value: unknown): value is Json =>
  Predicate.isObject(value) && typeof value["method"] === "string" && idOf(value["id"]) !== undefined

/** The requests among some messages. */
const requestsIn = (values: ReadonlyArray<unknown>): ReadonlyArray<Id> =>
  values.flatMap((_) => (isRequest(_) ? [idOf(_["id"])].filter((id) => id !== undefined) : []))

const revisionKey = "io.modelcontextprotocol/protocolVersion"

/** A line of the client; undefined when it is not JSON. */
export const messageOf = (text: string): Message | undefined => {
  const value = Result.getOrUndefined(parsed(text))
  if (!Predicate.isObject(value) && !Array.isArray(value)) return undefined
  if (Array.isArray(value)) {
    const none = { method: undefined, revision: undefined, subject: undefined, cancels: undefined }
    return { text, requests: requestsIn(value), ...none }
  }
  const params = objectAt(value, "params")
  const method = textAt(value, "method")
  return {
    text,
    method,
    requests: requestsIn([value]),
    revision: textAt(objectAt(params, "_meta"), revisionKey),
    subject: textAt(params, method === "resources/read" ? "uri" : "name"),
    cancels: method === "notifications/cancelled" ? idOf(params["requestId"]) : undefined
  }
}

/** What a message of the server, or a batch of them, answers. */
export const answersIn = (text: string): ReadonlyArray<Id> => {
  const value = Result.getOrUndefined(parsed(text))
  return (Array.isArray(value) ? value : [value]).flatMap((_: unknown) =>
    Predicate.isObject(_) && ("result" in _ || "error" in _) ? [idOf(_["id"])].filter((id) => id !== undefined) : []
  )
}

/** What the answer to an `initialize` agrees on. */
export const agreedIn = (text: string) => {
  const result = objectAt(Result.getOrUndefined(parsed(text)), "result")
  const { listChanged } = objectAt(objectAt(result, "capabilities"), "tools")
  return { revision: textAt(result, "protocolVersion"), announcesTools: listChanged === true }
}

/** A failure that the bridge itself answers with. */
export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: Readonly<Record<string, unknown>> | undefined
}

export const errorText = (id: Id | null, error: RpcError): string => JSON.stringify({ jsonrpc: "2.0", id, error })

/** Of the range that JSON-RPC leaves to implementations. */
export const errorCodes = {
  notJson: -32700,
  internal: -32603,
  /** The agent plane refused the message; `data.status` has its status. */
  refused: -32010,
  /** The agent plane could not be reached, or the connection broke before the answer. */
  unreachable: -32011
} as const
