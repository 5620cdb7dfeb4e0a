import { assert, it } from "@effect/vitest"
import { gridOf, Prometheus } from "@portico/upstream/prometheus/Prometheus"
import { literal, meanOver, selector } from "@portico/upstream/prometheus/promql"
import { ConfigProvider, Effect, Layer } from "effect"
import { HttpClient, HttpClientError, HttpClientResponse } from "effect/http"

const url = "http://prometheus.example/base/"

interface Seen {
  readonly url: string
  readonly authorization: string | undefined
  readonly form: Readonly<Record<string, string>>
}

/** A Prometheus that always answers this, and what it was asked. */
const answering = (status: number, body: string, more: Readonly<Record<string, string>> = {}) => {
  const seen: Array<Seen> = []
  const client = HttpClient.make((request, { href }) => {
    const form = request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : ""
    seen.push({
      url: href,
      authorization: request.headers["authorization"],
      form: Object.fromEntries(new URLSearchParams(form))
    })
    return Effect.succeed(HttpClientResponse.fromWeb(request, new Response(body, { status })))
  })
  const layer = Prometheus.layer.pipe(
    Layer.provide(Layer.succeed(HttpClient.HttpClient, client)),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ MONITORING_URL: url, ...more })))
  )
  return { seen, layer }
}

const api = Effect.flatMap(Prometheus, ({ api }) =>
  api === undefined ? Effect.die("there is none") : Effect.succeed(api)
)

const data = (resultType: string, result: unknown) =>
  JSON.stringify({ status: "success", data: { resultType, result } })

it.effect("values are parsed from text: NaN, infinity and an empty text are null", () => {
  const values = ["1", "-0.5", "1e-7", "NaN", "+Inf", "-Inf", ""]
  const result = values.map((value) => ({ metric: { a: "b" }, value: [1.5, value] }))
  const { layer, seen } = answering(200, data("vector", result))
  return Effect.gen(function* () {
    const found = yield* (yield* api).query("look", 'x{a="b"}')
    assert.deepStrictEqual(
      found.map((_) => _.value),
      [1, -0.5, 1e-7, null, null, null, null]
    )
    assert.deepStrictEqual(found[0], { labels: { a: "b" }, at: 1500, value: 1 })
    const form = { query: 'x{a="b"}' }
    assert.deepStrictEqual(seen, [
      { url: "http://prometheus.example/base/api/v1/query", authorization: undefined, form }
    ])
  }).pipe(Effect.provide(layer))
})

it.effect("a range is asked for in whole seconds, with the token where there is one", () => {
  const { layer, seen } = answering(
    200,
    data("matrix", [
      {
        metric: {},
        values: [
          [60, "1"],
          [180, "NaN"]
        ]
      }
    ]),
    { MONITORING_TOKEN: "secret" }
  )
  return Effect.gen(function* () {
    const found = yield* (yield* api).range("look", "x", { start: 60, end: 180, step: 60 })
    const points = [
      { at: 60_000, value: 1 },
      { at: 180_000, value: null }
    ]
    assert.deepStrictEqual(found, [{ labels: {}, points }])
    assert.deepStrictEqual(seen[0]?.form, { query: "x", start: "60", end: "180", step: "60" })
    assert.strictEqual(seen[0]?.authorization, "Bearer secret")
  }).pipe(Effect.provide(layer))
})

const broken: ReadonlyArray<readonly [string, number, string, string]> = [
  ["a refusal", 400, JSON.stringify({ status: "error", errorType: "bad_data", error: "parse error" }), "parse error"],
  ["a page of something else", 200, "<html></html>", "answered 200 with a body that is not understood"],
  [
    "an error that says 200",
    200,
    JSON.stringify({ status: "error", error: "no" }),
    "answered 200 with a body that is not understood"
  ],
  ["a matrix for a vector", 200, data("matrix", []), "answered 200 with a body that is not understood"],
  [
    "numbers for text",
    200,
    data("vector", [{ metric: {}, value: [1, 1] }]),
    "answered 200 with a body that is not understood"
  ]
]

for (const [what, status, body, words] of broken) {
  it.effect(`${what} is a failure with its message`, () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip((yield* api).query("look", "x"))
      assert.deepStrictEqual(
        [error.upstream, error.call, error.status, error.detail],
        ["monitoring", "look", status, words]
      )
    }).pipe(Effect.provide(answering(status, body).layer))
  )
}

it.live("a connection failure is transient", () => {
  const client = HttpClient.make((request) =>
    Effect.fail(
      new HttpClientError.HttpClientError({
        reason: new HttpClientError.TransportError({ request, description: "no" })
      })
    )
  )
  const layer = Prometheus.layer.pipe(
    Layer.provide(Layer.succeed(HttpClient.HttpClient, client)),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ MONITORING_URL: url })))
  )
  return Effect.gen(function* () {
    const error = yield* Effect.flip((yield* api).query("look", "x"))
    assert.isTrue(error.transient)
  }).pipe(Effect.provide(layer))
})

it.effect("a cloud without the setting has no monitoring", () =>
  Effect.gen(function* () {
    assert.isUndefined((yield* Prometheus).api)
  }).pipe(
    Effect.provide(Prometheus.layer),
    Effect.provideService(
      HttpClient.HttpClient,
      HttpClient.make(() => Effect.die("nobody is asked"))
    ),
    Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({})))
  )
)

it("a caller's text cannot leave its quotes", () => {
  assert.strictEqual(literal('"} or x{a="'), '"\\"} or x{a=\\""')
  assert.strictEqual(literal("a\\"), '"a\\\\"')
  assert.strictEqual(literal("a\nb"), '"a\\nb"')
  assert.strictEqual(literal("\ud800"), '"\ufffd"')
  assert.strictEqual(selector("x", { id: '"} or y{z="' }), 'x{id="\\"} or y{z=\\""}')
  assert.strictEqual(selector("x", { id: ["a.b", "c|d"] }), 'x{id=~"a\\\\.b|c\\\\|d"}')
  assert.strictEqual(selector(["x:y", "z"]), '{__name__=~"x:y|z"}')
  assert.strictEqual(meanOver(60, selector("x", {})), "avg_over_time(x{}[60s])")
})

it("a grid has no more steps than allowed, none too short, and lies on multiples of its step", () => {
  assert.deepStrictEqual(gridOf({ from: 0, to: 3600, least: 60, points: 1000 }), { start: 0, end: 3600, step: 60 })
  assert.deepStrictEqual(gridOf({ from: 61, to: 3601, least: 60, points: 1000 }), { start: 120, end: 3600, step: 60 })
  for (const [from, to, least, points] of [
    [1, 2_592_001, 15, 1000],
    [7, 8, 60, 1000],
    [1_800_000_001, 1_800_003_599, 15, 10],
    [5, 999_999, 3600, 1]
  ] as const) {
    const { end, start, step } = gridOf({ from, to, least, points })
    assert.isAtLeast(step, least)
    assert.strictEqual(start % step, 0)
    assert.strictEqual(end % step, 0)
    assert.isAtMost((end - start) / step, points)
    assert.isAtMost(end, to)
    assert.isAtLeast(end, start)
  }
})
