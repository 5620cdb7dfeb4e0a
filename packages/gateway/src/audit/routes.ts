import { RegExp as Pattern } from "effect"
import type { HttpApi, HttpApiGroup } from "effect/http-api"
import { endpointsOf } from "../requests/endpoints.ts"
import { decoded, noRoute, type RecordedRoute } from "../requests/route.ts"

/** Finds the declared route of a first-class call, whether or not the call reaches the endpoint. */
export const routesOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ((method: string, path: string) => RecordedRoute) => {
  const routes = endpointsOf(api).map(({ endpoint: { method, path } }) => ({ method, path, pattern: patternOf(path) }))
  return (method, path) => {
    const candidates = routes.filter((_) => _.pattern.test(path))
    const found = candidates.find((_) => _.method === method) ?? candidates[0]
    if (found === undefined) return noRoute
    return { route: found.path, resources: (found.pattern.exec(path) ?? []).slice(1).map(decoded) }
  }
}

/** A pattern for the paths of a route, with a group for each parameter. */
export const patternOf = (path: string): RegExp =>
  new RegExp(
    `^${path
      .split("/")
      .map((segment) => (segment === "*" ? ".*" : segment.startsWith(":") ? "([^/]+)" : Pattern.escape(segment)))
      .join("/")}$`
  )
