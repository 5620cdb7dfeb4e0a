import type { Tier } from "@portico/contract/Tiers"
import type { JournalEntry, Owner } from "@portico/store/Journal"
import { attemptStamp } from "@portico/upstream/keystone/Keystone"
import { Taken, type UpstreamError } from "@portico/upstream/UpstreamError"
import { Context, Effect, Layer } from "effect"

/** One attempt to onboard a tenant, as every step sees it, forward and backward. */
export interface Attempt {
  readonly id: string
  readonly slug: string
  /** The organisation's name as the client sent it. */
  readonly name: string
  readonly tier: Tier
  /**
   * The mark on every resource that this attempt creates:
   * `portico-attempt:<id>`. A rollback removes only what carries it.
   */
  readonly stamp: string
  /**
   * During a rollback, the attempt's project, if there ever was one: an undo
   * finds by it what was created late, even when the project itself is gone.
   * Undefined going forward, where the project is the result of its step.
   */
  readonly projectId: string | undefined
  /** The person that the tenant is made for, if any. This person's login is created last. */
  readonly owner: Owner | undefined
}

/** How a step may fail: an upstream failed, or the resource exists already and belongs to another owner. */
export type StepFailure = UpstreamError | Taken

/**
 * A step of onboarding: a name, its dependencies, and do and undo side by side.
 * Make one with {@link step}. The type carries the name, so the compiler
 * distinguishes two steps with the same result.
 */
export interface Step<out Made = unknown, out R = never, out Name extends string = string> {
  readonly name: Name
  /** Names of the steps that are done before this one, and undone after it. */
  readonly needs: ReadonlyArray<string>
  /** Runs the step and remembers its result. */
  run(attempt: Attempt): Effect.Effect<unknown, StepFailure, R>
  /** {@link run}, unless the resource exists already. Restores what was removed from a tenant. */
  ensure(attempt: Attempt): Effect.Effect<unknown, StepFailure, R>
  /** The result of the step in this attempt. A defect when the step has not run. */
  made(attempt: Attempt): Made
  /** The same; undefined when the step has not run. */
  result(attempt: Attempt): Made | undefined
  undo(attempt: Attempt): Effect.Effect<void, UpstreamError, R>
}

/** Reads the result of a needed step. Reading a step that is not declared under `needs` does not compile. */
export type MadeBy<Needs> = <A>(step: Step<A, unknown> & Needs) => A

/**
 * Makes a step.
 *
 * `do` runs as soon as all of `needs` is done, in parallel with every other
 * step that is ready. What it creates carries `attempt.stamp`. `undo` gets
 * nothing but the attempt, because it may run in another process than `do`: it
 * finds what to remove by name and stamp, succeeds when that is gone already,
 * and touches nothing without the stamp. Both may run again. `find` is for
 * steps that restore a tenant's network: it returns what the step made earlier,
 * or undefined.
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
    result: (attempt) => results.get(attempt)?.value,
    undo: options.undo
  }
}

/**
 * The steps that a platform adds to every onboarding, under the same journal,
 * rollback and lease as the built-in ones. All replicas need the same steps.
 */
export class OnboardingSteps extends Context.Reference<ReadonlyArray<Step>>("portico/domain/OnboardingSteps", {
  defaultValue: () => []
}) {
  /** Adds steps to those of the context. What they require is taken from there too. */
  static readonly layer = <R extends ReadonlyArray<unknown>>(
    ...steps: { readonly [I in keyof R]: Step<unknown, R[I]> }
  ): Layer.Layer<never, never, R[number]> => Layer.effect(OnboardingSteps, appended(steps))
}

/** The steps of the context, followed by these steps, each with its requirements provided. */
const appended = Effect.fnUntraced(function* <R>(steps: ReadonlyArray<Step<unknown, R>>) {
  const context = yield* Effect.context<R>()
  const own = steps.map((_) => ({
    ..._,
    run: (attempt: Attempt) => Effect.provideContext(_.run(attempt), context),
    ensure: (attempt: Attempt) => Effect.provideContext(_.ensure(attempt), context),
    undo: (attempt: Attempt) => Effect.provideContext(_.undo(attempt), context)
  }))
  return [...(yield* OnboardingSteps), ...own]
})

export const attemptOf = (entry: JournalEntry): Attempt => ({
  id: entry.attempt_id,
  slug: entry.slug,
  name: entry.name,
  tier: entry.tier,
  stamp: attemptStamp(entry.attempt_id),
  projectId: entry.project_id ?? undefined,
  owner: entry.owner ?? undefined
})
