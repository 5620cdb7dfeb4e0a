import type { Call } from "../Wire.ts"

/** A path as the API server parses it (`RequestInfo`). */
export type RequestInfo = ResourceRequest | PathRequest

export interface PathRequest {
  readonly isResource: false
  readonly path: string
  /** The method in lower case. */
  readonly verb: string
}

export interface ResourceRequest {
  readonly isResource: true
  readonly verb: string
  readonly group: string
  readonly version: string
  /** Empty for a cluster-scoped resource. A Namespace is in itself. */
  readonly namespace: string
  readonly resource: string
  readonly subresource: string
  readonly name: string
  /** The path after a `proxy` sub-resource. */
  readonly rest: ReadonlyArray<string>
}

const verbs: Readonly<Record<string, string>> = {
  POST: "create",
  GET: "get",
  HEAD: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete"
}

/** Any value of a flag but `0` and `false` is true, the empty one included. */
export const flag = (query: URLSearchParams, name: string): boolean => {
  const value = query.get(name)
  return value !== null && !["0", "false"].includes(value.toLowerCase())
}

export const requestInfoOf = ({ method, path, query }: Pick<Call, "method" | "path" | "query">): RequestInfo => {
  const parts = path.split("/").filter((_) => _ !== "")
  const [prefix] = parts
  const head = prefix === "api" ? 2 : 3
  const other: PathRequest = { isResource: false, path, verb: method.toLowerCase() }
  if ((prefix !== "api" && prefix !== "apis") || parts.length <= head) return other
  // Other methods have an empty verb, which only `*` allows.
  const verb = verbs[method] ?? ""
  const [group = "", version = ""] = prefix === "api" ? ["", parts[1]] : [parts[1], parts[2]]
  const at = parsePath(parts.slice(head).map(decoded))
  const collection = at.name === ""
  const named = collection ? (/^metadata\.name==?([^,]+)$/.exec(query.get("fieldSelector") ?? "")?.[1] ?? "") : at.name
  const wide = verb === "get" && collection ? (flag(query, "watch") ? "watch" : "list") : verb
  const narrowed = verb === "delete" && collection ? "deletecollection" : wide
  return { isResource: true, group, version, ...at, verb: narrowed, name: narrowed === "create" ? at.name : named }
}

const decoded = (part: string): string => (/%(?![0-9a-fA-F]{2})/.test(part) ? part : decodeURIComponent(part))

const parsePath = (parts: ReadonlyArray<string>) => {
  const [first = "", namespace = "", ...below] = parts
  const nested = first === "namespaces" && below.length > 0 && !["status", "finalize"].includes(below[0] ?? "")
  const [resource = "", name = "", subresource = "", ...rest] = nested ? below : parts
  const inside = nested || (first === "namespaces" && namespace !== "")
  return { namespace: inside ? namespace : "", resource, name, subresource, rest }
}

/** The path with its names as `*`: matches the same call of another run. */
export const routeOf = (info: RequestInfo): string => {
  if (!info.isResource) return info.path
  const { group, name, namespace, resource, rest, subresource, version } = info
  const scope = namespace !== "" && resource !== "namespaces" ? ["namespaces", "*"] : []
  const named = name === "" ? [] : ["*"]
  const below = subresource === "" ? [] : [subresource, ...(rest.length === 0 ? [] : ["*"])]
  return ["", ...(group === "" ? ["api"] : ["apis", group]), version, ...scope, resource, ...named, ...below].join("/")
}
