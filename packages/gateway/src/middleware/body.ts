import { WellFormed } from "@portico/contract/Access"
import { Invalid, TooLarge, UnsupportedMediaType, type ValidationIssue } from "@portico/contract/Failures"
import { Effect, Layer } from "effect"
import { HttpIncomingMessage, HttpServerRequest } from "effect/http"
import { visit } from "jsonc-parser"

/** First-class routes take no larger body; no request of theirs comes near it. */
export const bodyLimit = 64 * 1024

/** Deeper than any request, shallower than any stack. */
const depthLimit = 32

/**
 * Refuses what a schema cannot see: a body that is too large, not JSON, deeper
 * than any request is, or that names a key twice (of two values, two readers
 * may take different ones); a body or a query parameter where the endpoint
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

const bodyIssues = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, expected: boolean) {
  const text = yield* readBody(request)
  if (text === "") return []
  if (!isJson(request.headers["content-type"])) return yield* UnsupportedMediaType.notJson()
  const issues = jsonIssues(text)
  if (issues.length > 0 || expected || text.trim() === "{}") return issues
  return [{ loc: ["body"], msg: "This request takes no body", type: "extra_forbidden" }]
})

const readBody = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  if (Number(request.headers["content-length"] ?? 0) > bodyLimit) return yield* TooLarge.body(bodyLimit)
  return yield* request.text.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, BigInt(bodyLimit)),
    Effect.mapError(() => TooLarge.body(bodyLimit))
  )
})

/** A body without a type is taken for JSON, as the contract has no other. */
const isJson = (contentType: string | undefined): boolean =>
  contentType === undefined || /^application\/json *(;|$)/i.test(contentType)

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

/** At most one issue: where the first thing is wrong. */
const jsonIssues = (text: string): ReadonlyArray<ValidationIssue> => {
  const issues: Array<ValidationIssue> = []
  const keys: Array<Set<string>> = []
  let depth = 0
  const deeper = () => {
    depth += 1
    if (depth === depthLimit + 1) {
      issues.push({ loc: ["body"], msg: `Input should be nested at most ${depthLimit} deep`, type: "recursion_limit" })
    }
    // What stands deeper is not visited, so that depth costs nothing.
    return depth <= depthLimit
  }
  visit(
    text,
    {
      onObjectBegin: () => {
        keys.push(new Set())
        return deeper()
      },
      onObjectEnd: () => {
        keys.pop()
        depth -= 1
      },
      onArrayBegin: deeper,
      onArrayEnd: () => {
        depth -= 1
      },
      onObjectProperty: (name, _offset, _length, _line, _character, path) => {
        const seen = keys.at(-1)
        if (seen?.has(name)) {
          issues.push({ loc: ["body", ...path(), name], msg: "Key is given more than once", type: "duplicate_key" })
        }
        seen?.add(name)
      },
      onError: (_code, offset) => issues.push({ loc: ["body", offset], msg: "JSON decode error", type: "json_invalid" })
    },
    { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false }
  )
  return issues.slice(0, 1)
}
