import { Config, Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { make, type System } from "../System.ts"
import type { UpstreamError } from "../UpstreamError.ts"
import { baseOf } from "../webAddress.ts"

/** What was measured: null for what is no number, and for what JSON has no number for. */
export type Measured = number | null

export interface Sample {
  readonly labels: Readonly<Record<string, string>>
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly value: Measured
}

export interface Series {
  readonly labels: Readonly<Record<string, string>>
  /** Oldest first. Where nothing was measured there is no point. */
  readonly points: ReadonlyArray<Pick<Sample, "at" | "value">>
}

/** Moments from `start` to `end`, both included, `step` apart; in whole seconds since the epoch. */
export interface Grid {
  readonly start: number
  readonly end: number
  readonly step: number
}

/**
 * The questions that a Prometheus, or what speaks like one, answers
 * (`/api/v1`). It knows no tenants: whose an id is has been proved before it
 * comes into an expression, see `promql.ts`.
 */
export interface Api {
  /** Now. No series is no error. */
  query(call: string, expression: string): Effect.Effect<ReadonlyArray<Sample>, UpstreamError>
  range(call: string, expression: string, grid: Grid): Effect.Effect<ReadonlyArray<Series>, UpstreamError>
}

/** Prometheus refuses more points of one series with a 400. */
export const mostPoints = 11_000

/**
 * The grid of a span, in whole seconds, with at most so many steps and none
 * shorter than `least`: both ends lie on multiples of the step, so that the
 * same span asked for again a moment later is the same question.
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

/** The monitoring, which a cloud may lack: then there is no `api`. */
export class Prometheus extends Context.Service<Prometheus, { readonly api: Api | undefined }>()(
  "portico/upstream/prometheus/Prometheus"
) {
  static readonly layer = Layer.effect(
    Prometheus,
    Effect.gen(function* () {
      const url = yield* Config.option(Config.URL("MONITORING_URL"))
      if (Option.isNone(url)) return Prometheus.of({ api: undefined })
      const token = yield* Config.option(Config.Redacted("MONITORING_TOKEN"))
      const base = `${baseOf(url.value)}/api/v1`
      const system = make(yield* HttpClient.HttpClient, {
        upstream: "monitoring",
        url: base,
        authorize: (request) => {
          const plain = request.pipe(HttpClientRequest.prependUrl(base), HttpClientRequest.acceptJson)
          return Effect.succeed(
            Option.match(token, {
              onNone: () => plain,
              onSome: (_) => HttpClientRequest.bearerToken(plain, Redacted.value(_))
            })
          )
        },
        rejected: Effect.succeed(false)
      })
      return Prometheus.of({ api: apiOf(system) })
    })
  )
}

/** A form, because an expression may be longer than an address may. It is a read all the same. */
const asked = (path: string, form: Readonly<Record<string, string>>) =>
  HttpClientRequest.post(path).pipe(HttpClientRequest.bodyUrlParams(form))

const apiOf = (system: System): Api => ({
  query: (call, expression) =>
    Effect.map(system.read(call, asked("/query", { query: expression }), Vector), ({ data }) =>
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
        asked("/query_range", { query: expression, start: `${start}`, end: `${end}`, step: `${step}` }),
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

/** Seconds come with up to three decimals. */
const millisOf = (seconds: number): number => Math.round(seconds * 1000)

/** Numbers come as text, and `NaN`, `+Inf` and `-Inf` among them. */
const numberOf = (text: string): Measured => {
  const value = text.trim() === "" ? Number.NaN : Number(text)
  return Number.isFinite(value) ? value : null
}
