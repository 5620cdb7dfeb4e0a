import { BadRequest, NotFound } from "@portico/contract/Failures"
import { Effect } from "effect"

/** A request target behind /v1/iaas, taken apart once: what is decided on is what is forwarded. */
export interface ProxyTarget {
  /** The first segment: which service. */
  readonly service: string
  /** The rest, in the client's own spelling: `["servers", "detail"]`. */
  readonly segments: ReadonlyArray<string>
  /** As sent, with its question mark; empty when there is none. */
  readonly query: string
}

const allowed = /^[A-Za-z0-9\-._~!$&'()*+,=:@%]*$/
/** Percent-encoded characters that another reader might treat as structure, or as the plain character they stand for. */
const deceptive = /%(2[efEF]|5[cC]|25|00|3[bB]|[46][1-9a-fA-F]|[57][0-9aA])/
const broken = /%(?![0-9A-Fa-f]{2})/

/**
 * Takes the target apart, or refuses it with a 400 when it can be read in
 * more than one way: dot segments, empty segments, encoded slashes, dots,
 * letters or percent signs, parameters, and whatever is no URL character.
 */
export const proxyTarget = Effect.fnUntraced(function* (url: string, prefix: string) {
  const mark = url.indexOf("?")
  const path = mark < 0 ? url : url.slice(0, mark)
  const query = mark < 0 ? "" : url.slice(mark)
  if (`${path}/` === prefix || path === prefix) return yield* NotFound.service("")
  // The router matches decoded letters; whoever encodes those of the prefix means to be read in two ways.
  if (!path.startsWith(prefix))
    return yield* BadRequest.pathNotCanonical("it encodes a letter, a dot, a slash or a percent sign")
  const [service = "", ...segments] = path.slice(prefix.length).split("/")
  for (const [index, segment] of [service, ...segments].entries()) {
    const last = index === segments.length
    if (segment === "" && !(last && index > 0)) return yield* BadRequest.pathNotCanonical("a segment is empty")
    if (segment === "." || segment === "..") return yield* BadRequest.pathNotCanonical("it has dot segments")
    if (!allowed.test(segment)) return yield* BadRequest.pathNotCanonical("it holds characters that have to be encoded")
    if (broken.test(segment))
      return yield* BadRequest.pathNotCanonical("a percent sign is not followed by two hex digits")
    if (deceptive.test(segment)) {
      return yield* BadRequest.pathNotCanonical("it encodes a letter, a dot, a slash or a percent sign")
    }
  }
  return { service, segments, query } satisfies ProxyTarget
})
