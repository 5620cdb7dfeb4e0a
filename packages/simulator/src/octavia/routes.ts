import { type Routes, withTrailingSlash } from "../Wire.ts"
import { catalogRoutes } from "./catalog.ts"
import { childRoutes } from "./children.ts"
import { loadBalancerRoutes } from "./loadBalancers.ts"
import { quotaRoutes } from "./quotas.ts"

const table: Routes = { ...loadBalancerRoutes, ...childRoutes, ...catalogRoutes, ...quotaRoutes }

/** `/v2.0` is an alias of `/v2`, and a trailing slash is ignored. */
export const octaviaRoutes: Routes = withTrailingSlash({
  ...table,
  ...Object.fromEntries(Object.entries(table).map(([route, handler]) => [route.replace(" /v2/", " /v2.0/"), handler]))
})
