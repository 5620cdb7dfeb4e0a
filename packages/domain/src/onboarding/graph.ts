import { Deferred, Duration, Effect, Schedule } from "effect"
import type { StepMessage } from "@portico/store/StepMessage"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import type { Attempt, Step, StepFailure } from "./Step.ts"

/** The step at which a run stopped, and whether one of its calls may still take effect. */
export interface Stopped {
  readonly step: string
  readonly failure: StepFailure
  readonly unsettled: boolean
}

/**
 * Runs all steps, each as soon as its dependencies are done. After the first
 * failure no further step starts, and the running ones finish: an interrupted
 * call would leave open whether it took effect.
 *
 * @param options.last the final step; it starts when all others are done
 * @param options.did called with the name of each step when it is done
 * @param options.isUnwanted true once the client has disconnected; from then on
 * no further step starts either
 */
export const doAll = Effect.fnUntraced(function* <R>(
  attempt: Attempt,
  steps: ReadonlyArray<Step<unknown, R>>,
  options: {
    readonly last?: Step<unknown, R>
    readonly did?: (step: string) => Effect.Effect<void>
    readonly isUnwanted?: () => boolean
  } = {}
) {
  const { did = () => Effect.void, isUnwanted = () => false, last } = options
  const failures: Array<Stopped> = []
  const finished = yield* gates(steps)

  const unlessFailed = (step: Step<unknown, R>) =>
    Effect.suspend(() =>
      failures.length > 0 || isUnwanted() ? Effect.void : Effect.andThen(step.run(attempt), did(step.name))
    ).pipe(
      Effect.catch((failure) => Effect.sync(() => failures.push(stopped(step.name, failure)))),
      Effect.withSpan(`onboard.${step.name}`)
    )

  const doOne = Effect.fnUntraced(function* (step: Step<unknown, R>) {
    yield* awaitAll(finished, step.needs)
    yield* unlessFailed(step)
    yield* open(finished, step.name)
  })

  yield* Effect.forEach(steps, doOne, { concurrency: "unbounded", discard: true })
  if (last !== undefined) yield* unlessFailed(last)
  const [first] = failures
  if (first !== undefined) {
    return yield* Effect.fail<Stopped>({ ...first, unsettled: failures.some((_) => _.unsettled) })
  }
})

export const stopped = (step: string, failure: StepFailure): Stopped => ({
  step,
  failure,
  unsettled: failure._tag === "UpstreamError" && failure.unsettled
})

/**
 * Undoes all steps, each after the steps that need it. An undo that fails does
 * not stop the others, but its dependencies stay: without its project, an
 * orphaned network could not be found again. Steps that are not undone within
 * the time limit are left.
 *
 * @param ended called with the name of each step when its undo has ended, with
 * whatever result
 */
export const undoAll = Effect.fnUntraced(function* <R>(
  attempt: Attempt,
  steps: ReadonlyArray<Step<unknown, R>>,
  timeLimit: Duration.Duration,
  ended: (step: string) => Effect.Effect<void> = () => Effect.void
) {
  const undone = new Set<string>()
  const left = new Map<string, string>()
  const finished = yield* gates(steps)

  const undoOne = Effect.fnUntraced(function* (step: Step<unknown, R>) {
    const dependants = steps.filter((_) => _.needs.includes(step.name)).map((_) => _.name)
    yield* awaitAll(finished, dependants)
    const holding = dependants.filter((_) => left.has(_))
    const message = holding.length > 0 ? `kept until ${holding.join(", ")} is removed` : yield* undoStep(attempt, step)
    if (message === undefined) undone.add(step.name)
    else left.set(step.name, message)
    yield* ended(step.name)
    yield* open(finished, step.name)
  })

  const outOfTime = Effect.sync(() => {
    const unfinished = steps.filter(({ name }) => !undone.has(name) && !left.has(name))
    for (const { name } of unfinished) left.set(name, `not done within ${Duration.format(timeLimit)}`)
  })
  yield* Effect.timeoutOrElse(Effect.forEach(steps, undoOne, { concurrency: "unbounded", discard: true }), {
    duration: timeLimit,
    orElse: () => outOfTime
  })
  return [...left].map(([step, message]): StepMessage => ({ step, message }))
})

/**
 * Undefined when it is undone. A call without any answer was repeated already,
 * and trying on would use up the time of the other steps. A defect in an undo
 * is left behind like a refusal, and logged with its cause.
 */
const undoStep = <R>(attempt: Attempt, step: Step<unknown, R>): Effect.Effect<string | undefined, never, R> =>
  step.undo(attempt).pipe(
    Effect.retry({ times: 3, schedule: undoPause, while: mayPass }),
    Effect.as(undefined),
    Effect.catch((error) => Effect.succeed(error.summary)),
    Effect.catchCause((cause) =>
      Effect.as(Effect.logError(`undo of onboarding step ${step.name} is broken`, cause), "the undo itself is broken")
    ),
    Effect.withSpan(`withdraw.${step.name}`)
  )

const mayPass = (error: UpstreamError): boolean => error.status !== null && (error.transient || error.status === 409)

const undoPause = Schedule.exponential("200 millis")

type Gates = ReadonlyMap<string, Deferred.Deferred<void>>

const gates = <R>(steps: ReadonlyArray<Step<unknown, R>>): Effect.Effect<Gates> =>
  Effect.map(
    Effect.forEach(steps, (step) => Effect.map(Deferred.make<void>(), (gate) => [step.name, gate] as const)),
    (_) => new Map(_)
  )

const awaitAll = (all: Gates, names: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.forEach(
    names,
    (name) => {
      const gate = all.get(name)
      return gate === undefined
        ? Effect.die(new Error(`onboarding step '${name}' is needed and not there`))
        : Deferred.await(gate)
    },
    { discard: true }
  )

const open = (all: Gates, name: string): Effect.Effect<void> => {
  const gate = all.get(name)
  return gate === undefined ? Effect.void : Effect.asVoid(Deferred.succeed(gate, undefined))
}

export const unknownStep = (name: string): StepMessage => ({
  step: name,
  message: "this process does not know the step; start it with the same onboarding steps as the others"
})
