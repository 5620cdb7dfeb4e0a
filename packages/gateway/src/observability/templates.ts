import { FindMyWay } from "effect/http"
import type { HttpApi, HttpApiGroup } from "effect/http-api"
import { endpointsOf } from "../requests/endpoints.ts"
import { routerConfig } from "../requests/route.ts"
import { discoveryPath } from "../requests/discoveryPath.ts"
import { consoleTemplates } from "../requests/consolePaths.ts"
import { referencePaths } from "../requests/referencePaths.ts"

/** Paths outside the API that exist on a plane. */
const others = [...referencePaths, ...consoleTemplates, discoveryPath, "/metrics"]

/**
 * Finds the declared path of an endpoint for a path: `/v1/credentials/:credential_id`. Undefined when there is none.
 * The cost is independent of the number of endpoints.
 */
export const templatesOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  further: ReadonlyArray<string> = []
): ((path: string) => string | undefined) => {
  const paths = new Set<string>([...others, ...further, ...endpointsOf(api).map((_) => _.endpoint.path)])
  const router = FindMyWay.make<string>(routerConfig)
  for (const path of paths) router.on("GET", `/${path.slice(1)}`, path)
  return (path) => {
    const found = router.find("GET", path)
    // The router accepts an empty segment as a parameter, for which no endpoint has a resource.
    const isEmpty = ([name, value]: readonly [string, string | undefined]) => name !== "*" && value === ""
    return found === undefined || Object.entries(found.params).some(isEmpty) ? undefined : found.handler
  }
}
