import { Option } from "effect"

/**
 * Each route has one spelling: no doubled slashes, no case folding. Ids may be long, because the operation itself
 * answers 404 for an unknown one.
 */
export const routerConfig = {
  ignoreDuplicateSlashes: false,
  ignoreTrailingSlash: false,
  caseSensitive: true,
  maxParamLength: 16_384
}

/** Path prefix of the platform's services. */
export const iaasPrefix = "/v1/iaas/"

/**
 * The same for OpenStack clients. gophercloud takes the first part of an address that looks like a version for the
 * service's, so that it finds no service below `/v1`.
 */
export const stockPrefix = "/openstack/"

/** Path prefix of the cluster's API. */
export const kubernetesPrefix = "/v1/kubernetes/"

/**
 * A path as the audit records it: the route, with `:name` for each part that a client chooses, and the chosen parts.
 */
export interface RecordedRoute {
  /** Null for an unknown path. */
  readonly route: string | null
  readonly resources: ReadonlyArray<string>
}

export const noRoute: RecordedRoute = { route: null, resources: [] }

export const pathOf = (url: string): string => url.split("?", 1)[0] ?? url

/** A segment of a path as its operation reads it; a segment that cannot be decoded stays as it is. */
export const decoded = (segment: string): string =>
  segment.includes("%")
    ? Option.getOrElse(Option.liftThrowable(() => decodeURIComponent(segment))(), () => segment)
    : segment

/** The names of the parameters in a query, without their values. */
export const parametersOf = (url: string): ReadonlyArray<string> => {
  const mark = url.indexOf("?")
  return mark < 0 ? [] : [...new URLSearchParams(url.slice(mark + 1)).keys()]
}
