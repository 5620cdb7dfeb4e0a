import { Clock, Effect, Exit } from "effect"
import { HttpClientRequest } from "effect/http"
import { UpstreamMetrics, type Outcome, outcomeOf } from "./UpstreamMetrics.ts"
import { calling, Tracing } from "./Tracing.ts"

/** An upstream call in metrics and spans: a few fixed names, and never an address, an id or any content. */
export interface About {
  /** An upstream, or a service of the platform by its name in the proxy's paths. */
  readonly system: string
  readonly name: string
  readonly method: string
}

/**
 * Counts a call at its end, an interrupted one too, and creates its span. The
 * decoding of the response stays outside, so that the upstream's message is in
 * neither.
 *
 * @param call gets the `traceparent` to send, or undefined without tracing
 */
export const observed = <A extends { readonly status: number }, E, R>(
  about: About,
  call: (traceparent: string | undefined) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => measured(about, ({ status }) => [outcomeOf(status), status], calling(about, call))

/** Like {@link observed}, for a protocol other than HTTP, whose responses have no status. */
export const observedQuestion = <A, E, R>(
  { name, system }: Omit<About, "method">,
  question: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  measured(
    { name, system },
    () => ["answered"],
    Effect.flatMap(Tracing, (traced) =>
      traced
        ? Effect.withSpan(question, `${system} ${name}`, { kind: "client", attributes: { "peer.service": system } })
        : question
    )
  )

/** Adds the `traceparent` of the span to the request, if there is one. */
export const traced = (
  request: HttpClientRequest.HttpClientRequest,
  traceparent: string | undefined
): HttpClientRequest.HttpClientRequest =>
  traceparent === undefined ? request : HttpClientRequest.setHeader(request, "traceparent", traceparent)

const measured = Effect.fnUntraced(function* <A, E, R>(
  { name, system }: Omit<About, "method">,
  resultOf: (answer: A) => readonly [outcome: Outcome, status?: number],
  call: Effect.Effect<A, E, R>
) {
  const calls = (yield* UpstreamMetrics).of(system)
  if (calls === undefined) return yield* call
  const clock = yield* Clock.Clock
  const began = clock.currentTimeMillisUnsafe()
  return yield* Effect.onExit(call, (exit) =>
    Effect.sync(() => {
      const [outcome, status] = Exit.isSuccess(exit) ? resultOf(exit.value) : (["none"] as const)
      calls.over(outcome, clock.currentTimeMillisUnsafe() - began, name, status)
    })
  )
})
