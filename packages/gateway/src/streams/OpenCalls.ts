import type { Caller } from "@portico/contract/Access"
import { type Failure, Unauthorized } from "@portico/contract/Failures"
import { Callers, type Standing } from "@portico/domain/access/Callers"
import { metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { Cause, Clock, Context, Duration, Effect, Exit, Layer, Option, Semaphore } from "effect"
import { type OpenCall, reasonOf } from "./OpenCall.ts"

/** Interval of the check of every open call: a call ends within this time after the change that forbids it. */
const interval = Duration.seconds(2)

/** Time-out for reading the current state of a caller from the store; the call goes on meanwhile. */
const storeTimeout = Duration.seconds(3)

/** Calls of one round that wait for the store at the same time. */
const storeConcurrency = 16

/** Simultaneous requests to the identity provider, and the pause after a failed one. */
const providerConcurrency = 8
const providerPause = Duration.seconds(5)

/** Milliseconds over which requests about tokens are spread whose cached answers expire together. */
const renewalSpread = 10_000

/**
 * All running calls, whose permission is checked periodically: a credential may be revoked or expire, a person may be
 * removed or demoted, a policy or a network limit may change, a project may be deleted. The check repeats the one
 * that admitted the call, with the current state. Changes in the gateway's own store reach every replica at once. A
 * call that would be refused now is ended.
 *
 * A call that begins and ends between two checks costs only its slot.
 */
export class OpenCalls extends Context.Service<
  OpenCalls,
  {
    enter(call: OpenCall): void
    /** May be called repeatedly. */
    leave(call: OpenCall): void
  }
>()("portico/gateway/streams/OpenCalls") {
  static readonly layer = Layer.effect(
    OpenCalls,
    Effect.gen(function* () {
      const callers = yield* Callers
      const clock = yield* Clock.Clock
      const scope = yield* Effect.scope
      const renewing = yield* Semaphore.make(providerConcurrency)
      const all = yield* metricsRegistry
      // Arrays, not a Set: see `fibers.ts`.
      const slots: Array<OpenCall | undefined> = []
      const free: Array<number> = []
      all.gauge(
        "portico_open_calls",
        "Open calls through the proxies, including streams.",
        {},
        () => slots.length - free.length
      )
      const ended = all.count(
        "portico_open_calls_ended_total",
        "Open calls that were ended because their caller lost the right to them.",
        {}
      )
      let providerPausedUntil = 0

      const end = (call: OpenCall, refusal: Failure) => {
        if (call.slot < 0 || call.refusal !== undefined) return Effect.void
        ended.value += 1
        call.end(refusal)
        return Effect.annotateLogs(Effect.logInfo(`an open call was ended: ${reasonOf(refusal)}`), {
          request_id: call.requestId
        })
      }

      /**
       * Asks the identity provider outside the round, because it may be slow. While it does not answer, the call goes
       * on.
       */
      const renew = (call: OpenCall, renewal: NonNullable<Standing["renewal"]>) =>
        renewing
          .withPermits(1)(renewal)
          .pipe(
            Effect.matchCauseEffect({
              onSuccess: (isGood) => (isGood ? Effect.void : end(call, Unauthorized.tokenNotActive())),
              onFailure: () => Effect.sync(() => void (providerPausedUntil = clock.currentTimeMillisUnsafe() + pause))
            }),
            Effect.ensuring(Effect.sync(() => void (call.renewsAt = undefined)))
          )

      const renewSoon = (call: OpenCall, renewal: NonNullable<Standing["renewal"]>) => {
        const now = clock.currentTimeMillisUnsafe()
        call.renewsAt ??= now + ((call.slot * 997) % renewalSpread)
        if (call.renewsAt > now || providerPausedUntil > now) return Effect.void
        call.renewsAt = Number.POSITIVE_INFINITY
        return Effect.forkIn(renew(call, renewal), scope)
      }

      const apply = (
        call: OpenCall,
        exit: Exit.Exit<Standing, Failure | Cause.TimeoutError>
      ): Effect.Effect<unknown> => {
        if (Exit.isFailure(exit)) {
          const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
          return isRefusal(error) ? end(call, error) : Effect.void
        }
        const { caller, ends, renewal } = exit.value
        if (call.admitted !== undefined) call.admitted = { ...call.admitted, caller }
        call.ends = ends
        if (renewal !== undefined) return renewSoon(call, renewal)
        if (call.renewsAt !== Number.POSITIVE_INFINITY) call.renewsAt = undefined
        return Effect.void
      }

      const reconcile = (call: OpenCall): Effect.Effect<unknown> => {
        const { admitted, ends, recheck } = call
        if (admitted === undefined || recheck === undefined || call.refusal !== undefined || !call.isOpen()) {
          return Effect.void
        }
        const { caller, plane, source, token } = admitted
        const checked = Effect.flatMap(callers.again(token, plane, source, { caller, ends }), (standing) =>
          isOfSameRights(caller, standing.caller)
            ? Effect.as(recheck(standing.caller), standing)
            : Effect.fail(Unauthorized.tokenNotActive())
        )
        return Effect.flatMap(Effect.exit(Effect.timeout(checked, storeTimeout)), (exit) => apply(call, exit))
      }

      const round = Effect.suspend(() =>
        Effect.forEach(
          slots.filter((_) => _ !== undefined),
          reconcile,
          { concurrency: storeConcurrency, discard: true }
        )
      ).pipe(Effect.catchCause((cause) => Effect.logError("open calls could not be checked", cause)))
      yield* Effect.forkScoped(Effect.forever(Effect.delay(round, interval)))

      return OpenCalls.of({
        enter: (call) => {
          const slot = free.pop() ?? slots.length
          slots[slot] = call
          call.slot = slot
        },
        leave: (call) => {
          if (call.slot < 0) return
          slots[call.slot] = undefined
          free.push(call.slot)
          call.slot = -1
        }
      })
    })
  )
}

const pause = Duration.toMillis(providerPause)

/**
 * Whether a failure means that the caller may not make the call. Other failures say nothing about that, and neither does
 * an identity provider that answers with an error.
 */
export const isRefusal = (error: Failure | Cause.TimeoutError | undefined): error is Failure =>
  (error?._tag === "Unauthorized" && error.code !== "introspection_failed") ||
  error?._tag === "Forbidden" ||
  error?._tag === "NotFound" ||
  error?._tag === "Conflict"

/** Whether the call still acts for the same user, project and role. */
const isOfSameRights = (before: Caller, now: Caller): boolean =>
  before.userId === now.userId && before.tenant?.projectId === now.tenant?.projectId && before.admin === now.admin
