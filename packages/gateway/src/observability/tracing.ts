import { linksTo, Tracing } from "@portico/upstream/Tracing"
import { baseOf } from "@portico/upstream/webAddress"
import { Config, Effect, Layer, Option, Predicate } from "effect"
import { Headers, HttpBody, HttpClient, HttpMiddleware } from "effect/http"
import { OtlpMetrics, OtlpSerialization, OtlpTracer } from "effect/observability"
import { scrubbedIn } from "./scrub.ts"

/** Headers that nothing shows, wherever one might be shown. */
const redacted: ReadonlyArray<string | RegExp> = [
  "authorization",
  "proxy-authorization",
  "cookie",
  "set-cookie",
  "x-api-key",
  "x-auth-token",
  "x-subject-token",
  "x-service-token",
  "x-storage-token",
  /^x-amz-/,
  /secret|signature|password|token/
]

/** Spans hold what errors say, and errors hold what systems say. */
export const Serialization = Layer.succeed(OtlpSerialization.OtlpSerialization, {
  traces: (data) => HttpBody.jsonUnsafe(scrubbedIn(data)),
  metrics: (data) => HttpBody.jsonUnsafe(data),
  logs: (data) => HttpBody.jsonUnsafe(scrubbedIn(data))
})

const exporters = (base: string) => {
  const options = { resource: { serviceName: "portico" } }
  return Layer.mergeAll(
    OtlpTracer.layer({ ...options, url: `${base}/v1/traces` }),
    OtlpMetrics.layer({ ...options, url: `${base}/v1/metrics` })
  ).pipe(Layer.provide(Serialization))
}

/**
 * Sends traces and metrics to the collector at `OTLP_URL` (OTLP over HTTP, as
 * JSON). Without the setting there are none, and they cost nothing. The spans
 * of the HTTP library are off: they hold addresses with their queries, and
 * believe a client that says which trace its request belongs to.
 */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const url = yield* Config.option(Config.URL("OTLP_URL"))
    if (Option.isNone(url)) return Layer.empty
    return Layer.mergeAll(
      exporters(baseOf(url.value)),
      Layer.succeed(Tracing, true),
      Layer.succeed(HttpMiddleware.TracerDisabledWhen, () => true),
      Layer.succeed(HttpClient.TracerDisabledWhen, () => true),
      Layer.succeed(Headers.CurrentRedactedNames, redacted)
    )
  })
)

/**
 * A request as the first span of a trace of our own, under whose id it is
 * logged; the trace that the client named is linked to.
 *
 * @param route of the endpoint, never a path
 * @param statusOf what was answered; undefined when nothing was
 */
export const asRequest =
  (about: {
    readonly method: string
    readonly route: string
    readonly traceparent: string | undefined
    readonly requestId: string
  }) =>
  <A, E, R>(request: Effect.Effect<A, E, R>, statusOf: (answer: A) => number | undefined): Effect.Effect<A, E, R> =>
    Effect.useSpan(
      `${about.method} ${about.route}`,
      {
        root: true,
        kind: "server",
        links: linksTo(about.traceparent),
        attributes: {
          "http.request.method": about.method,
          "http.route": about.route,
          "portico.request_id": about.requestId
        }
      },
      (span) =>
        request.pipe(
          Effect.tap((answer) =>
            Effect.sync(() => {
              const status = statusOf(answer)
              if (Predicate.isNotUndefined(status)) span.attribute("http.response.status_code", status)
            })
          ),
          Effect.withParentSpan(span),
          Effect.annotateLogs("trace_id", span.traceId)
        )
    )
