import { Option, Predicate, Schema } from "effect"

/** The most JSON-RPC messages in one request. */
export const longestBatch = 100

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
  /** The method and the parameters of a message that is not in a batch. */
  readonly method: string | undefined
  readonly params: unknown
}

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

export const messagesOf = (body: string): Messages => {
  const decoded = decodeJson(body)
  const isJson = Option.isSome(decoded)
  const value = Option.getOrUndefined(decoded)
  if (Array.isArray(value)) {
    const requests = Math.max(1, value.filter(counts).length)
    const isTooLong = value.length > longestBatch
    return { isJson, requests, calls: value.flatMap(callsOf), isTooLong, method: undefined, params: undefined }
  }
  const { method, params } = Predicate.isReadonlyObject(value) ? value : nothing
  const only = typeof method === "string" ? method : undefined
  return { isJson, requests: 1, calls: callsOf(value), isTooLong: false, method: only, params }
}

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
