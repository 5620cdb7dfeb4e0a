import { decodeJson } from "@portico/contract/decodeJson"
import { WellFormed } from "@portico/contract/Access"
import { Invalid, type RequestTimeout, TooLarge, Unavailable, UnsupportedMediaType } from "@portico/contract/Failures"
import type { ValidationIssue } from "@portico/contract/failures/bodies"
import { Effect, Layer, Option } from "effect"
import { HttpIncomingMessage, HttpServerRequest } from "effect/http"
import { visit } from "jsonc-parser"
import { CurrentAuditDraft } from "../audit/AuditDraft.ts"
import { exceededBy, type JsonLimits } from "@portico/upstream/jsonLimits"
import { CallOwner, turnForText } from "@portico/upstream/limits/longTexts"
import { isEncoded } from "../requests/contentEncoding.ts"
import { inTime } from "./bodyTimeout.ts"

/** Maximum size of a body on first-class routes, in bytes. Their real requests are far smaller. */
export const bodyLimit = 64 * 1024

/** Deeper than any real request, and safe for the stack; and more values than any has. */
const jsonLimits: JsonLimits = { depth: 32, values: 4000 }

/** In characters. A longer one takes milliseconds to parse and check, so that its caller waits for a turn. */
const longBody = 4 * 1024

/**
 * Rejects what a schema cannot detect: a body that is too large, too slow, not JSON, nested too deeply, not UTF-8, or
 * that repeats a key (two readers may take different values); and a body or a query parameter where the endpoint
 * takes none.
 */
export const WellFormedLive = Layer.succeed(
  WellFormed,
  WellFormed.of(
    Effect.fnUntraced(function* (httpEffect, { endpoint }) {
      const request = yield* HttpServerRequest.HttpServerRequest
      const issues = [
        ...(yield* bodyIssues(request, endpoint.payload.size > 0)),
        ...(endpoint.query === undefined ? strayParameters(request.url) : [])
      ]
      if (issues.length > 0) return yield* Invalid.issues(issues)
      return yield* httpEffect
    })
  )
)

/** What is wrong with a body as JSON, whatever it says. */
export const bodyIssues = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  expected: boolean
) {
  const bytes = yield* limitedBody(request, request.arrayBuffer)
  const draft = yield* CurrentAuditDraft
  draft?.read(undefined)
  if (bytes.byteLength === 0) return []
  if (isEncoded(request.headers["content-encoding"])) return yield* UnsupportedMediaType.encodedBody()
  if (!isJson(request.headers["content-type"])) return yield* UnsupportedMediaType.notJson()
  const text = Option.getOrUndefined(decodeUtf8(bytes))
  if (text === undefined) return [{ loc: ["body"], msg: "Input should be UTF-8", type: "unicode_error" }]
  // Before it is parsed: values are what that takes long for.
  const exceeded = exceededBy(text, jsonLimits)
  if (exceeded === "values") return yield* TooLarge.values(jsonLimits.values)
  // From here on all is done in one piece, the schema's check too.
  if (text.length > longBody) yield* turn(text.length)
  const decoded = decodeJson(text)
  draft?.read(Option.getOrUndefined(decoded))
  const issues = jsonIssues(text, Option.isSome(decoded), Option.isSome(decoded) && exceeded === "depth")
  if (issues.length > 0 || expected || text.trim() === "{}") return issues
  return [{ loc: ["body"], msg: "This request takes no body", type: "extra_forbidden" }]
})

/** Callers without a credential share one queue: no route that takes them needs a body this long. */
const turn = (length: number) =>
  Effect.flatMap(CallOwner, (owner) =>
    Effect.mapError(turnForText(owner === "" ? "anonymous" : owner, length), () =>
      Unavailable.overloaded("the gateway")
    )
  )

/** A body of a limited size that arrives in time, as bytes or as text. */
export const limitedBody = <A, E>(
  { headers }: HttpServerRequest.HttpServerRequest,
  body: Effect.Effect<A, E>,
  limit = bodyLimit
): Effect.Effect<A, TooLarge<"body_too_large"> | RequestTimeout<"body_too_slow">> =>
  Number(headers["content-length"] ?? 0) > limit
    ? Effect.fail(TooLarge.body(limit))
    : body.pipe(
        Effect.provideService(HttpIncomingMessage.MaxBodySize, BigInt(limit)),
        Effect.mapError(() => TooLarge.body(limit)),
        inTime
      )

/** Bytes that are not UTF-8 would otherwise become replacement characters. */
const decodeUtf8 = Option.liftThrowable((bytes: ArrayBuffer) => new TextDecoder("utf-8", { fatal: true }).decode(bytes))

/** A body without a content type counts as JSON, because the contract has no other type. */
export const isJson = (contentType: string | undefined): boolean =>
  contentType === undefined ||
  (/^application\/json *(;|$)/i.test(contentType) && !/;\s*charset=(?!"?utf-8"?\s*(;|$))/i.test(contentType))

const strayParameters = (url: string): ReadonlyArray<ValidationIssue> => {
  const query = url.split("?")[1]
  return query === undefined
    ? []
    : [...new Set(new URLSearchParams(query).keys())].map((name) => ({
        loc: ["query", name],
        msg: "Extra inputs are not permitted",
        type: "extra_forbidden"
      }))
}

/** At most one issue: the first error. */
const jsonIssues = (text: string, isValid: boolean, isTooDeep: boolean): ReadonlyArray<ValidationIssue> => {
  if (!isValid) {
    return [{ loc: ["body", ...brokenAt(text)], msg: "JSON decode error", type: "json_invalid" }]
  }
  return isTooDeep
    ? [{ loc: ["body"], msg: `Input should be nested at most ${jsonLimits.depth} deep`, type: "recursion_limit" }]
    : repeatedKeys(text).slice(0, 1)
}

/** The visitor below recurses at every bracket. A broken text with more brackets gets no error offset. */
const bracketLimit = 1000

const brokenAt = (text: string): ReadonlyArray<number> => {
  if (text.replaceAll(/[^[{]/g, "").length > bracketLimit) return []
  const offsets: Array<number> = []
  visit(
    text,
    { onError: (_code, offset) => offsets.push(offset) },
    { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false }
  )
  return offsets.slice(0, 1)
}

const repeatedKeys = (text: string): ReadonlyArray<ValidationIssue> => {
  const issues: Array<ValidationIssue> = []
  const keys: Array<Set<string>> = []
  visit(text, {
    onObjectBegin: () => {
      keys.push(new Set())
    },
    onObjectEnd: () => {
      keys.pop()
    },
    onObjectProperty: (name, _offset, _length, _line, _character, path) => {
      const seen = keys.at(-1)
      if (seen?.has(name)) {
        issues.push({ loc: ["body", ...path(), name], msg: "Key is given more than once", type: "duplicate_key" })
      }
      seen?.add(name)
    }
  })
  return issues
}
