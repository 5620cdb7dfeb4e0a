import { Result } from "effect"
import type { JsonObject } from "../Json.ts"
import { type Handler, type Incoming, json, type Routes, withOtherMethods, withTrailingSlash } from "../Wire.ts"
import { aclRoutes } from "./acls.ts"
import { refuse } from "./answers.ts"
import { consumerRoutes } from "./consumers.ts"
import { containerRoutes } from "./containers.ts"
import { metadataRoutes } from "./metadata.ts"
import { orderRoutes } from "./orders.ts"
import { call, permit, type Request, versionOf } from "./policy.ts"
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
  // Behind the token middleware, unlike the root.
  "GET /v1": call(({ incoming }) => Result.succeed(json(200, { version: versionFor(incoming) }))),
  "GET /v1/secret-stores": call(stores),
  "GET /v1/secret-stores/:id": call(stores)
}

const notAllowed: Handler = call(() => refuse(405, "The method is not allowed for this resource."))

/** The one version, in the form of the request's microversion. */
const versionFor = (incoming: Incoming): JsonObject => {
  const links = [
    { rel: "self", href: `${hostHref(incoming)}/v1/` },
    { rel: "describedby", type: "text/html", href: "https://docs.openstack.org/" }
  ]
  const type = "application/vnd.openstack.key-manager-v1+json"
  return versionOf(incoming) === "1.0"
    ? { id: "v1", status: "stable", links, "media-types": [{ base: "application/json", type }] }
    : { id: "v1", status: "CURRENT", min_version: "1.0", max_version: "1.1", links }
}

/** Needs no token. */
const versions: Handler = (incoming) => {
  const version = versionFor(incoming)
  return json(300, { versions: versionOf(incoming) === "1.0" ? { values: [version] } : [version] })
}

/** A trailing slash is ignored. */
export const barbicanRoutes: Routes = {
  "GET /": versions,
  ...withTrailingSlash(withOtherMethods(table, notAllowed))
}
