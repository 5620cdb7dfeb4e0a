import { Cast } from "../../../packages/gateway/test/harness/Cast.ts"
import type { Asked } from "../../../packages/gateway/test/harness/http.ts"
import type { Plane } from "../../../packages/gateway/test/harness/TestGateway.ts"
import { callerOf } from "../../../packages/gateway/test/examples/scenes.ts"
import { nameOf, type Route } from "../../../packages/gateway/test/routes/routes.ts"
import { successes } from "../../../packages/gateway/test/routes/successes.ts"
import { Effect } from "effect"

/** A call of a route. */
export interface Call {
  readonly what: string
  /** Whether the request is as the document has it: Prism has to find no fault in it, or one. Undefined where it may. */
  readonly fits?: boolean
  readonly isRefused: boolean
  readonly path: string
  readonly asked: Asked
}

/** No thing has this name. */
const absent = "absent-0123456789ab"

/** The valid call of a route, and those that the gateway refuses, as far as the route can be called wrongly like that. */
export const callsOf = Effect.fnUntraced(function* (plane: Plane, route: Route) {
  const success = successes[nameOf(route)]
  if (success === undefined) return yield* Effect.die(new Error(`${nameOf(route)} has no valid call`))
  const { body, headers, path } = yield* success.prepare
  const { acme } = yield* Cast
  const token = success.ownLogin === true ? undefined : yield* callerOf(route, success)
  const [bare = ""] = path.split("?")
  const valid = { what: "valid", path, asked: { token, headers, body } }
  const refused: ReadonlyArray<Omit<Call, "isRefused"> | false> = [
    route.authenticated && { ...valid, what: "without a login", asked: { headers, body } },
    route.authenticated && { ...valid, what: "with a wrong login", asked: { token: "wrong", headers, body } },
    plane === "customer" &&
      route.tier > 0 &&
      route.authenticated && { ...valid, what: "of tier 0", asked: { token: acme.tokens[0], headers, body } },
    route.takesBody && { ...valid, what: "with an unknown field", asked: { token, headers, body: { unknown: 1 } } },
    route.takesBody && {
      ...valid,
      what: "with a list as its body",
      asked: { token, headers: json, body: "[]" },
      fits: false
    },
    route.authenticated && { ...valid, what: "with an unknown parameter", path: `${bare}?unknown=1` },
    /:[a-z_]+/.test(route.path) && { ...valid, what: "of an absent thing", path: absentIn(route, bare) }
  ]
  const calls: ReadonlyArray<Call> = [
    ...refused.flatMap((_) => (_ === false ? [] : { ..._, isRefused: true })),
    { ...valid, fits: true, isRefused: false }
  ]
  return { success, calls }
})

const json = { "content-type": "application/json" }

/** The path with the last of its parameters naming nothing. */
const absentIn = ({ path }: Route, valid: string): string => {
  const given = valid.split("/")
  const last = path.split("/").findLastIndex((_) => _.startsWith(":"))
  return given.map((_, index) => (index === last ? absent : _)).join("/")
}
