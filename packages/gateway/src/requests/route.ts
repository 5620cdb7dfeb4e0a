/** Where the platform's services stand below the gateway's own address. */
export const iaasPrefix = "/v1/iaas/"

/** Where the cluster's API stands below the gateway's own address. */
export const kubernetesPrefix = "/v1/kubernetes/"

/** A path as a record has it: the route, with `:name` for what a client may choose, and what it chose. */
export interface Place {
  /** Null when the path is not there. */
  readonly route: string | null
  readonly resources: ReadonlyArray<string>
}

export const nowhere: Place = { route: null, resources: [] }

export const pathOf = (url: string): string => url.split("?", 1)[0] ?? url

/** Names of the parameters in a query, without what they are. */
export const parametersOf = (url: string): ReadonlyArray<string> => {
  const mark = url.indexOf("?")
  return mark < 0 ? [] : [...new URLSearchParams(url.slice(mark + 1)).keys()]
}
