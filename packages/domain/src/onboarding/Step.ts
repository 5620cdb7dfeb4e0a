import type { Tier } from "@portico/contract/Tiers"
import type { Owner } from "@portico/store/Journal"
import { Taken, type UpstreamError } from "@portico/upstream/UpstreamError"
import { Context, Effect, Layer } from "effect"

/** One try to onboard a tenant, as every step sees it, forward and backward. */
export interface Attempt {
  readonly id: string
  readonly slug: string
  /** The organisation's name as it was given. */
  readonly name: string
  readonly tier: Tier
  /** What everything that this attempt makes carries, and by which alone it is removed: `portico-attempt:<id>`. */
  readonly stamp: string
  /**
   * Going backward, the attempt's project, when there ever was one: an undo
   * finds by it what landed late, though the project itself may be gone.
   * Undefined going forward, where the project is what its step made.
   */
  readonly projectId: string | undefined
  /** Whose tenant it becomes, when it is made for a person; that person's login is made last. */
  readonly owner: Owner | undefined
}

/** How a step may fail: an upstream did, or what it wants to make is there and somebody else's. */
export type StepFailure = UpstreamError | Taken

/**
 * A step of onboarding: a name, what it needs, its do and its undo side by
 * side. Make one with {@link step}. The type carries the name, so that two
 * steps that make the same thing are not taken for each other.
 */
export interface Step<out Made = unknown, out R = never, out Name extends string = string> {
  readonly name: Name
  /** Names of the steps that have to be done before, and undone after. */
  readonly needs: ReadonlyArray<string>
  /** Does the step and remembers what it made. */
  run(attempt: Attempt): Effect.Effect<unknown, StepFailure, R>
  /** {@link run}, unless what it makes is there already: for bringing back what was removed from a tenant. */
  ensure(attempt: Attempt): Effect.Effect<unknown, StepFailure, R>
  /** What the step made in this attempt. A defect when it has not run. */
  made(attempt: Attempt): Made
  undo(attempt: Attempt): Effect.Effect<void, UpstreamError, R>
}

/** Reads what a needed step made. A step that was not declared under `needs` does not compile. */
export type MadeBy<Needs> = <A>(step: Step<A, unknown> & Needs) => A

/**
 * Makes a step.
 *
 * `do` runs when all that it `needs` is done, beside every other step whose
 * needs are met. What it makes carries `attempt.stamp`. `undo` gets nothing
 * but the attempt, because it may run in another process than `do`: it finds
 * what to remove by name and stamp, accepts that it is gone already, and
 * touches nothing without the stamp. Both may run again. `find` is for steps
 * that a tenant's network is brought back by: what the step made earlier, or
 * undefined.
 */
export const step = <
  const Name extends string,
  Made,
  R,
  RU = never,
  RF = never,
  Needs extends Step<unknown, unknown> = never
>(options: {
  readonly name: Name
  readonly needs?: ReadonlyArray<Needs>
  readonly do: (attempt: Attempt, made: MadeBy<Needs>) => Effect.Effect<Made, StepFailure, R>
  readonly find?: (attempt: Attempt, made: MadeBy<Needs>) => Effect.Effect<Made | undefined, StepFailure, RF>
  readonly undo: (attempt: Attempt) => Effect.Effect<void, UpstreamError, RU>
}): Step<Made, R | RU | RF, Name> => {
  const results = new WeakMap<Attempt, { readonly value: Made }>()
  const remember = (attempt: Attempt) => (value: Made) => {
    results.set(attempt, { value })
  }
  const find = options.find ?? (() => Effect.undefined)
  const run = (attempt: Attempt) =>
    Effect.map(
      options.do(attempt, (needed) => needed.made(attempt)),
      remember(attempt)
    )
  return {
    name: options.name,
    needs: (options.needs ?? []).map((_) => _.name),
    run,
    ensure: (attempt) =>
      Effect.flatMap(
        find(attempt, (needed) => needed.made(attempt)),
        (found): ReturnType<typeof run> =>
          found === undefined ? run(attempt) : Effect.sync(() => remember(attempt)(found))
      ),
    made: (attempt) => {
      const result = results.get(attempt)
      if (result === undefined) throw new Error(`step ${options.name} has not run`)
      return result.value
    },
    undo: options.undo
  }
}

/**
 * The steps that a platform adds to every onboarding: under the same journal,
 * the same rollback and the same lease as the built-in ones. All replicas have
 * to be given the same ones.
 */
export class OnboardingSteps extends Context.Reference<ReadonlyArray<Step>>("portico/domain/OnboardingSteps", {
  defaultValue: () => []
}) {
  /** Adds steps to those of the context. What they require is taken from there too. */
  static readonly layer = <R extends ReadonlyArray<unknown>>(
    ...steps: { readonly [I in keyof R]: Step<unknown, R[I]> }
  ): Layer.Layer<never, never, R[number]> => Layer.effect(OnboardingSteps, joined(steps))
}

/** Each step with what it requires, behind the steps of the context. */
const joined = Effect.fnUntraced(function* <R>(steps: ReadonlyArray<Step<unknown, R>>) {
  const context = yield* Effect.context<R>()
  const own = steps.map((_) => ({
    ..._,
    run: (attempt: Attempt) => Effect.provideContext(_.run(attempt), context),
    ensure: (attempt: Attempt) => Effect.provideContext(_.ensure(attempt), context),
    undo: (attempt: Attempt) => Effect.provideContext(_.undo(attempt), context)
  }))
  return [...(yield* OnboardingSteps), ...own]
})
