import { Result } from "effect"
import { objectAt, stringAt } from "../Json.ts"
import { type Answer, json, type Routes } from "../Wire.ts"
import { badRequest, type Step } from "./errors.ts"
import { call, mayWrite, param, type Request, touch, wrapped } from "./request.ts"
import { writable } from "./resource.ts"
import { routers } from "./routers.ts"

type Entry = ReturnType<typeof objectAt>

const same = (one: Entry, other: Entry): boolean =>
  ["destination", "nexthop"].every((key) => stringAt(one, key) === stringAt(other, key))

/** Static routes come and go one by one, whatever else the router has. */
const change =
  (rule: string, apply: (old: ReadonlyArray<Entry>, asked: ReadonlyArray<Entry>) => ReadonlyArray<Entry>) =>
  (request: Request): Step<Answer> =>
    Result.gen(function* () {
      const router = yield* writable(routers, request, param(request, "id"))
      yield* mayWrite(request, rule)
      const { routes } = yield* wrapped(request, "router")
      if (!Array.isArray(routes)) return yield* badRequest("Invalid input for routes. Reason: it is not a list.")
      const asked = routes.map((_) => objectAt(_))
      if (asked.some((_) => stringAt(_, "destination") === undefined || stringAt(_, "nexthop") === undefined)) {
        return yield* badRequest("Invalid input for routes. Reason: a route needs a destination and a nexthop.")
      }
      router.routes = apply(
        router.routes.map((_) => objectAt(_)),
        asked
      )
      touch(router, request.now)
      return json(200, { router: routers.show(request.neutron, router, request.scope) })
    })

export const extraRouteRoutes: Routes = {
  "PUT /v2.0/routers/:id/add_extraroutes": call(
    change("add_extraroutes", (old, asked) => [...old, ...asked.filter((_) => !old.some((one) => same(one, _)))])
  ),
  "PUT /v2.0/routers/:id/remove_extraroutes": call(
    change("remove_extraroutes", (old, asked) => old.filter((one) => !asked.some((_) => same(one, _))))
  )
}
