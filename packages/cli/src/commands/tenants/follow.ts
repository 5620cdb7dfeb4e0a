import type { PorticoError } from "@portico/client/PorticoError"
import type { OnboardingRow } from "@portico/contract/Journal"
import { Clock, Context, Duration, Effect, Ref } from "effect"
import type { Portico } from "../../Portico.ts"
import type { Progress } from "../../waiting/progress.ts"
import { journalOf } from "../operator/journal.ts"
import { took } from "../operator/words.ts"

/** How often the journal is read while an onboarding runs. */
export const FollowPause = Context.Reference<Duration.Duration>("portico/cli/FollowPause", {
  defaultValue: () => Duration.millis(300)
})

/** What was seen of an attempt. */
export interface Seen {
  /** Its entry in the journal as it was last read; undefined when it was never there. */
  readonly entry: OnboardingRow | undefined
  /** The steps that were shown as done. */
  readonly done: ReadonlyArray<string>
}

/** The journal's entries of a name. */
export const entriesOf = (portico: Portico, name: string) =>
  Effect.map(journalOf(portico), (rows) => rows.filter((_) => _.name === name))

const nowOf = ({ state, step, steps }: OnboardingRow): string => {
  const done = steps.filter((_) => _.done).length
  switch (state) {
    case "running":
      return `${step ?? "the last of it"}, ${done} of ${steps.length} steps done`
    case "withdrawing":
      return step === null ? "it is rolled back" : `it is rolled back: ${step}`
    case "stuck":
      return "the rollback is stuck"
    case "resting":
      return "it is removed"
  }
}

/** The name of the tenant, and the attempts of that name that are none of this call's. */
interface Followed {
  readonly name: string
  readonly earlier: ReadonlySet<string>
  readonly progress: Progress
  readonly seen: Ref.Ref<Seen>
}

/**
 * Runs a call that onboards a tenant, and reads the journal beside it: each step
 * is shown when it is first seen to be done, with the time since the beginning.
 * A journal that cannot be read hides the steps and fails nothing.
 */
export const followed = Effect.fnUntraced(function* <A, E>(
  portico: Portico,
  call: Effect.Effect<A, E>,
  { earlier, name, progress, seen }: Followed
) {
  const began = yield* Clock.currentTimeMillis
  const pause = yield* FollowPause

  const show = Effect.fnUntraced(function* (entry: OnboardingRow, steps: ReadonlyArray<string>) {
    const { done } = yield* Ref.get(seen)
    const elapsed = took((yield* Clock.currentTimeMillis) - began)
    const fresh = steps.filter((_) => !done.includes(_))
    yield* Ref.set(seen, { entry, done: [...done, ...fresh] })
    yield* Effect.forEach(fresh, (step) => progress.step(step, "done", elapsed))
  })

  const look: Effect.Effect<void, PorticoError> = Effect.gen(function* () {
    const entry = (yield* entriesOf(portico, name)).find((_) => !earlier.has(_.attempt_id))
    if (entry === undefined) return
    const done = entry.steps.filter((_) => _.done).map((_) => _.step)
    yield* show(entry, done)
    yield* progress.now(nowOf(entry))
  })
  const follow = Effect.ignore(look).pipe(Effect.andThen(Effect.sleep(pause)), Effect.forever)
  const answer = yield* Effect.raceFirst(call, follow)
  // Between the last look and the answer the rest was done.
  const { entry } = yield* Ref.get(seen)
  if (entry !== undefined) {
    yield* show(
      entry,
      entry.steps.map((_) => _.step)
    )
  }
  return answer
})
