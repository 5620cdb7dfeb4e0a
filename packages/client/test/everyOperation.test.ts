import { assert, layer } from "@effect/vitest"
import { createClient } from "@portico/client/createClient"
import { Customer, Operator, Outgoing } from "@portico/client/effect"
import { createOperatorClient } from "@portico/client/operator"
import { Effect, Layer, Predicate, Schema, Stream } from "effect"
import { HttpClientRequest } from "effect/http"
import { sampled } from "@portico/testing/sample/sampled"
import { Cast, operator } from "../../gateway/test/harness/Cast.ts"
import { type Plane, TestGateway } from "../../gateway/test/harness/TestGateway.ts"
import type { Success } from "../../gateway/test/routes/Success.ts"
import { nameOf, routes } from "../../gateway/test/routes/routes.ts"
import { successes } from "../../gateway/test/routes/successes.ts"
import { clashes, type Declared, declared, keysOf } from "./operations.ts"

type Prepared = Effect.Success<Success["prepare"]>

/** An object whose fields are called by name. */
interface Named {
  readonly [name: string]: Named & ((...given: ReadonlyArray<unknown>) => unknown)
}

/** The types of a client are for callers who name an operation; here all are called. */
function named(client: object): Named
function named(client: object): object {
  return client
}

const camelCase = (name: string): string => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

