import { attendWake } from "@portico/domain/accounts/wake"
import { Duration, Effect, Layer, Schedule } from "effect"
import { run } from "./run.ts"

/** One account that is slow to destroy, or whose systems do not answer, does not keep the others waiting. */
const workers = 4

/** Ends the accounts whose window is over. Every replica runs it; each wake goes to one. */
export const ClosureJob = Layer.effectDiscard(
  Effect.gen(function* () {
    const worker = run("closures", "a wake of an account could not be attended to", attendWake).pipe(
      // Nothing is waited for but after a failure of the queue itself, which would be met again at once.
      Effect.repeat(Schedule.spaced(Duration.seconds(1)))
    )
    for (let count = 0; count < workers; count++) yield* Effect.forkScoped(worker)
  })
)
