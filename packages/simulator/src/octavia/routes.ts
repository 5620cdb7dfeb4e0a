import type { Routes } from "../Wire.ts"
import { catalogRoutes } from "./catalog.ts"
import { childRoutes } from "./children.ts"
import { loadBalancerRoutes } from "./loadbalancers.ts"
import { quotaRoutes } from "./quotas.ts"

const table: Routes = { ...loadBalancerRoutes, ...childRoutes, ...catalogRoutes, ...quotaRoutes }

/** `/v2.0` is another name of `/v2`, and a slash at the end changes nothing. */
export const octaviaRoutes: Routes = Object.fromEntries(
  Object.entries(table).flatMap(([route, handler]) =>
    [route, route.replace(" /v2/", " /v2.0/")].flatMap((_) => [
      [_, handler],
      [`${_}/`, handler]
    ])
  )
)
