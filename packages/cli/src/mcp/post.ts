import type { PorticoError } from "@portico/client/PorticoError"
import { Data, Effect, Predicate, Result } from "effect"
import { advice } from "../advice/advice.ts"
import { sentence } from "../output/sentence.ts"
import { errorCodes, parsed, type RpcError } from "./message.ts"

/** The agent plane, and who calls it. */
export interface AgentPlane {
  /** Of the MCP endpoint. */
  readonly url: string
  /** A token that is valid now. */
  readonly token: Effect.Effect<string, PorticoError>
  /** A token in place of one that was refused; the same one where there is no other. */
  readonly replaced: (refused: string) => Effect.Effect<string, PorticoError>
  /** What a person does about a 401: "Log in with …". */
  readonly signIn: string
}

/** Why a message got no answer of the agent plane. */
export class NotAnswered extends Data.TaggedError("NotAnswered")<{ readonly error: RpcError }> {}

interface Post {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  /** Whether a 429 is waited for. */
  readonly waits: boolean
}

const reasonOf = (cause: unknown): string => {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  return inner instanceof Error ? inner.message : String(inner)
}

/** A request that is given up when the scope closes, also while its answer is being read. */
export const requested = Effect.fnUntraced(function* (url: string, init: RequestInit) {
  const { signal } = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (_) => Effect.sync(() => _.abort())
  )
  return yield* Effect.tryPromise({
    // A token is for this address: a redirect is not followed.
    try: () => fetch(url, { ...init, redirect: "manual", signal }),
    catch: (cause) =>
      new NotAnswered({
        error: { code: errorCodes.unreachable, message: `The agent plane cannot be reached: ${reasonOf(cause)}` }
      })
  })
})

/** A failure on the way to a token says itself how to log in. */
const withoutToken = ({ code, detail, status }: PorticoError) =>
  new NotAnswered({
    error: {
      code: code === "unreachable" ? errorCodes.unreachable : errorCodes.refused,
      message: sentence(detail === "" ? code : detail),
      data: { code, status }
    }
  })

/** Waits of a 429: so many, and none longer than this. */
const patience = { attempts: 3, seconds: 60 }

const pauseOf = ({ headers }: Response): number => {
  const seconds = Number(headers.get("retry-after") ?? "1")
  return Number.isFinite(seconds) && seconds > 0 ? seconds : 1
}

/** Sends a message, with a new token when the first is refused, and again when a 429 says when. */
export const post = Effect.fnUntraced(function* (plane: AgentPlane, { body, headers, waits }: Post) {
  const authorized = (token: string) =>
    requested(plane.url, {
      method: "POST",
      body,
      headers: {
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        ...headers,
        authorization: `Bearer ${token}`
      }
    })
  for (let attempt = 1; ; attempt++) {
    const token = yield* Effect.mapError(plane.token, withoutToken)
    const first = yield* authorized(token)
    const another = first.status === 401 ? yield* Effect.mapError(plane.replaced(token), withoutToken) : token
    const response = another === token ? first : yield* authorized(another)
    const pause = pauseOf(response)
    const isOver = !waits || attempt === patience.attempts || pause > patience.seconds
    if (response.status !== 429 || isOver) return response
    yield* Effect.sleep(`${pause} seconds`)
  }
})

const detailOf = (body: unknown): string | undefined =>
  Predicate.isObject(body) && typeof body["detail"] === "string" && body["detail"] !== "" ? body["detail"] : undefined

const codeOf = (body: unknown): string | undefined =>
  Predicate.isObject(body) && typeof body["code"] === "string" ? body["code"] : undefined

const adviceFor = (response: Response, { signIn }: AgentPlane, code: string | undefined): string | undefined => {
  if (response.status === 401) return signIn
  if (response.status === 429) return `Try again in ${pauseOf(response)} s`
  if (response.status >= 300 && response.status < 400) return "The address of the agent plane is another one"
  return code === undefined ? undefined : advice[code]
}

/** What the agent plane refused a message with: an error of JSON-RPC, or one of its API. */
export const refusalOf = Effect.fnUntraced(function* (response: Response, plane: AgentPlane) {
  const text = yield* Effect.orElseSucceed(
    Effect.tryPromise(() => response.text()),
    () => ""
  )
  const body = Result.getOrUndefined(parsed(text))
  const said = Predicate.isObject(body) ? body["error"] : undefined
  if (Predicate.isObject(said) && typeof said["code"] === "number" && typeof said["message"] === "string") {
    return { code: said["code"], message: said["message"], ...("data" in said ? { data: Object(said["data"]) } : {}) }
  }
  const what = detailOf(body) ?? `The agent plane answered with status ${response.status}`
  const code = codeOf(body)
  const next = adviceFor(response, plane, code)
  const requestId = response.headers.get("x-request-id")
  const error: RpcError = {
    code: errorCodes.refused,
    message: [what, next].flatMap((_) => (_ === undefined ? [] : [sentence(_)])).join(" "),
    data: {
      status: response.status,
      ...(code === undefined ? {} : { code }),
      ...(requestId === null ? {} : { request_id: requestId })
    }
  }
  return error
})
