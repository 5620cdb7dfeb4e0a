import { CustomerApi } from "@portico/contract/Api"
import { Creates } from "@portico/contract/Idempotency"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"
import type { ApiRequest } from "../Api.ts"

/** A route of the customers' API. */
export interface Route {
  /** `POST /v1/databases/:engine/:name/restore` */
  readonly name: string
  readonly endpoint: HttpApiEndpoint.Top
  /** Whether the route takes an `Idempotency-Key`. */
  readonly takesKey: boolean
}

const patterns: ReadonlyArray<Route & { readonly path: RegExp }> = (() => {
  const found: Array<Route & { readonly path: RegExp }> = []
  HttpApi.reflect(CustomerApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, middleware }) => {
      const takesKey = [...middleware].some((_) => _.key === Creates.key)
      const path = endpoint.path.replaceAll(/[.+?^$()|[\]{}\\]/g, "\\$&")
      found.push({
        name: `${endpoint.method} ${endpoint.path}`,
        endpoint,
        takesKey,
        path: new RegExp(`^${path.replace(/\*$/, ".*").replaceAll(/:\w+/g, "[^/]+")}$`)
      })
    }
  })
  return found
})()

export const pathOf = ({ path }: Pick<ApiRequest, "path">): string => path.split("?", 1)[0] ?? path

/** The route that serves a request, by its method and path. */
export const routeOf = (request: Pick<ApiRequest, "method" | "path">): Route | undefined => {
  const path = pathOf(request)
  const found = patterns.filter((_) => _.endpoint.method === request.method && _.path.test(path))
  // A route with a literal segment wins over one with a parameter there, as in the router.
  return found.toSorted((a, b) => parametersIn(a) - parametersIn(b))[0]
}

const parametersIn = ({ endpoint }: Route): number => (endpoint.path.match(/[:*]/g) ?? []).length

/** Whether a proxy serves the request. */
export const isProxied = (request: Pick<ApiRequest, "path">): boolean =>
  request.path.startsWith("/v1/iaas/") || request.path.startsWith("/v1/kubernetes/")
