import { Context, Effect, Option, Tracer } from "effect"

/** Whether spans of requests and of upstream calls are made, because somebody collects them. */
export const Tracing = Context.Reference<boolean>("portico/upstream/Tracing", { defaultValue: () => false })

/** The span as the next system is told of it (W3C Trace Context, version 00). */
export const traceparentOf = (span: Tracer.Span): string =>
  `00-${span.traceId.padStart(32, "0")}-${span.spanId}-${span.sampled ? "01" : "00"}`

/**
 * A call of a system behind the gateway as a span: which system, by which
 * method and what status it answered. Neither its address nor a header nor a
 * byte of a body is in it.
 *
 * @param call given the `traceparent` to send on, or undefined where nobody collects spans
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

/** What the client says that the request belongs to. It may say anything: it is linked to, and never a parent. */
export const linksTo = (header: string | undefined): Array<Tracer.SpanLink> => {
  const [, traceId, spanId] = (header === undefined ? undefined : traceparent.exec(header)) ?? []
  return Option.match(Option.all([Option.fromNullishOr(traceId), Option.fromNullishOr(spanId)]), {
    onNone: () => [],
    onSome: ([traceId, spanId]) => [{ span: Tracer.externalSpan({ traceId, spanId }), attributes: {} }]
  })
}
