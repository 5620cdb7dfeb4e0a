import { Context, Effect, Option, Tracer } from "effect"

/** Whether requests and upstream calls create spans, because an exporter is configured. */
export const Tracing = Context.Reference<boolean>("portico/upstream/Tracing", { defaultValue: () => false })

/** The `traceparent` header of a span (W3C Trace Context, version 00). */
export const traceparentOf = (span: Tracer.Span): string =>
  `00-${span.traceId.padStart(32, "0")}-${span.spanId}-${span.sampled ? "01" : "00"}`

/**
 * An upstream call as a span with the system, the method and the response's
 * status. It contains no address, no header and no byte of a body.
 *
 * @param call gets the `traceparent` to send, or undefined without tracing
 */
export const calling = <A extends { readonly status: number }, E, R>(
  about: { readonly system: string; readonly name: string; readonly method: string },
  call: (traceparent: string | undefined) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(Tracing, (traced) =>
    traced
      ? Effect.useSpan(
          `${about.system} ${about.name}`,
          { kind: "client", attributes: { "peer.service": about.system, "http.request.method": about.method } },
          (span) =>
            Effect.tap(Effect.withParentSpan(call(traceparentOf(span)), span), ({ status }) =>
              Effect.sync(() => span.attribute("http.response.status_code", status))
            )
        )
      : call(undefined)
  )

const traceparent = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/

/**
 * A link to the trace that the client names. The client can send any value, so
 * it becomes a link and never a parent.
 */
export const linksTo = (header: string | undefined): Array<Tracer.SpanLink> => {
  const [, traceId, spanId] = (header === undefined ? undefined : traceparent.exec(header)) ?? []
  return Option.match(Option.all([Option.fromNullishOr(traceId), Option.fromNullishOr(spanId)]), {
    onNone: () => [],
    onSome: ([traceId, spanId]) => [{ span: Tracer.externalSpan({ traceId, spanId }), attributes: {} }]
  })
}
