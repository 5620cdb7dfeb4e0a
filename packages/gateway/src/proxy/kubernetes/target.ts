import { BadRequest, type NotFound } from "@portico/contract/Failures"
import { Result } from "effect"
import { kubernetesPrefix } from "../../requests/Place.ts"
import { proxyTarget } from "../path.ts"

/** A request target of the cluster's API, in its only spelling. */
export interface ClusterTarget {
  /** `["api", "v1", "namespaces", "db-1", "pods"]`; none of the root, which lists the paths of the cluster. */
  readonly segments: ReadonlyArray<string>
  /** As it goes on, with a slash in front. */
  readonly path: string
  /** As sent, without its question mark; undefined when there is none. */
  readonly query: string | undefined
}

/**
 * Takes a request target apart, or refuses it with a 400 when it can be read
 * in more than one way. Beside what {@link proxyTarget} refuses no percent sign
 * is taken: names in the cluster need none. What follows a `proxy` sub-resource
 * belongs to whoever is behind it: there it may encode, and end with a slash.
 *
 * @param url path and query, as they stand on the request line
 */
export const clusterTarget = (url: string): Result.Result<ClusterTarget, BadRequest | NotFound> =>
  Result.gen(function* () {
    const [whole = ""] = url.split("?", 1)
    const isRoot = whole === kubernetesPrefix
    const { query, segments } = isRoot ? { query: queryOf(url), segments: [] } : yield* segmentsOf(url)
    const proxied = beginOfProxied(segments)
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

/** How many segments the path has up to a `proxy` sub-resource; more than any path when it has none. */
const beginOfProxied = (segments: ReadonlyArray<string>): number => {
  const [root, , kind] = segments
  // /api/v1/namespaces/{namespace}/{resource}/{name}/proxy/…, or /api/v1/nodes/{name}/proxy/…
  const at = root !== "api" ? -1 : kind === "namespaces" ? 6 : 4
  return at > 0 && segments[at] === "proxy" ? at + 1 : Number.POSITIVE_INFINITY
}

/**
 * Whether the answer may go on without an end: a watch, a log that is
 * followed, or whatever a `proxy` sub-resource leads to. The API server takes
 * any value for yes but `0` and `false`.
 */
export const isEndless = ({ query, segments }: ClusterTarget): boolean => {
  const asked = new URLSearchParams(query)
  const says = (name: string) => asked.getAll(name).some((_) => !/^(0|false)$/i.test(_))
  return says("watch") || says("follow") || segments.includes("watch") || segments.includes("proxy")
}
