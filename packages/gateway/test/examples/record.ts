import { Effect, Predicate } from "effect"
import { Cast } from "../harness/Cast.ts"
import type { Answer } from "../harness/http.ts"
import { TestGateway } from "../harness/TestGateway.ts"
import { documents } from "../routes/conforms.ts"
import { nameOf, type Route, routes } from "../routes/routes.ts"
import { successes } from "../routes/successes.ts"
import { Placeholders } from "./placeholders.ts"
import { readable } from "./readable.ts"
import { StillClock } from "./StillClock.ts"
import { callerOf, scenes } from "./scenes.ts"

/** One exchange, as it is committed. */
interface Recorded {
  readonly status: number
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  readonly requestType: string | undefined
  readonly request: unknown
  readonly responseType: string | undefined
  readonly response: unknown
}

/** The id of the operation in the document, such as `credentials.mint`. */
export const operationOf = ({ documented, method }: Route): string => {
  const item: unknown = Reflect.get(documents.operator.paths, documented)
  const operation = Predicate.isObject(item) ? item[method.toLowerCase()] : undefined
  return Predicate.isObject(operation) ? String(operation["operationId"]) : ""
}

const parametersIn = ({ documented }: Route, path: string): Readonly<Record<string, string>> => {
  const names = [...documented.matchAll(/\{([a-z_]+)\}/g)].map(([, name = ""]) => name)
  const pattern = documented.replaceAll(/\{path\}$/g, "(.+)").replaceAll(/\{[a-z_]+\}/g, "([^/]+)")
  const [, ...values] = new RegExp(`^${pattern}$`).exec(path) ?? []
  return Object.fromEntries(names.map((name, nth) => [name, decodeURIComponent(values[nth] ?? "")]))
}

const queryIn = (query: string): Readonly<Record<string, unknown>> => {
  const given = new URLSearchParams(query)
  return Object.fromEntries(
    [...new Set(given.keys())].map((name) => {
      const all = given.getAll(name)
      return [name, all.length === 1 ? all[0] : all]
    })
  )
}

const typeOf = (headers: Readonly<Record<string, string>> | undefined): string | undefined =>
  headers?.["content-type"]?.split(";")[0]

const bodyOf = (type: string | undefined, text: string): unknown =>
  text === "" ? undefined : type?.endsWith("json") === true && type !== "application/x-ndjson" ? JSON.parse(text) : text

const requestOf = (body: unknown, type: string | undefined): unknown =>
  type === "application/x-www-form-urlencoded" ? Object.fromEntries(new URLSearchParams(String(body))) : body

const recorded = (
  route: Route,
  asked: { readonly path: string; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> },
  answer: Answer
): Recorded => {
  const [path = "", query = ""] = asked.path.split("?")
  const requestType = asked.body === undefined ? undefined : (typeOf(asked.headers) ?? "application/json")
  const responseType = answer.text === "" ? undefined : typeOf(answer.headers)
  return {
    status: answer.status,
    path: parametersIn(route, path),
    query: queryIn(query),
    requestType,
    request: requestOf(asked.body, requestType),
    responseType,
    response: bodyOf(responseType, answer.text)
  }
}

const exchange = (route: Route) =>
  Effect.gen(function* () {
    const row = successes[nameOf(route)]!
    const asked = yield* scenes[nameOf(route)] ?? row.prepare
    const caller = "token" in asked ? asked.token : yield* callerOf(route, row)
    const plane = route.planes.has("customer") ? "customer" : "operator"
    const { call } = yield* TestGateway
    const answer = yield* call(plane, route.method, asked.path, {
      token: row.ownLogin ? undefined : caller,
      headers: asked.headers,
      body: asked.body
    })
    if (row.after !== undefined) yield* row.after
    return recorded(route, asked, answer)
  }).pipe(Effect.scoped)

/** Only a call that succeeds is an example. */
const succeeded = ({ status }: Recorded): boolean => status >= 200 && status < 300

/** A good exchange of every operation that has one, with what changes from run to run replaced. */
export const recordAll = Effect.gen(function* () {
  yield* Cast
  const { set } = yield* StillClock
  const placeholders = new Placeholders()
  const examples: Record<string, unknown> = {}
  for (const route of routes) {
    yield* set("2026-03-02T10:00:00Z")
    const one = yield* exchange(route)
    if (!succeeded(one)) continue
    const id = operationOf(route)
    const [group = ""] = id.split(".")
    examples[id] = readable(group, placeholders.replace(group, one))
  }
  return examples
})
