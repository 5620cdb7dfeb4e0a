import type { Caller } from "@portico/contract/Access"
import { type Failure, Unauthorized } from "@portico/contract/Failures"
import { Callers, type Standing } from "@portico/domain/access/Callers"
import { metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { Cause, Clock, Context, Duration, Effect, Exit, Layer, Option, Semaphore } from "effect"
import { type OpenCall, reasonOf } from "./OpenCall.ts"

/** How often every open call is looked at: it ends within this time of the change that ends it. */
const interval = Duration.seconds(2)

/** How long the store may take to say who a caller is by now; the call goes on meanwhile. */
const storeTimeout = Duration.seconds(3)

/** Questions of one round that may wait for the store at once. */
const askedAtOnce = 16

/** Questions to the identity provider at once, and how long none is asked after one that failed. */
const renewedAtOnce = 8
const providerPause = Duration.seconds(5)

/** The questions about tokens whose answers became too old together are spread over so many milliseconds. */
const renewalSpread = 10_000

/**
 * All calls under way, whose right to go on is looked at again and again: a
 * credential may be revoked or expire, a person be removed or demoted, a policy
 * or a network limit be changed, a project be deleted. The question is the one
 * that let the call in, put to what is known by now; our own store's changes
 * are heard of at once in every replica. A call that would be refused now ends.
 *
 * A call that comes and goes between two looks costs nothing but its place.
 */
export class OpenCalls extends Context.Service<
  OpenCalls,
  {
    enter(call: OpenCall): void
    /** May be repeated. */
    leave(call: OpenCall): void
  }
>()("portico/gateway/streams/OpenCalls") {
  static readonly layer = Layer.effect(
    OpenCalls,
    Effect.gen(function* () {
      const callers = yield* Callers
      const clock = yield* Clock.Clock
      const scope = yield* Effect.scope
      const renewing = yield* Semaphore.make(renewedAtOnce)
      const all = yield* metricsRegistry
      // Arrays and no Set: see `underWay.ts`.
      const places: Array<OpenCall | undefined> = []
      const free: Array<number> = []
      all.gauge(
        "portico_open_calls",
        "Calls under way through the proxies, streams among them.",
        {},
        () => places.length - free.length
      )
      const ended = all.count(
        "portico_open_calls_ended_total",
        "Open calls that were ended because their caller lost the right to them.",
        {}
      )
      let providerAsksFrom = 0

      const end = (call: OpenCall, refusal: Failure) => {
        if (call.place < 0 || call.refusal !== undefined) return Effect.void
        ended.value += 1
        call.end(refusal)
        return Effect.annotateLogs(Effect.logInfo(`an open call was ended: ${reasonOf(refusal)}`), {
          request_id: call.requestId
        })
      }

      /** Asks the identity provider, apart from the round: it may be slow. While it cannot be asked, the call goes on. */
      const renew = (call: OpenCall, renewal: NonNullable<Standing["renewal"]>) =>
        renewing
          .withPermits(1)(renewal)
          .pipe(
            Effect.matchCauseEffect({
              onSuccess: (isGood) => (isGood ? Effect.void : end(call, Unauthorized.tokenNotActive())),
              onFailure: () => Effect.sync(() => void (providerAsksFrom = clock.currentTimeMillisUnsafe() + pause))
            }),
            Effect.ensuring(Effect.sync(() => void (call.renewsAt = undefined)))
          )

      const renewSoon = (call: OpenCall, renewal: NonNullable<Standing["renewal"]>) => {
        const now = clock.currentTimeMillisUnsafe()
        call.renewsAt ??= now + ((call.place * 997) % renewalSpread)
        if (call.renewsAt > now || providerAsksFrom > now) return Effect.void
        call.renewsAt = Number.POSITIVE_INFINITY
        return Effect.forkIn(renew(call, renewal), scope)
      }

      const concluded = (
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

      const look = (call: OpenCall): Effect.Effect<unknown> => {
        const { admitted, ends, holds } = call
        if (admitted === undefined || holds === undefined || call.refusal !== undefined || !call.isOpen()) {
          return Effect.void
        }
        const { caller, plane, source, token } = admitted
        const asked = Effect.flatMap(callers.again(token, plane, source, { caller, ends }), (standing) =>
          isOfSameRights(caller, standing.caller)
            ? Effect.as(holds(standing.caller), standing)
            : Effect.fail(Unauthorized.tokenNotActive())
        )
        return Effect.flatMap(Effect.exit(Effect.timeout(asked, storeTimeout)), (exit) => concluded(call, exit))
      }

      const round = Effect.suspend(() =>
        Effect.forEach(
          places.filter((_) => _ !== undefined),
          look,
          { concurrency: askedAtOnce, discard: true }
        )
      ).pipe(Effect.catchCause((cause) => Effect.logError("open calls could not be looked at", cause)))
      yield* Effect.forkScoped(Effect.forever(Effect.delay(round, interval)))

      return OpenCalls.of({
        enter: (call) => {
          const place = free.pop() ?? places.length
          places[place] = call
          call.place = place
        },
        leave: (call) => {
          if (call.place < 0) return
          places[call.place] = undefined
          free.push(call.place)
          call.place = -1
        }
      })
    })
  )
}

const pause = Duration.toMillis(providerPause)

/** Failures that say of the caller that it may not; the others say nothing of it. */
const isRefusal = (error: Failure | Cause.TimeoutError | undefined): error is Failure =>
  error?._tag === "Unauthorized" ||
  error?._tag === "Forbidden" ||
  error?._tag === "NotFound" ||
  error?._tag === "Conflict"

/** Whether the caller still acts for what the call was let in for. */
const isOfSameRights = (before: Caller, now: Caller): boolean =>
  before.userId === now.userId && before.tenant?.projectId === now.tenant?.projectId && before.admin === now.admin
