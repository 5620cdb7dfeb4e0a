import type { Waiting } from "@portico/contract/waiting"
import { camelCase } from "./catalogue/names.ts"
import type { Engine } from "./engine/engine.ts"
import type { Route, Routes } from "./engine/routes.ts"
import { events } from "./events.ts"
import { isObject } from "@portico/contract/isObject"
import { parsed, unreached } from "./failure.ts"
import { lines } from "./lines.ts"
import { longRunning } from "./operations/longRunning.ts"
import { pages, rows } from "./pages.ts"
import { PorticoError } from "./PorticoError.ts"
import { answered, canonical, type Input } from "./request.ts"
import type { CallOptions, Received, StreamOptions, WaitOptions } from "./types.ts"
import { waitFor } from "./wait.ts"

/** Any operation, without its types. */
export interface AnyOperation {
  (...given: ReadonlyArray<never>): unknown
  readonly operation: string
}

const waits: Readonly<Record<string, Waiting>> = longRunning

/** The body of a success. */
const result = async (engine: Engine, route: Route, input: Input, options: CallOptions): Promise<unknown> => {
  const answer = await answered(engine, route, input, options)
  const text = await answer.text().catch((error: unknown) => {
    throw unreached(error, route.operation, options.signal)
  })
  if (text === "") return undefined
  const body = await parsed(text)
  if (isObject(body)) return body
  const detail = "The answer is not the gateway's: its body is not JSON"
  throw new PorticoError("unexpected_response", { detail, status: answer.status, operation: route.operation })
}

/** The function of an operation, by what it answers with. */
const operationOf = (engine: Engine, route: Route): AnyOperation => {
  const { operation } = route
  const ask = (input: Input = {}, options: CallOptions = {}) => result(engine, route, input, options)
  if (route.path.endsWith("/*")) return Object.assign(raw(engine, route), { operation })
  if (route.is.has("sse")) {
    return Object.assign((input: Input = {}, options: StreamOptions = {}) => events(engine, route, input, options), {
      operation
    })
  }
  if (route.is.has("ndjson")) {
    return Object.assign((input: Input = {}, options: CallOptions = {}) => lines(engine, route, input, options), {
      operation
    })
  }
  const { rows: field } = route
  if (field === undefined) return Object.assign(ask, { operation })
  return Object.assign(ask, {
    operation,
    pages: (input: Input = {}, options: CallOptions = {}) => pages(ask, input, options),
    all: (input: Input = {}, options: CallOptions = {}) => rows(pages(ask, input, options), field)
  })
}

const raw =
  (engine: Engine, { method, operation, path }: Route) =>
  async (rest: string, init: RequestInit = {}): Promise<Response> => {
    const target = canonical(`${engine.url}${path.slice(0, -1)}${rest.replace(/^\//, "")}`)
    return engine.fetch(target, { ...init, method }).catch((error: unknown) => {
      throw unreached(error, operation, init.signal ?? undefined)
    })
  }

/** Waits for the work of an operation with the operations that show it. */
const waitOf =
  (engine: Engine, routes: Routes, operation: string, waiting: Waiting) =>
  (started: Input, options: WaitOptions<unknown> = {}): Promise<unknown> => {
    const { pathKeys } = routes.named(waiting.read)
    const input = Object.fromEntries(pathKeys.map((_) => [_, started[_]]))
    const read = (signal: AbortSignal) => result(engine, routes.named(waiting.read), input, { signal })
    const changes = waiting.topic === undefined ? undefined : changesOf(engine, routes, waiting.topic, input)
    return waitFor({ operation, waiting, time: engine.time, read, changed: changes }, options)
  }

/** The next event of a topic that is about one of the identifiers. Without a stream there is no sign. */
const changesOf = (engine: Engine, routes: Routes, topic: string, input: Input) => {
  let stream: AsyncGenerator<Received<unknown>, void> | undefined
  let pending: Promise<unknown> | undefined
  const next = async (signal: AbortSignal): Promise<unknown> => {
    stream ??= events(engine, routes.named("events.tail"), { topic }, { signal })
    for (;;) {
      const received = await stream.next().catch(() => undefined)
      if (received === undefined || received.done === true) return new Promise(() => {})
      const { event } = received.value
      if (isObject(event) && Object.values(input).includes(event["key"])) return event
    }
  }
  // One look waits for the event that the look before did not get.
  return (signal: AbortSignal) => (pending ??= next(signal).finally(() => (pending = undefined)))
}

/** All operations, by group. */
export const operate = (
  engine: Engine,
  routes: Routes
): Readonly<Record<string, Readonly<Record<string, AnyOperation>>>> => {
  const groups: Record<string, Record<string, AnyOperation>> = {}
  for (const route of routes.all) {
    const [group = "", name = ""] = route.operation.split(".")
    const operations = (groups[camelCase(group)] ??= {})
    const waiting = waits[route.operation]
    const operation = operationOf(engine, route)
    operations[name] =
      waiting === undefined
        ? operation
        : Object.assign(operation, { wait: waitOf(engine, routes, route.operation, waiting) })
  }
  return groups
}
