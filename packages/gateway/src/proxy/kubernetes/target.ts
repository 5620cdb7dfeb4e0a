import { BadRequest, type NotFound } from "@portico/contract/Failures"
import { Result } from "effect"
import { kubernetesPrefix } from "../../requests/route.ts"
import { proxyTarget } from "../path.ts"

/** A request target of the cluster's API, in its canonical spelling. */
export interface ClusterTarget {
  /** `["api", "v1", "namespaces", "db-1", "pods"]`; empty for the root, which lists the paths of the cluster. */
  readonly segments: ReadonlyArray<string>
  /** The path to forward, with a leading slash. */
  readonly path: string
  /** The query as sent, without its question mark; undefined when there is none. */
  readonly query: string | undefined
}

/**
 * Parses a request target, or rejects it with 400 when it is ambiguous. Beyond the rules of {@link proxyTarget} it
 * allows no percent sign, because names in the cluster need none. The path after a `proxy` sub-resource belongs to
 * the server behind it, so it may contain encoded characters and end with a slash.
 *
 * @param url path and query of the request line
 */
export const clusterTarget = (url: string): Result.Result<ClusterTarget, BadRequest | NotFound> =>
  Result.gen(function* () {
    const [whole = ""] = url.split("?", 1)
    const isRoot = whole === kubernetesPrefix
    const { query, segments } = isRoot ? { query: queryOf(url), segments: [] } : yield* segmentsOf(url)
    const proxied = proxiedFrom(segments)
    if (segments.slice(0, proxied).some((_) => _.includes("%"))) {
      return yield* Result.fail(BadRequest.pathNotCanonical("it encodes a character that stands for itself in no name"))
    }
    if (query?.includes("#") === true) return yield* Result.fail(BadRequest.queryNotCanonical("it holds a '#'"))
    const end = segments.length >= proxied && whole.endsWith("/") ? "/" : ""
    return { segments, path: `/${segments.join("/")}${end}`, query }
  })

const segmentsOf = (url: string) =>
  Result.map(proxyTarget(url, kubernetesPrefix), ({ query, segments, service }) => ({
    query,
    segments: [service, ...segments]
  }))

const queryOf = (url: string): string | undefined => {
  const mark = url.indexOf("?")
  return mark < 0 ? undefined : url.slice(mark + 1)
}

/** What follows the group and its version; other paths have no objects. */
const behindVersion = ([root, ...segments]: ReadonlyArray<string>): ReadonlyArray<string> =>
  root === "api" ? segments.slice(1) : root === "apis" ? segments.slice(2) : []

/** Whether a path leads to the `proxy` sub-resource of an object, and not to an object of that name. */
export const isProxied = ({ segments }: Pick<ClusterTarget, "segments">): boolean => {
  const below = behindVersion(segments)
  if (below[0] === "watch") return false
  // namespaces/{namespace}/{resource}/{name}/proxy/…, or nodes/{name}/proxy/…
  return below[below[0] === "namespaces" ? 4 : 2] === "proxy"
}

/** The number of segments up to and including a `proxy` sub-resource of the core group; infinite when there is none. */
const proxiedFrom = (segments: ReadonlyArray<string>): number =>
  segments[0] === "api" && isProxied({ segments }) ? (segments[2] === "namespaces" ? 7 : 5) : Number.POSITIVE_INFINITY

/**
 * Whether the answer may be endless: a watch, a followed log, or any call to a `proxy` sub-resource. The API server
 * treats every value except `0` and `false` as yes.
 */
export const isEndless = ({ query, segments }: ClusterTarget): boolean => {
  const parameters = new URLSearchParams(query)
  const says = (name: string) => parameters.getAll(name).some((_) => !/^(0|false)$/i.test(_))
  return says("watch") || says("follow") || behindVersion(segments)[0] === "watch" || isProxied({ segments })
}