/** What a prepared request has at the places that an operation declares. */
const partsOf = ({ endpoint }: Declared, { body, path }: Prepared) => {
  const url = new URL(path, "http://gateway")
  const keys = keysOf(endpoint)
  const pattern = endpoint.path.replaceAll(/:\w+/g, "([^/]+)").replace("*", "(.*)")
  const [, ...values] = new RegExp(`^${pattern}$`).exec(url.pathname) ?? []
  const params = Object.fromEntries(keys.path.map((key, i) => [key, decodeURIComponent(values[i] ?? "")]))
  const given = [...new Set(url.searchParams.keys())].map((key) => {
    const all = url.searchParams.getAll(key)
    return [key, all.length > 1 || key === "topic" || key === "kind" ? all : (all[0] ?? "")] as const
  })
  const query = Object.fromEntries(given.filter(([key]) => keys.query.includes(key)))
  const undeclared = Object.fromEntries(given.filter(([key]) => !keys.query.includes(key)))
  return { params, query, undeclared, body, rest: `${values[0] ?? ""}${url.search}` }
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  Predicate.isObject(value) && Symbol.asyncIterator in value

const takeAll = async (items: AsyncIterable<unknown>): Promise<unknown> => {
  const all: Array<unknown> = []
  for await (const item of items) all.push(item)
  return all
}

/** By the plain face. */
const plainly = async (client: Named, of: Declared, prepared: Prepared): Promise<unknown> => {
  const [group = "", name = ""] = of.operation.split(".")
  const { body, params, query, rest, undeclared } = partsOf(of, prepared)
  const operation = client[camelCase(group)]?.[name]
  if (operation === undefined) return assert.fail(of.operation)
  const { headers = {} } = prepared
  if (of.endpoint.path.endsWith("*")) {
    const json = typeof body === "object" ? { "content-type": "application/json", ...headers } : headers
    const answer = await operation(rest, {
      headers: json,
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    if (!(answer instanceof Response)) return assert.fail("no answer")
    await answer.arrayBuffer()
    return answer.status
  }
  const payload = clashes(of.endpoint).length > 0 ? { body } : typeof body === "object" ? body : {}
  const result = operation(
    { ...params, ...query, ...payload },
    { headers, query: undeclared, ...(typeof body === "string" ? { body } : {}) }
  )
  return isAsyncIterable(result) ? takeAll(result) : result
}

const isRunnable = (value: unknown): value is Effect.Effect<unknown, unknown> => Effect.isEffect(value)

const isRunnableStream = (value: unknown): value is Stream.Stream<unknown, unknown> => Stream.isStream(value)

/** The schemas of the contract need no services to decode. */
const decoded = Effect.fnUntraced(function* (schema: Schema.Top | undefined, value: unknown) {
  if (schema === undefined) return undefined
  const decoding: unknown = Schema.decodeUnknownEffect(schema)(value)
  return isRunnable(decoding) ? yield* decoding : assert.fail("no effect")
})

/** By the Effect face. */
const effectfully = Effect.fnUntraced(function* (client: Named, of: Declared, prepared: Prepared) {
  const [group = "", name = ""] = of.operation.split(".")
  const { endpoint } = of
  const { body, params, query, rest, undeclared } = partsOf(of, prepared)
  const isRaw = endpoint.path.endsWith("*")
  const [payload] = [...endpoint.payload.values()].flatMap((_) => [..._.schemas])
  const request = {
    ...(endpoint.params === undefined ? {} : { params: yield* decoded(endpoint.params, params) }),
    ...(endpoint.query === undefined ? {} : { query: yield* decoded(endpoint.query, query) }),
    ...(endpoint.headers === undefined ? {} : { headers: {} }),
    ...(payload === undefined ? {} : { payload: yield* decoded(payload, body) }),
    ...(isRaw ? { responseMode: "response-only" } : {})
  }
  if (of.operation === "events.tail") {
    const stream = client[group]?.[name]?.({ ...query, timeout_seconds: 0 })
    return isRunnableStream(stream) ? yield* Stream.runCollect(stream) : assert.fail(of.operation)
  }
  const effect = client[group]?.[name]?.(request)
  if (!isRunnable(effect)) return assert.fail(of.operation)
  const change = (outgoing: HttpClientRequest.HttpClientRequest) => {
    const sent = outgoing.pipe(
      HttpClientRequest.setHeaders(prepared.headers ?? {}),
      HttpClientRequest.appendUrlParams(undeclared)
    )
    if (!isRaw) return typeof body === "string" ? HttpClientRequest.bodyText(sent, body, formOf(prepared)) : sent
    const raw = HttpClientRequest.setUrl(sent, sent.url.replace("*", rest))
    return body === undefined
      ? raw
      : HttpClientRequest.bodyText(raw, JSON.stringify(body), prepared.headers?.["content-type"] ?? "application/json")
  }
  const result = yield* Effect.provideService(effect, Outgoing, change)
  if (isRunnableStream(result)) return yield* Stream.runCollect(result)
  return result
})

const formOf = ({ headers }: Prepared): string => headers?.["content-type"] ?? "text/plain"

const Everything = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))

/** Somebody who may call it on the plane. */
const tokenOf = Effect.fnUntraced(function* (of: Declared, plane: Plane) {
  const { acme, customerOwner } = yield* Cast
  const route = routes.find((_) => nameOf(_) === `${of.endpoint.method} ${of.endpoint.path}`)
  const row = successes[`${of.endpoint.method} ${of.endpoint.path}`]
  if (plane === "operator" && route?.platformAdmin === true) return operator
  return row?.roles === undefined ? acme.tokens[2] : customerOwner
})

const clientOf = (plane: Plane, to: { readonly url: string; readonly token: string }) =>
  plane === "customer" ? Customer.make(to) : Operator.make(to)

/** Those of the Effect face by plane and token: to make one takes longer than a call. */
const clients = new Map<string, Named>()

layer(Everything, { excludeTestServices: true })("every operation", (it) => {
  for (const plane of ["customer", "operator"] as const) {
    for (const each of declared[plane]) {
      // What both planes have is the same code on both.
      if (plane === "operator" && declared.customer.some((_) => _.operation === each.operation)) continue
      const row = successes[`${each.endpoint.method} ${each.endpoint.path}`]

      const faces = {
        plain: Effect.gen(function* () {
          const url = (yield* TestGateway).url[plane]
          const token = yield* tokenOf(each, plane)
          const prepared = yield* (row ?? assert.fail("no row")).prepare
          const client = named(
            plane === "customer" ? createClient({ url, token }) : createOperatorClient({ url, token })
          )
          const result = yield* Effect.promise(() => plainly(client, each, prepared))
          if (row?.after !== undefined) yield* row.after
          if (each.endpoint.path.endsWith("*")) assert.strictEqual(result, row?.status)
          else assert.isDefined(result)
        }),
        Effect: Effect.gen(function* () {
          const url = (yield* TestGateway).url[plane]
          const token = yield* tokenOf(each, plane)
          const prepared = yield* (row ?? assert.fail("no row")).prepare
          const client = clients.get(plane + token) ?? named(yield* clientOf(plane, { url, token }))
          clients.set(plane + token, client)
          const result: unknown = yield* effectfully(client, each, prepared)
          if (row?.after !== undefined) yield* row.after
          if (each.endpoint.path.endsWith("*")) assert.strictEqual(Object(result).status, row?.status)
          else assert.isDefined(result)
        })
      }
      for (const [face, story] of sampled(`${plane} ${each.operation}`, 1, Object.entries(faces))) {
        it.effect(`${plane}: ${each.operation} by the ${face} face`, () => story)
      }
    }
  }
})
