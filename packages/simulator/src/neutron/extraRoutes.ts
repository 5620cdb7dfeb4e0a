import { Result } from "effect"
import { type JsonObject, objectsAt, stringAt } from "../Json.ts"
import type { Routes } from "../Wire.ts"
import { badRequest } from "./errors.ts"
import { wrapped } from "./request.ts"
import { action, changed } from "./resource.ts"
import { routers } from "./routers.ts"
import { checkStaticRoutes, type StaticRoutes } from "./staticRoutes.ts"

const same = (one: JsonObject, other: JsonObject): boolean =>
  ["destination", "nexthop"].every((key) => stringAt(one, key) === stringAt(other, key))

/** Adds or removes single static routes; the router's other routes stay. */
const changing = (rule: string, change: (old: StaticRoutes, given: StaticRoutes) => StaticRoutes) =>
  action(routers, rule, (request, router) =>
    Result.gen(function* () {
      const body = yield* wrapped(request, "router")
      if (!Array.isArray(body["routes"])) {
        return yield* badRequest("Invalid input for routes. Reason: it is not a list.")
      }
      const given = objectsAt(body, "routes")
      if (given.some((_) => stringAt(_, "destination") === undefined || stringAt(_, "nexthop") === undefined)) {
        return yield* badRequest("Invalid input for routes. Reason: a route needs a destination and a nexthop.")
      }
      const old = objectsAt(router.routes)
      const routes = yield* checkStaticRoutes(request.neutron, router, change(old, given))
      // The revision grows only with the routes.
      if (routes.length === old.length) return { router: routers.show(request.neutron, router, request.scope) }
      router.routes = routes
      return { router: changed(routers, request, router) }
    })
  )

export const extraRouteRoutes: Routes = {
  "PUT /v2.0/routers/:id/add_extraroutes": changing("add_extraroutes", (old, given) => [
    ...old,
    ...given.filter((_, at) => ![...old, ...given.slice(0, at)].some((one) => same(one, _)))
  ]),
  "PUT /v2.0/routers/:id/remove_extraroutes": changing("remove_extraroutes", (old, given) =>
    old.filter((one) => !given.some((_) => same(one, _)))
  )
}
