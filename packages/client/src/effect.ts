import { CustomerApi, OperatorApi } from "@portico/contract/Api"
import { Event } from "@portico/contract/Events"
import { Clock, Context, Effect, Layer, Option, Random, Redacted, Schema, Stream } from "effect"
import { FetchHttpClient, HttpClient, type HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import type { Auth } from "./auth/Auth.ts"
import { type ClientOptions, type Engine, engineOf } from "./engine/engine.ts"
import { type Routes, routesOf } from "./engine/routes.ts"
import type { Time } from "./engine/Time.ts"
import { events } from "./events.ts"
import type { Portico } from "./createClient.ts"
import { operate } from "./operate.ts"
import { customerOperations } from "./operations/customer.ts"
import { operatorOperations } from "./operations/operator.ts"
import type { PorticoOperator } from "./operator.ts"
import { PorticoError } from "./PorticoError.ts"
import type { Received, WaitOptions, Waits } from "./types.ts"

export { PorticoError } from "./PorticoError.ts"

export interface Options extends Omit<ClientOptions, "time" | "token"> {
  readonly token?: string | Redacted.Redacted | Auth | undefined
}

/**
 * Changes the request of a call before it goes out: a header, such as an
 * `idempotency-key` of one's own, or a parameter that the contract does not
 * declare.
 */
export const Outgoing = Context.Reference<
  (request: HttpClientRequest.HttpClientRequest) => HttpClientRequest.HttpClientRequest
>("portico/client/Outgoing", { defaultValue: () => (_) => _ })

/** Time and chance are those of the context, so that a test clock moves them. */
const contextTime = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const random = yield* Random.Random
  const context = yield* Effect.context<never>()
  return {
    now: () => clock.currentTimeMillisUnsafe(),
    random: () => random.nextDoubleUnsafe(),
    sleep: (millis, signal) => Effect.runPromiseWith(context)(Effect.sleep(millis), { signal })
  } satisfies Time
})

const engineFor = Effect.fnUntraced(function* ({ token, ...options }: Options, routes: Routes) {
  const plain = Redacted.isRedacted(token) ? Redacted.value(token) : token
  return engineOf({ ...options, token: plain, time: yield* contextTime }, routes)
})

/** In place of the contract's `events.tail`, whose stream ends at every disconnect. */
interface Tail {
  /** Events as they happen, across disconnects, without a gap or a double. */
  readonly tail: (filters?: EventFilters) => Stream.Stream<Received<Event>, PorticoError | Schema.SchemaError>
}

interface More<Plain> {
  /** Waits for the work of an operation: `wait((_) => _.databases.create, database)`. */
  readonly wait: <Started, View, Result>(
    operation: (client: Plain) => Waits<Started, View, Result>,
    started: Started,
    options?: Omit<WaitOptions<View>, "signal">
  ) => Effect.Effect<Result, PorticoError>
}

export interface EventFilters {
  readonly topic?: ReadonlyArray<string>
  readonly kind?: ReadonlyArray<string>
  readonly project_id?: string
  readonly cursor?: string
  /** The stream ends after this many seconds, and with 0 when all present events are sent. */
  readonly timeout_seconds?: number
}

const asFailure = (cause: unknown): PorticoError =>
  cause instanceof PorticoError ? cause : new PorticoError("unreachable", { detail: String(cause), status: 0, cause })

const tailOf = (engine: Engine, routes: Routes): Tail["tail"] => {
  const decode = Schema.decodeUnknownEffect(Event)
  return (filters = {}) =>
    Effect.acquireRelease(
      Effect.sync(() => new AbortController()),
      (controller) => Effect.sync(() => controller.abort())
    ).pipe(
      Effect.map(({ signal }) => events(engine, routes.named("events.tail"), { ...filters }, { signal })),
      Effect.map((received) => Stream.fromAsyncIterable(received, asFailure)),
      Stream.unwrap,
      Stream.mapEffect(({ cursor, event }) => Effect.map(decode(event), (decoded) => ({ cursor, event: decoded })))
    )
}

const moreOf = <Plain>(plain: Plain): More<Plain> => ({
  wait: (operation, started, options = {}) =>
    Effect.tryPromise({
      try: (signal) => operation(plain).wait(started, { ...options, signal }),
      catch: asFailure
    })
})

const httpOf = (engine: Engine) =>
  FetchHttpClient.layer.pipe(Layer.provide(Layer.succeed(FetchHttpClient.Fetch, engine.fetch)))

const outgoing = HttpClient.mapRequestEffect((request: HttpClientRequest.HttpClientRequest) =>
  Effect.map(Outgoing, (change) => change(request))
)

type Resuming<Client extends { readonly events: unknown }> = Omit<Client, "events"> & {
  readonly events: Omit<Client["events"], "tail"> & Tail
}

type Api = typeof CustomerApi | typeof OperatorApi

function plainOf(engine: Engine, routes: Routes, api: typeof CustomerApi): Portico
function plainOf(engine: Engine, routes: Routes, api: typeof OperatorApi): PorticoOperator
function plainOf(engine: Engine, routes: Routes, _: Api): object {
  return operate(engine, routes)
}

/** The operations of the customer plane as effects; their failures are the contract's classes. */
export class Customer extends Context.Service<
  Customer,
  Resuming<HttpApiClient.ForApi<typeof CustomerApi>> & More<Portico>
>()("portico/client/Customer") {
  static readonly make = Effect.fnUntraced(function* (options: Options) {
    const routes = routesOf(customerOperations)
    const engine = yield* engineFor(options, routes)
    const client = yield* HttpApiClient.make(CustomerApi, { baseUrl: engine.url, transformClient: outgoing }).pipe(
      Effect.provide(httpOf(engine))
    )
    const tailing = { ...client.events, tail: tailOf(engine, routes) }
    return { ...client, events: tailing, ...moreOf(plainOf(engine, routes, CustomerApi)) }
  })

  static readonly layer = (options: Options) => Layer.effect(Customer, Customer.make(options))
}

/** The operations of the operator plane. */
export class Operator extends Context.Service<
  Operator,
  Resuming<HttpApiClient.ForApi<typeof OperatorApi>> & More<PorticoOperator>
>()("portico/client/Operator") {
  static readonly make = Effect.fnUntraced(function* (options: Options) {
    const routes = routesOf({ ...customerOperations, ...operatorOperations })
    const engine = yield* engineFor(options, routes)
    const client = yield* HttpApiClient.make(OperatorApi, { baseUrl: engine.url, transformClient: outgoing }).pipe(
      Effect.provide(httpOf(engine))
    )
    const tailing = { ...client.events, tail: tailOf(engine, routes) }
    return { ...client, events: tailing, ...moreOf(plainOf(engine, routes, OperatorApi)) }
  })

  static readonly layer = (options: Options) => Layer.effect(Operator, Operator.make(options))
}

interface Linked {
  readonly next_cursor: string | null
}

/**
 * The pages of a list, one after the other:
 * `pages((from) => portico.credentials.list({ query: { ...from } }))`.
 */
export const pages = <Page extends Linked, E, R>(
  ask: (from: { readonly cursor?: string }) => Effect.Effect<Page, E, R>
): Stream.Stream<Page, E, R> =>
  Stream.paginate<{ readonly cursor?: string }, Page, E, R>({}, (from) =>
    Effect.map(ask(from), (page) => [
      [page],
      page.next_cursor === null ? Option.none() : Option.some({ cursor: page.next_cursor })
    ])
  )
