import { Clock, Effect, Exit } from "effect"
import { HttpClientRequest } from "effect/http"
import { UpstreamMetrics, type Outcome, outcomeOf } from "./UpstreamMetrics.ts"
import { calling, Tracing } from "./Tracing.ts"

/**
 * A call of what stands behind the gateway, to those who look at it: words of ours, of which there are few, and never an
 * address, an id or anything of what is said.
 */
export interface About {
  /** A system, or a service of the platform as the proxy's paths name it. */
  readonly system: string
  readonly name: string
  readonly method: string
}

/**
 * Counts a call when it is over, one that was cut off too, and makes a span of it. What is made of the answer stands
 * outside: what a system says in words belongs to neither.
 *
 * @param call given the `traceparent` to send on, or undefined where nobody collects spans
 */
export const observed = <A extends { readonly status: number }, E, R>(
  about: About,
  call: (traceparent: string | undefined) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => measured(about.system, ({ status }) => outcomeOf(status), calling(about, call))

/** The same of a question that is asked in another protocol than HTTP, where an answer has no status. */
export const observedQuestion = <A, E, R>(
  { name, system }: Omit<About, "method">,
  question: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  measured(
    system,
    () => "answered",
    Effect.flatMap(Tracing, (traced) =>
      traced
        ? Effect.withSpan(question, `${system} ${name}`, { kind: "client", attributes: { "peer.service": system } })
        : question
    )
  )

/** The request with the `traceparent` of its span, where there is one. */
export const traced = (
  request: HttpClientRequest.HttpClientRequest,
  traceparent: string | undefined
): HttpClientRequest.HttpClientRequest =>
  traceparent === undefined ? request : HttpClientRequest.setHeader(request, "traceparent", traceparent)

const measured = Effect.fnUntraced(function* <A, E, R>(
  system: string,
  came: (answer: A) => Outcome,
  call: Effect.Effect<A, E, R>
) {
  const calls = (yield* UpstreamMetrics).of(system)
  if (calls === undefined) return yield* call
  const clock = yield* Clock.Clock
  const began = clock.currentTimeMillisUnsafe()
  return yield* Effect.onExit(call, (exit) =>
    Effect.sync(() =>
      calls.over(Exit.isSuccess(exit) ? came(exit.value) : "none", clock.currentTimeMillisUnsafe() - began)
    )
  )
})
