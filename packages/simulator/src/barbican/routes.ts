import { Result } from "effect"
import { type Handler, json, type Routes, withOtherMethods, withTrailingSlash } from "../Wire.ts"
import { aclRoutes } from "./acls.ts"
import { refuse } from "./answers.ts"
import { consumerRoutes } from "./consumers.ts"
import { containerRoutes } from "./containers.ts"
import { metadataRoutes } from "./metadata.ts"
import { orderRoutes } from "./orders.ts"
import { call, permit, type Request } from "./policy.ts"
import { quotaRoutes } from "./quotas.ts"
import { hostHref } from "./refs.ts"
import { secretRoutes } from "./secrets.ts"

/** A stock service has one secret store. */
const stores = (request: Request) =>
  Result.andThen(
    permit(request, "List available secret stores", (_) => _.admin),
    refuse(404, "Not Found. Multiple backends support is not enabled in service configuration.")
  )

/** The routes with an effect. */
export const table: Routes = {
  ...secretRoutes,
  ...metadataRoutes,
  ...aclRoutes,
  ...containerRoutes,
  ...consumerRoutes,
  ...orderRoutes,
  ...quotaRoutes,
  "GET /v1/secret-stores": call(stores),
  "GET /v1/secret-stores/:id": call(stores)
}

const notAllowed: Handler = call(() => refuse(405, "The method is not allowed for this resource."))

/** Needs no token. */
const versions: Handler = (incoming) =>
  json(300, {
    versions: [
      {
        id: "v1",
        status: "CURRENT",
        version: "1.1",
        min_version: "1.0",
        links: [{ rel: "self", href: `${hostHref(incoming)}/v1/` }]
      }
    ]
  })

/** A trailing slash is ignored. */
export const barbicanRoutes: Routes = {
  "GET /": versions,
  ...withTrailingSlash(withOtherMethods(table, notAllowed))
}
