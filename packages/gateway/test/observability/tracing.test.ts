import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { linksTo } from "@portico/upstream/Tracing"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger, Schema } from "effect"
import * as ServerLogs from "@portico/gateway/observability/logs"
import { Serialization } from "@portico/gateway/observability/tracing"
import { OtlpSerialization } from "effect/observability"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Cast } from "../harness/Cast.ts"
import { Tap } from "../harness/Tap.ts"
import { TestGateway } from "../harness/TestGateway.ts"

/** What was sent to the collector, by path. */
interface Sent {
  readonly path: string
  readonly text: string
}

/** A collector of OTLP over HTTP that takes everything. */
class Collector extends Context.Service<Collector, { readonly url: string; readonly sent: Array<Sent> }>()(
  "portico/gateway/test/Collector"
) {
  static readonly layer = Layer.effect(
    Collector,
    Effect.acquireRelease(
      Effect.callback<{ readonly url: string; readonly sent: Array<Sent>; close(): void }>((resume) => {
        const sent: Array<Sent> = []
        const server = createServer((from, to) => {
          const chunks: Array<Buffer> = []
          from.on("data", (chunk: Buffer) => chunks.push(chunk))
          from.on("end", () => {
            sent.push({ path: from.url ?? "", text: Buffer.concat(chunks).toString() })
            to.writeHead(200, { "content-type": "application/json" }).end("{}")
          })
        }).listen(0, "127.0.0.1", () => {
          const { port } = server.address() as AddressInfo
          resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, sent, close: () => server.close() }))
        })
      }),
      ({ close }) => Effect.sync(close)
    )
  )
}

const Attribute = Schema.Struct({ key: Schema.String, value: Schema.Record(Schema.String, Schema.Unknown) })
const Span = Schema.Struct({
  traceId: Schema.String,
  spanId: Schema.String,
  parentSpanId: Schema.optionalKey(Schema.String),
  name: Schema.String,
  kind: Schema.Number,
  attributes: Schema.Array(Attribute),
  links: Schema.Array(Schema.Struct({ traceId: Schema.String, spanId: Schema.String }))
})
const Traces = Schema.fromJsonString(
  Schema.Struct({
    resourceSpans: Schema.Array(
      Schema.Struct({ scopeSpans: Schema.Array(Schema.Struct({ spans: Schema.Array(Span) })) })
    )
  })
)

const canary = "canary-2c26b46b68ff"
const inbound = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" }
const traceparent = `00-${inbound.traceId}-${inbound.spanId}-01`

it.effect("an error's message is redacted before it is exported in a span", () =>
  Effect.gen(function* () {
    const { traces } = yield* OtlpSerialization.OtlpSerialization
    const said = { stringValue: `X-Auth-Token: ${canary}` }
    const text = JSON.stringify(traces(told(said)).toJSON())
    assert.include(text, "exception.message")
    assert.notInclude(text, canary)
  }).pipe(Effect.provide(Serialization))
)

/** One span, of a call that failed. */
const told = (said: { readonly stringValue: string }) => {
  const attributes = [{ key: "exception.message", value: said }]
  const event = { name: "exception", timeUnixNano: "1", droppedAttributesCount: 0, attributes }
  const times = { startTimeUnixNano: "0", endTimeUnixNano: "1" }
  const dropped = { droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 }
  const ids = { traceId: inbound.traceId, spanId: inbound.spanId, parentSpanId: undefined }
  const span = { ...ids, ...times, ...dropped, name: "a", kind: 1, attributes: [], events: [event], links: [] }
  const spans = [{ ...span, status: { code: 2 as const } }]
  const resource = { attributes: [], droppedAttributesCount: 0 }
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: "effect" }, spans }] }] }
}

/** A gateway that lives for one story, and then tells the collector all that it has not told yet. */
const story = <A, E>(told: boolean, doing: Effect.Effect<A, E, TestGateway | Cast | SimulatedCloud | Server | Tap>) =>
  Effect.gen(function* () {
    const collector = yield* Collector
    const lines: Array<string> = []
    const Log = Logger.layer([Logger.map(ServerLogs.lineAs("json"), (line) => void lines.push(line))])
    const Gateway = TestGateway.layerOf(
      Effect.map(Effect.all([Server, Tap.settings]), ([{ url }, tapped]) => ({
        ...gatewaySettings(url),
        ...tapped,
        ...(told ? { OTLP_URL: `${collector.url}/` } : {})
      }))
    )
    const seen = yield* Effect.provide(
      doing,
      Cast.layer.pipe(
        Layer.provideMerge(Gateway),
        Layer.provideMerge(Tap.layer),
        Layer.provideMerge(TestGateway.cloud),
        Layer.provideMerge(Log)
      )
    )
    const traces = yield* Effect.forEach(
      collector.sent.filter((_) => _.path === "/v1/traces"),
      ({ text }) => Schema.decodeEffect(Traces)(text)
    )
    const spans = traces.flatMap((_) => _.resourceSpans.flatMap((_) => _.scopeSpans.flatMap((_) => _.spans)))
    return { seen, spans, lines, sent: collector.sent }
  }).pipe(Effect.provide(Collector.layer))

describe("an inbound traceparent", () => {
  it("is a link when it is well-formed, and ignored otherwise", () => {
    const [link] = linksTo(traceparent)
    assert.deepStrictEqual([link?.span.traceId, link?.span.spanId], [inbound.traceId, inbound.spanId])
    for (const bad of [undefined, "", traceparent.toUpperCase(), `01${traceparent.slice(2)}`, `${traceparent}-x`]) {
      assert.deepStrictEqual(linksTo(bad), [])
    }
  })
})

