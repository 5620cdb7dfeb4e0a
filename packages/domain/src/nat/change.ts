import { Conflict, type NotFound } from "@portico/contract/Failures"
import { Nat, type Router } from "@portico/upstream/neutron/Nat"
import { UpstreamError } from "@portico/upstream/UpstreamError"
import { Data, Effect, Schedule } from "effect"
import { refusal } from "../refusal.ts"

class NotWritten extends Data.TaggedError("NotWritten")<{ readonly error: UpstreamError }> {
  /** Whether another attempt may find that the write took effect, or what to write instead. */
  get mayPass(): boolean {
    const { status, transient, unsettled } = this.error
    return transient || unsettled || status === 404 || status === 412
  }
}

/** Turns SNAT on or off. The last step of a {@link changing}. */
export const writeSnat = Effect.fnUntraced(function* (router: Router, networkId: string, snat: boolean) {
  return yield* Effect.mapError((yield* Nat).setSnat({ router, networkId, snat }), (error) => new NotWritten({ error }))
})

/**
 * Runs a change that reads the routers first and writes one of them last. It
 * starts again when the router was changed in between (412), is gone (404), or
 * when the answer was lost: the next read then shows what the write did.
 * Neutron checks the router's revision number on a write, so a change never
 * overwrites another one unseen, and no lock is needed.
 *
 * Errors: the change's own, and an upstream's failure as {@link refusal} maps
 * it.
 */
export const changing = <A, E extends NotFound | Conflict, R>(
  change: Effect.Effect<A, E | NotWritten | UpstreamError, R>
) =>
  change.pipe(
    Effect.retry({
      times: 3,
      schedule: Schedule.exponential("100 millis"),
      while: (error) => error._tag === "NotWritten" && error.mayPass
    }),
    Effect.mapError((error) => {
      if (error instanceof UpstreamError) return refusal(error)
      if (!(error instanceof NotWritten)) return error
      return error.error.status === 412 ? Conflict.concurrentChange("the tenant's router") : refusal(error.error)
    })
  )
