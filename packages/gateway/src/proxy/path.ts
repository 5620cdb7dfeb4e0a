import { BadRequest, NotFound } from "@portico/contract/Failures"
import { Result } from "effect"
import { isUtf8 } from "node:buffer"
import { encodedPlainCharacter } from "../requests/target.ts"
import { isFixed } from "./proxyRoute.ts"

/** A request target below a proxy's prefix. It is parsed once, so decisions and forwarding use the same segments. */
export interface ProxyTarget {
  /** The first segment: which service. */
  readonly service: string
  /** The rest, in the client's spelling: `["servers", "detail"]`. */
  readonly segments: ReadonlyArray<string>
  /** The query as sent, without its question mark; undefined when there is none. */
  readonly query: string | undefined
  /** Whether there was a slash at the end. It is dropped where it means nothing. */
  readonly slash: boolean
}

/** Segments of only these characters are unambiguous. */
const plain = /^[A-Za-z0-9_~-][A-Za-z0-9_~.-]*$/
const allowed = /^[A-Za-z0-9\-._~!$&'()*+,=:@%]*$/
const broken = /%(?![0-9A-Fa-f]{2})/
/** Percent-encoded characters that another reader might treat as structure: controls, `#`, `%`, `/`, `;`, `?`, `\`. */
const structural = /%([01][0-9A-F]|2[35F]|3[BF]|5C|7F)/i

/** Services whose routers drop a format suffix before they match a route. */
const formatted: ReadonlySet<string> = new Set(["compute", "network", "volume", "load-balancer"])
const format = /\.(json|xml)$/i

/** Services whose paths contain only words and ids, but whose database ignores accents when it finds an id. */
const plainOnly: ReadonlySet<string> = new Set(["load-balancer"])

/**
 * Parses the target, or rejects it with 400 when it is ambiguous: dot segments, empty segments, encoded characters
 * that need no encoding or that would be structure, encoded spaces at the end of a segment, parameters, format
 * suffixes, and characters that no URL may contain. One trailing slash is dropped.
 *
 * @param url path and query of the request line
 * @param prefix with a slash at both ends: `/v1/iaas/`
 */
export const proxyTarget = (url: string, prefix: string): Result.Result<ProxyTarget, BadRequest | NotFound> => {
  const mark = url.indexOf("?")
  const path = mark < 0 ? url : url.slice(0, mark)
  // The router matches decoded letters. A request with encoded letters in the prefix is ambiguous.
  if (!path.startsWith(prefix)) return refused(encoded)
  if (path.length === prefix.length) return Result.fail(NotFound.service(""))
  const segments = path.slice(prefix.length).split("/")
  const slash = segments.length > 1 && segments.at(-1) === ""
  if (slash) segments.pop()
  for (const segment of segments) {
    if (plain.test(segment)) continue
    const reason = reasonAgainst(segment)
    if (reason !== undefined) return refused(reason)
  }
  const [service = "", ...rest] = segments
  if (plainOnly.has(service) && path.includes("%")) return refused("this service has nothing to encode")
  if (formatted.has(service) && format.test(rest.at(-1) ?? "")) {
    if (!isQuotaDetails(service, rest)) return refused("it has a format suffix")
    rest[rest.length - 1] = "details"
  }
  return Result.succeed({ service, segments: rest, query: mark < 0 ? undefined : url.slice(mark + 1), slash })
}

/** Services whose routers know no path with a slash at the end, but for their roots. */
const strict = /^(compute|identity|image|volume)\//

/**
 * Whether a slash at the end stands where the id of something is missing: behind the word of a collection. A write of an
 * item never becomes one of its collection: `DELETE networks/{id}/tags/` without a tag would remove all tags. Other calls
 * have a slash by habit, and only stock clients hear of it what OpenStack would say.
 *
 * @param target of the request line; `prefix` and a service are in front
 */
export const lacksId = (target: string, prefix: string, method: string, isStock: boolean): boolean => {
  const mark = target.indexOf("?")
  const end = (mark < 0 ? target.length : mark) - 1
  if (target[end] !== "/") return false
  const path = target.slice(prefix.length, end)
  return (
    isFixed(path.slice(path.lastIndexOf("/") + 1)) &&
    path.includes("/") &&
    (method === "DELETE" || method === "PUT" || method === "PATCH" || (isStock && strict.test(path)))
  )
}

/** `quotas/{id}/details.json`, of which gophercloud knows no other spelling. */
const isQuotaDetails = (service: string, segments: ReadonlyArray<string>): boolean =>
  service === "network" && segments[segments.length - 3] === "quotas" && segments.at(-1) === "details.json"

const encoded = "it encodes a letter, a dot, a slash or a percent sign"

const reasonAgainst = (segment: string): string | undefined => {
  if (segment === "") return "a segment is empty"
  if (segment === "." || segment === "..") return "it has dot segments"
  if (!allowed.test(segment)) return "it holds characters that have to be encoded"
  if (broken.test(segment)) return "a percent sign is not followed by two hex digits"
  // Every word that a rule looks for has one spelling.
  if (structural.test(segment) || encodedPlainCharacter.test(segment)) return encoded
  // The platform's databases treat `id` and `id ` as the same.
  if (segment.endsWith("%20")) return "a segment ends in an encoded space"
  if (!isUtf8(bytesOf(segment))) return "its encoded bytes are no UTF-8"
}

const bytesOf = (segment: string): Buffer =>
  Buffer.from(
    segment.replaceAll(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1"
  )

const refused = (why: string) => Result.fail(BadRequest.pathNotCanonical(why))
