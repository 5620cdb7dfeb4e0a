import type { Engine, EngineInit } from "./engine/engine.ts"
import type { Route } from "./engine/routes.ts"
import { isObject } from "@portico/contract/isObject"
import { failureOf, unreached } from "./failure.ts"
import type { CallOptions } from "./types.ts"

export type Input = Readonly<Record<string, unknown>>

const isList = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value)

const textOf = (value: unknown): string => (typeof value === "string" ? value : String(value))

/**
 * An address without dot segments, or a TypeError: they would be resolved on
 * the way, and the call would be another one.
 */
export const canonical = (url: string): string => {
  // What a parser of addresses leaves out, or takes for a slash or a dot.
  const [path = ""] = url.replaceAll(/[\t\n\r]/g, "").split(/[?#]/, 1)
  if (path.split(/[/\\]/).some((_) => /^(\.|%2e){1,2}$/i.test(_))) throw new TypeError(`'${url}' has dot segments`)
  return url
}

/** The address of a path of the gateway. What does not begin with a slash would go on with the name of the host. */
export const addressOf = ({ url }: Engine, path: string): string => {
  if (!path.startsWith("/")) throw new TypeError(`'${path}' is not a valid path: it must begin with a slash`)
  return canonical(`${url}${path}`)
}

/** Path, query and body of a call: each key of the input goes where the operation has it. */
const targetOf = (route: Route, input: Input, { query }: CallOptions) => {
  const missing = route.pathKeys.find((_) => input[_] === undefined || input[_] === "")
  if (missing !== undefined) throw new TypeError(`${route.operation} needs '${missing}'`)
  const path = route.path.replaceAll(/:(\w+)/g, (_, key: string) => encodeURIComponent(textOf(input[key])))
  const rest = Object.entries(input).filter(([key, value]) => value !== undefined && !route.pathKeys.includes(key))
  const isQuery = ([key]: readonly [string, unknown]) =>
    route.is.has("apart") ? key !== "body" : !route.is.has("body") || route.queryKeys.includes(key)
  const parameters = new URLSearchParams()
  for (const [key, value] of [...rest.filter(isQuery), ...Object.entries(query ?? {})]) {
    for (const one of isList(value) ? value : [value]) parameters.append(key, textOf(one))
  }
  const search = parameters.size === 0 ? "" : `?${parameters.toString()}`
  const body = Object.fromEntries(rest.filter((_) => !isQuery(_)))
  return { path: canonical(`${path}${search}`), body: route.is.has("apart") ? body["body"] : body }
}

/** An answer that is a success; every other one is thrown. */
export const answered = async (engine: Engine, route: Route, input: Input, options: CallOptions): Promise<Response> => {
  const target = targetOf(route, input, options)
  const headers = new Headers(options.headers)
  if (options.idempotencyKey !== undefined) headers.set("idempotency-key", options.idempotencyKey)
  if (!headers.has("accept")) headers.set("accept", accepted(route))
  // What takes no body gets none, and an optional one is left out when nothing is in it.
  const isEmpty = isObject(target.body) && Object.keys(target.body).length === 0
  const hasBody = route.is.has("body") && !(isEmpty && route.is.has("optional"))
  if (hasBody && options.body === undefined) headers.set("content-type", "application/json")
  const body = options.body ?? (hasBody ? JSON.stringify(target.body) : undefined)
  const signal = options.signal ?? null
  const { retry } = options
  const init: EngineInit = { method: route.method, headers, signal, retry, ...(body === undefined ? {} : { body }) }
  const answer = await engine.fetch(`${engine.url}${target.path}`, init).catch((error: unknown) => {
    throw unreached(error, route.operation, options.signal)
  })
  if (!answer.ok) throw await failureOf(answer, route.operation, engine.time.now())
  return answer
}

const accepted = ({ is }: Route): string =>
  is.has("sse") ? "text/event-stream" : is.has("ndjson") ? "application/x-ndjson" : "application/json"