const attributesOf = (span: typeof Span.Type) =>
  Object.fromEntries(span.attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

const isServer = 2
const isClient = 3

const headers = {
  traceparent,
  tracestate: `vendor=${canary}`,
  b3: `${inbound.traceId}-${inbound.spanId}-1`,
  baggage: `secret=${canary}`,
  "x-auth-token": canary,
  "x-subject-token": canary,
  cookie: `session=${canary}`
}

/** A route and a proxied call, of which the cloud fails one in indiscreet words, and a token that nobody can judge. */
const calls = Effect.gen(function* () {
  const { call } = yield* TestGateway
  const { acme } = yield* Cast
  const cloud = yield* SimulatedCloud
  const tap = yield* Tap
  const [token] = acme.tokens
  yield* tap.forget
  const query = `?X-Amz-Signature=${canary}&X-Amz-Credential=${canary}`
  yield* call("customer", "GET", "/v1/quotas", { token, headers })
  yield* call("customer", "GET", `/v1/iaas/compute/servers/${canary}${query}`, { token, headers })
  const words = { error: { message: `Bearer ${canary} and X-Auth-Token: ${canary}` } }
  const broken = {
    method: "GET",
    path: "/**",
    times: "always",
    when: "before",
    as: { status: 400, body: words }
  } as const
  yield* cloud.fault({ ...broken, service: "cinder" })
  yield* call("customer", "GET", "/v1/quotas", { token, headers })
  yield* cloud.fault({ ...broken, service: "zitadel", method: "POST" })
  yield* call("customer", "GET", "/v1/whoami", { token: `${canary}-1`, headers })
  yield* call("customer", "GET", "/v1/iaas/compute/servers", { token: `${canary}-2`, headers })
  return { tokens: acme.tokens, upstream: yield* tap.seen }
})

it.effect("requests and their upstream calls are spans of our own traces, without secrets", () =>
  Effect.gen(function* () {
    const { lines, seen, sent, spans } = yield* story(true, calls)
    for (const secret of [canary, ...seen.tokens]) {
      for (const { text } of sent) assert.notInclude(text, secret)
      for (const line of lines) assert.notInclude(line, secret)
    }

    const requests = spans.filter((_) => _.kind === isServer && _.links.length > 0)
    assert.deepStrictEqual(
      requests.map((_) => [_.name, attributesOf(_)["http.response.status_code"]]),
      [
        ["GET /v1/quotas", 200],
        ["GET /v1/iaas/compute/*", 404],
        ["GET /v1/quotas", 200],
        ["GET /v1/whoami", 401],
        ["GET /v1/iaas/compute/*", 401]
      ]
    )
    for (const request of requests) {
      assert.isUndefined(request.parentSpanId)
      assert.notStrictEqual(request.traceId, inbound.traceId)
      assert.deepStrictEqual(request.links, [{ ...request.links[0], ...inbound }])
      assert.strictEqual(attributesOf(request)["portico.request_id"], inbound.traceId)
    }
    assert.strictEqual(new Set(requests.map((_) => _.traceId)).size, requests.length)

    const [quotas, servers] = requests
    const behind = (request: typeof Span.Type | undefined) =>
      spans.filter((_) => _.kind === isClient && _.traceId === request?.traceId)
    assert.includeMembers(
      behind(quotas).map((_) => attributesOf(_)["peer.service"]),
      ["nova", "cinder", "neutron"]
    )
    const [compute, ...more] = behind(servers)
    assert.lengthOf(more, 0)
    assert.deepStrictEqual(compute === undefined ? {} : attributesOf(compute), {
      "peer.service": "compute",
      "http.request.method": "GET",
      "http.response.status_code": 404
    })

    // What the gateway asks for itself, of which it says no more.
    const [introspection] = behind(requests[3])
    assert.strictEqual(introspection?.name, "zitadel introspect")
    assert.deepStrictEqual(introspection === undefined ? {} : attributesOf(introspection), {
      "peer.service": "zitadel",
      "http.request.method": "POST",
      "http.response.status_code": 400
    })
    const logins = spans.filter((_) => _.name === "keystone login").map(attributesOf)
    assert.isNotEmpty(logins)
    for (const login of logins) {
      assert.hasAllKeys(login, ["peer.service", "http.request.method", "http.response.status_code"])
    }

    const proxied = seen.upstream.find((_) => _.url.includes(`/servers/${canary}`))
    assert.strictEqual(proxied?.headers["traceparent"], `00-${servers?.traceId}-${compute?.spanId}-01`)
    for (const { headers } of seen.upstream) {
      assert.notInclude(headers["traceparent"] ?? "", inbound.traceId)
      for (const name of ["tracestate", "baggage", "b3"]) assert.isUndefined(headers[name], name)
    }

    const failed = lines.filter((_) => _.includes("could not be introspected"))
    assert.lengthOf(failed, 2)
    for (const [index, line] of failed.entries()) {
      assert.include(line, `"trace_id":"${requests[3 + index]?.traceId}"`)
      assert.include(line, `"request_id":"${inbound.traceId}"`)
    }

    const metrics = sent.filter((_) => _.path === "/v1/metrics").map((_) => _.text)
    assert.isTrue(metrics.some((_) => _.includes("portico_http_requests_total")))
  })
)

it.effect("without a collector nothing is exported", () =>
  Effect.gen(function* () {
    const { sent } = yield* story(false, calls)
    assert.deepStrictEqual(sent, [])
  })
)
