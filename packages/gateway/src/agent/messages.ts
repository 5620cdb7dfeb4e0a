import { decodeJson } from "@portico/contract/decodeJson"
import { Option, Predicate } from "effect"

/** The most JSON-RPC messages in one request. */
export const longestBatch = 20

/** The tool and the arguments in the message of a `tools/call`. */
export interface NamedCall {
  /** Undefined when the message has no name of a tool. */
  readonly tool: string | undefined
  /** Undefined when the arguments are not an object. */
  readonly arguments: Readonly<Record<string, unknown>> | undefined
}

/** What the transport needs to know of the body of a POST. */
export interface Messages {
  /** Whether the body is JSON. */
  readonly isJson: boolean
  /**
   * The number of messages that count against the allowance, 1 at least. These are requests, and messages without an id
   * whose method is not one of the protocol's notifications, because the library carries those out too.
   */
  readonly requests: number
  readonly calls: ReadonlyArray<NamedCall>
  readonly isTooLong: boolean
  /** What the envelope of a message lacks, so that none of the messages can be carried out; undefined when nothing. */
  readonly flaw: string | undefined
  /** The method and the parameters of a message that is not in a batch. */
  readonly method: string | undefined
  readonly params: unknown
}

export const messagesOf = (body: string): Messages => {
  const decoded = decodeJson(body)
  const isJson = Option.isSome(decoded)
  const value = Option.getOrUndefined(decoded)
  if (Array.isArray(value)) {
    const requests = Math.max(1, value.filter(counts).length)
    const isTooLong = value.length > longestBatch
    const calls = value.flatMap(callsOf)
    return { isJson, requests, calls, isTooLong, flaw: flawOf(value), method: undefined, params: undefined }
  }
  const { method, params } = Predicate.isReadonlyObject(value) ? value : nothing
  const only = typeof method === "string" ? method : undefined
  const flaw = flawOf([value])
  return { isJson, requests: 1, calls: callsOf(value), isTooLong: false, flaw, method: only, params }
}

/**
 * MCP forbids null as an id, and the same id twice. Without this check the library would carry out such calls of a
 * batch, or interrupt them midway.
 */
const flawOf = (messages: ReadonlyArray<unknown>): string | undefined => {
  const ids = new Set<unknown>()
  for (const message of messages) {
    if (!Predicate.isReadonlyObject(message)) continue
    const { id, method, params } = message
    // An answer of the client's may have null, when it could not read a request.
    if (method === undefined) continue
    if (id !== undefined && !isId(id)) return "an id is a string or a number"
    if (id !== undefined && ids.has(id)) return "two requests have one id"
    ids.add(id)
    const meta = Predicate.isReadonlyObject(params) ? params["_meta"] : undefined
    if (meta === undefined) continue
    if (!Predicate.isReadonlyObject(meta) || Array.isArray(meta)) return "_meta is an object"
    const token = meta["progressToken"]
    if (token !== undefined && !isId(token)) return "a progressToken is a string or a number"
  }
  return undefined
}

const isId = (value: unknown): boolean => typeof value === "string" || typeof value === "number"

const counts = (message: unknown): boolean =>
  Predicate.isReadonlyObject(message) &&
  typeof message["method"] === "string" &&
  (message["id"] !== undefined || !message["method"].startsWith("notifications/"))

const callsOf = (message: unknown): ReadonlyArray<NamedCall> => {
  if (!Predicate.isReadonlyObject(message) || message["method"] !== "tools/call") return []
  const { arguments: given = {}, name } = Predicate.isReadonlyObject(message["params"]) ? message["params"] : noParams
  return [
    {
      tool: typeof name === "string" ? name : undefined,
      arguments: Predicate.isReadonlyObject(given) && !Array.isArray(given) ? given : undefined
    }
  ]
}

const nothing: { readonly method?: unknown; readonly params?: unknown } = {}
const noParams: { readonly arguments?: unknown; readonly name?: unknown } = {}
