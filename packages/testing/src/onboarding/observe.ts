import { onboard } from "@portico/domain/onboarding/onboard"
import { OnboardingSteps, type Step } from "@portico/domain/onboarding/Step"
import { planFor } from "@portico/domain/onboarding/withdraw"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Cause, Effect, Exit, Option, Schema, Semaphore, type Tracer } from "effect"
import { HttpClient } from "effect/http"
import { inTime } from "../clock.ts"
import { differenceOf, type Resource } from "../cloud/leftovers.ts"
import { buildAnotherProcess } from "../cloud/Simulated.ts"
import { type NamedCall, named } from "../faults/calls.ts"
import { messageOf } from "./Violation.ts"

/** An upstream call with the step that asks. */
export interface ObservedCall extends NamedCall {
  readonly step: string
}

/** A resource with the call that makes it. */
export interface Made extends Resource {
  readonly call: ObservedCall
}

/** An onboarding in which nothing fails. */
export interface Observation {
  /** In the order of their arrival. */
  readonly calls: ReadonlyArray<ObservedCall>
  /** All that the cloud holds at the end, beside what it held before. */
  readonly made: ReadonlyArray<Made>
}

/** The onboarding does not even work when nothing fails, so that nothing can be learnt from faults. */
export class DoesNotWork extends Schema.TaggedError<DoesNotWork>()("DoesNotWork", { message: Schema.String }) {}

/** The calls that no step makes: the admission looks for room before the first one. */
const beforeTheSteps = "admission"

/**
 * Onboards a tenant, and sees which step makes which calls and which resources.
 * One call is answered at a time, so that a change of the cloud is that call's.
 */
export const observe = Effect.fnUntraced(function* (request: Parameters<typeof onboard>[0]) {
  const cloud = yield* SimulatedCloud
  const oneAtATime = yield* Semaphore.make(1)
  const currentStep = stepOf(new Set((yield* planFor(null)).names))
  const steps: Array<string> = []
  const appeared: Array<Resource & { readonly index: number }> = []
  const empty = yield* cloud.state
  let before = empty

  const client = HttpClient.transform(yield* HttpClient.HttpClient, (answer) =>
    Effect.ensuring(
      answer,
      Effect.gen(function* () {
        const step = yield* currentStep
        const state = yield* cloud.state
        const index = steps.push(step) - 1
        appeared.push(...differenceOf(before, state).added.map((_) => ({ ..._, index })))
        before = state
      })
    ).pipe(Semaphore.withPermit(oneAtATime))
  )
  const process = yield* buildAnotherProcess.pipe(Effect.provideService(HttpClient.HttpClient, client))
  yield* cloud.clearCalls
  const exit = yield* Effect.exit(
    Effect.provideContext(
      Effect.updateService(inTime(onboard(request)), OnboardingSteps, (_) => _.map(tellingItsName)),
      process
    )
  )
  if (Exit.isFailure(exit)) return yield* new DoesNotWork({ message: reasonOf(exit.cause) })

  const calls = named(yield* cloud.calls).map((call, index) => ({ ...call, step: steps[index] ?? beforeTheSteps }))
  const made = differenceOf(empty, yield* cloud.state).added.flatMap((resource) => {
    const found = appeared.find((_) => _.kind === resource.kind && _.name === resource.name)
    const call = found && calls[found.index]
    return call === undefined ? [] : [{ ...resource, call }]
  })
  return { calls, made } satisfies Observation
}, Effect.scoped)

/** An exception of a step says of which one it is. */
const tellingItsName = (step: Step): Step => ({
  ...step,
  run: (attempt) =>
    Effect.catchDefect(step.run(attempt), (defect) =>
      Effect.die(new Error(`the step '${step.name}' threw: ${messageOf(defect)}`))
    )
})

const reasonOf = (cause: Cause.Cause<{ readonly detail: string }>): string => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  return error === undefined ? messageOf(Cause.squash(cause)) : error.detail
}

/** The step in whose span the fiber is. */
const stepOf = (names: ReadonlySet<string>) => {
  const nameOf = (span: Tracer.AnySpan): string => {
    if (span._tag === "ExternalSpan") return beforeTheSteps
    const name = span.name.replace(/^onboard\./, "")
    if (name !== span.name && names.has(name)) return name
    return Option.match(span.parent, { onNone: () => beforeTheSteps, onSome: nameOf })
  }
  return Effect.map(Effect.option(Effect.currentParentSpan), (_) =>
    Option.match(_, { onNone: () => beforeTheSteps, onSome: nameOf })
  )
}
