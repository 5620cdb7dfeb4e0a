import { Config, Context, Effect, Layer, Option, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { make, type System } from "../System.ts"
import type { UpstreamError } from "../UpstreamError.ts"
import { baseOf } from "../webAddress.ts"

/** A measured value; null for NaN and for infinity, which JSON lacks. */
export type Measured = number | null

export interface Sample {
  readonly labels: Readonly<Record<string, string>>
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly value: Measured
}

export interface Series {
  readonly labels: Readonly<Record<string, string>>
  /** Oldest first. A time without a measurement has no point. */
  readonly points: ReadonlyArray<Pick<Sample, "at" | "value">>
}

/** The times from `start` to `end`, both included, every `step`; in whole seconds since the epoch. */
export interface Grid {
  readonly start: number
  readonly end: number
  readonly step: number
}

/**
 * The client of a Prometheus or a compatible service (`/api/v1`). It knows no
 * tenants: the caller has proved the ownership of an id before it puts the id
 * into an expression, see `promql.ts`.
 */
export interface Api {
  /** The current values. An empty result is no error. */
  query(call: string, expression: string): Effect.Effect<ReadonlyArray<Sample>, UpstreamError>
  range(call: string, expression: string, grid: Grid): Effect.Effect<ReadonlyArray<Series>, UpstreamError>
}

/** Prometheus answers 400 to more points per series. */
export const mostPoints = 11_000

/**
 * The grid of a time range, in whole seconds, with at most `points` steps and
 * none shorter than `least`. Both ends are multiples of the step, so that a
 * repetition of the range a moment later is the same query.
 */
export const gridOf = (span: {
  readonly from: number
  readonly to: number
  readonly least: number
  readonly points: number
}): Grid => {
  const step = Math.max(span.least, Math.ceil((span.to - span.from) / span.points))
  const end = Math.floor(span.to / step) * step
  return { step, end, start: Math.min(end, Math.ceil(span.from / step) * step) }
}

/** The monitoring. `api` is undefined in a cloud without one. */
export class Prometheus extends Context.Service<Prometheus, { readonly api: Api | undefined }>()(
  "portico/upstream/prometheus/Prometheus"
) {
  static readonly layer = Layer.effect(
    Prometheus,
    Effect.gen(function* () {
      const url = yield* Config.option(Config.URL("MONITORING_URL"))
      if (Option.isNone(url)) return Prometheus.of({ api: undefined })
      const token = yield* Config.option(Config.Redacted("MONITORING_TOKEN"))
      const system = make(yield* HttpClient.HttpClient, {
        upstream: "monitoring",
        url: `${baseOf(url.value)}/api/v1`,
        authorize: (request) =>
          Effect.succeed(Option.isNone(token) ? request : HttpClientRequest.bearerToken(request, token.value))
      })
      return Prometheus.of({ api: apiOf(system) })
    })
  )
}

/** A POST with a form, because an expression may exceed the length of a URL. It is still a read. */
const formPost = (path: string, form: Readonly<Record<string, string>>) =>
  HttpClientRequest.post(path).pipe(HttpClientRequest.bodyUrlParams(form))

const apiOf = (system: System): Api => ({
  query: (call, expression) =>
    Effect.map(system.read(call, formPost("/query", { query: expression }), Vector), ({ data }) =>
      data.result.map(({ metric, value: [at, value] }) => ({
        labels: metric,
        at: millisOf(at),
        value: numberOf(value)
      }))
    ),
  range: (call, expression, { end, start, step }) =>
    Effect.map(
      system.read(
        call,
        formPost("/query_range", { query: expression, start: `${start}`, end: `${end}`, step: `${step}` }),
        Matrix
      ),
      ({ data }) =>
        data.result.map(({ metric, values }) => ({
          labels: metric,
          points: values.map(([at, value]) => ({ at: millisOf(at), value: numberOf(value) }))
        }))
    )
})

const Point = Schema.Tuple([Schema.Finite, Schema.String])
const Labels = Schema.Record(Schema.String, Schema.String)

const answerOf = <A extends Schema.Top>(resultType: string, row: A) =>
  Schema.Struct({
    status: Schema.Literal("success"),
    data: Schema.Struct({ resultType: Schema.Literal(resultType), result: Schema.Array(row) })
  })

const Vector = answerOf("vector", Schema.Struct({ metric: Labels, value: Point }))
const Matrix = answerOf("matrix", Schema.Struct({ metric: Labels, values: Schema.Array(Point) }))

/** Prometheus returns seconds with up to three decimals. */
const millisOf = (seconds: number): number => Math.round(seconds * 1000)

/** Prometheus returns numbers as text, including `NaN`, `+Inf` and `-Inf`. */
const numberOf = (text: string): Measured => {
  const value = text.trim() === "" ? Number.NaN : Number(text)
  return Number.isFinite(value) ? value : null
}
