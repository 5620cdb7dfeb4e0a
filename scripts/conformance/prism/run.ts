import { Cast } from "../../../packages/gateway/test/harness/Cast.ts"
import { send } from "../../../packages/gateway/test/harness/http.ts"
import { type Plane, planes, TestGateway } from "../../../packages/gateway/test/harness/TestGateway.ts"
import { freePort } from "../../../packages/gateway/test/limits/redis.ts"
import { answers, serving } from "../../../packages/gateway/test/parts/parts.ts"
import { nameOf, type Route, routes } from "../../../packages/gateway/test/routes/routes.ts"
import { Effect, Layer, Schema } from "effect"
import { type Outcome, together } from "../../difference.ts"
import { prism } from "../packages.ts"
import { type Call, callsOf } from "./calls.ts"

/** What Prism finds in a request and its answer; it sends this along with the answer. */
const Violations = Schema.fromJsonString(
  Schema.Array(
    Schema.Struct({ location: Schema.Array(Schema.Union([Schema.String, Schema.Number])), message: Schema.String })
  )
)

/** All but the catch-alls: to Prism a parameter of a path is one segment, and it finds no route for theirs. */
const called = routes.filter((_) => !_.proxied)

/** Calls every route of both planes through a Prism that has the document which the plane serves. */
export const runPrism = Effect.forEach(planes, (_) => outcomeOf(_)).pipe(
  Effect.map(together),
  Effect.provide(Cast.layer.pipe(Layer.provideMerge(TestGateway.layer)), { local: true })
)

const outcomeOf = Effect.fnUntraced(function* (plane: Plane) {
  const url = yield* prismOf(plane)
  const passed = new Set<string>()
  const failed = new Map<string, string>()
  for (const route of called.filter((_) => _.planes.has(plane))) {
    const { calls, success } = yield* callsOf(plane, route)
    for (const call of calls) {
      const found = yield* faultsOf(url, route, call)
      const name = `${plane} ${nameOf(route)} ${call.what}`
      if (found.length === 0) passed.add(name)
      else failed.set(name, found.join("; "))
    }
    if (success.after !== undefined) yield* success.after
  }
  return { passed, failed } satisfies Outcome
}, Effect.scoped)

/** A Prism in front of a plane, until the scope ends. */
const prismOf = Effect.fnUntraced(function* (plane: Plane) {
  const { url } = yield* TestGateway
  const port = yield* freePort
  const command = ["proxy", `${url[plane]}/openapi.json`, url[plane], "--port", String(port), "--verboseLevel", "error"]
  const address = `http://127.0.0.1:${port}`
  yield* serving([process.execPath, prism, ...command], () => answers(`${address}/health`, 200))
  return address
})

/** What is wrong with a call: its answer is not as the document has it, or Prism does not find of the request what it should. */
const faultsOf = Effect.fnUntraced(function* (url: string, route: Route, { asked, fits, isRefused, path }: Call) {
  const answer = yield* send(url, route.method, path, asked)
  const wasRefused = answer.status >= 400
  const violations = yield* Schema.decodeEffect(Violations)(answer.headers["sl-violations"] ?? "[]")
  const [ofAnswer, ofRequest] = [true, false].map((isAnswer) =>
    violations
      .filter(({ location }) => (location[0] === "response") === isAnswer)
      .map(({ location, message }) => `${location.join(".")}: ${message}`)
  )
  return [
    ...(ofAnswer ?? []),
    ...(fits === true ? (ofRequest ?? []) : []),
    ...(fits === false && ofRequest?.length === 0 ? ["Prism finds no fault in the request"] : []),
    ...(isRefused === wasRefused ? [] : [`the answer is ${answer.status}: ${answer.text}`])
  ]
})
