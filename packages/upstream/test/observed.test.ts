import { assert, it } from "@effect/vitest"
import * as UpstreamMetrics from "@portico/upstream/UpstreamMetrics"
import { Resolver } from "@portico/upstream/dns/Resolver"
import { KeyEndpoints } from "@portico/upstream/oidc/KeyEndpoints"
import { Tracing } from "@portico/upstream/Tracing"
import { UpstreamError } from "@portico/upstream/UpstreamError"
import { ConfigProvider, Effect, Layer, Metric, Tracer } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"

const Counted = UpstreamMetrics.layer.pipe(Layer.provideMerge(Layer.sync(Metric.MetricRegistry, () => new Map())))

/** How many calls there were, by system and outcome. */
const counts = Effect.map(Metric.snapshot, (all) =>
  Object.fromEntries(
    all.flatMap(({ attributes, id, state }) =>
      id === "portico_upstream_calls_total" && "count" in state
        ? [[`${attributes?.["system"]} ${attributes?.["outcome"]}`, Number(state.count)]]
        : []
    )
  )
)

/** What spans there were, each with its system. */
const spansOf = <A, E, R>(doing: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const spans: Array<Tracer.Span> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    yield* Effect.withTracer(Effect.provideService(doing, Tracing, true), tracer)
    return spans
      .filter((_) => _.kind === "client")
      .map((_) => ({ name: _.name, ...Object.fromEntries(_.attributes) }) as Readonly<Record<string, unknown>>)
  })

it.effect("queries to name servers are counted and traced, without the names", () =>
  Effect.gen(function* () {
    const silent = new UpstreamError({ upstream: "dns", call: "txt", status: null, detail: "silent" })
    const resolver = Resolver.over((name) => (name === "broken.example" ? Effect.fail(silent) : Effect.succeed([])))
    const spans = yield* spansOf(
      Effect.all([
        resolver.txt("tenant.example"),
        resolver.ns("tenant.example"),
        Effect.ignore(Effect.forkChild(resolver.txt("broken.example")))
      ])
    )
    assert.deepStrictEqual(spans.slice(0, 2), [
      { name: "resolver TXT", "peer.service": "resolver" },
      { name: "resolver NS", "peer.service": "resolver" }
    ])
    yield* Effect.yieldNow
    assert.deepStrictEqual(yield* counts, { "resolver answered": 2, "resolver none": 1 })
  }).pipe(Effect.provide(Counted))
)

it.effect("fetches of key sets are counted and traced, without trace headers to the issuer", () =>
  Effect.gen(function* () {
    const told: Array<string | undefined> = []
    const client = HttpClient.make((request) => {
      told.push(request.headers["traceparent"])
      return Effect.succeed(HttpClientResponse.fromWeb(request, new Response("no", { status: 404 })))
    })
    const Keys = KeyEndpoints.layer.pipe(
      Layer.provide(Layer.succeed(HttpClient.HttpClient, client)),
      Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ WORKLOAD_IDENTITY_INSECURE: "true" })))
    )
    const secret = "cluster-0af7"
    const asked = Effect.gen(function* () {
      const { keySet } = yield* KeyEndpoints
      const issuer = `http://${secret}.example`
      yield* Effect.flip(keySet({ issuer, discoveryUrl: issuer, jwksUri: `${issuer}/${secret}`, ca: null }))
    })
    const spans = yield* spansOf(Effect.provide(asked, Keys))
    assert.deepStrictEqual(spans, [
      {
        name: "issuer get key set",
        "peer.service": "issuer",
        "http.request.method": "GET",
        "http.response.status_code": 404
      }
    ])
    assert.deepStrictEqual(told, [undefined])
    assert.deepStrictEqual(yield* counts, { "issuer 4xx": 1 })
  }).pipe(
    Effect.provide(Counted),
    Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
  )
)
