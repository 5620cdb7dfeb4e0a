import { linksTo, Tracing } from "@portico/upstream/Tracing"
import { baseOf } from "@portico/upstream/webAddress"
import { Config, Effect, Layer, Option, Predicate } from "effect"
import { Headers, HttpBody, HttpClient, HttpMiddleware } from "effect/http"
import { OtlpMetrics, OtlpSerialization, OtlpTracer } from "effect/observability"
import { scrubbedIn } from "./scrub.ts"

/** Headers that are redacted everywhere. */
const redacted = [/^x-amz-/, /authorization|cookie|api-key|secret|signature|password|token/]

/** Spans contain error messages, and those may contain messages of upstream systems with secrets. */
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
 * Exports traces and metrics to the collector at `OTLP_URL` (OTLP over HTTP, as JSON). Without the setting nothing is
 * exported, at no cost. The spans of the HTTP library are off: they contain addresses with their queries, and trust
 * the trace id that a client sends.
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
 * Makes a request the root span of a new trace, whose id its log lines carry. The trace that the client named becomes
 * a link.
 *
 * @param route the endpoint's declared route, never a path
 * @param statusOf the answered status; undefined when there was no answer
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
