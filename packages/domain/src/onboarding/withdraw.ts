import { Conflict, NotFound } from "@portico/contract/Failures"
import { withWords } from "@portico/contract/formerWords"
import type { Retried } from "@portico/contract/Journal"
import { Journal, type JournalEntry, type Owner } from "@portico/store/Journal"
import type { StepMessage } from "@portico/store/StepMessage"
import { Duration, Effect } from "effect"
import { reconcile } from "../work/reconcile.ts"
import { undoAll, unknownStep } from "./graph.ts"
import { attemptOf, OnboardingSteps, type Step } from "./Step.ts"
import { builtIn, findProject, owner, type Systems, tierTag } from "./steps.ts"

/**
 * Together with the search for the project before it well below the lease, so
 * that no other process starts while this one works.
 */
const timeLimit = Duration.seconds(80)

/** The built-in steps, the platform's own, and the two that may come last. */
export const listedSteps = Effect.map(OnboardingSteps, (added): ReadonlyArray<Step<unknown, Systems>> => [
  ...builtIn,
  ...added,
  tierTag,
  owner
])

/** Two steps of one name are a defect: a journal entry identifies a step by its name alone. */
const allSteps = Effect.flatMap(listedSteps, (steps) => {
  const twice = steps.find((step, index) => steps.findIndex((_) => _.name === step.name) !== index)
  return twice === undefined
    ? Effect.succeed(steps)
    : Effect.die(new Error(`two onboarding steps are named '${twice.name}'`))
})

/**
 * The steps of an onboarding, and the one that comes last: the owner's login if
 * there is an owner, or else the tier tag.
 */
export const planFor = Effect.fnUntraced(function* (person: Owner | null) {
  const last = person === null ? tierTag : owner
  const steps = (yield* allSteps).filter((_) => _ !== last && _ !== owner)
  return { steps, last, names: [...steps, last].map((_) => _.name) }
})

/**
 * Removes what an attempt made. It needs only the entry: every undo finds its
 * resources by name and stamp. It never fails: what it could not remove is
 * recorded and returned, and the sweep tries again.
 *
 * @param entry an entry whose lease the caller holds
 * @param unsettled a call of the attempt may still take effect, so the entry
 * rests and is checked once more later
 */
export const withdraw = Effect.fn("onboard.withdraw")(function* (entry: JournalEntry, unsettled: boolean) {
  const journal = yield* Journal
  const known = yield* allSteps
  const steps = known.filter((_) => entry.steps.includes(_.name))
  const unknown = entry.steps.filter((name) => !known.some((_) => _.name === name)).map(unknownStep)

  // It is for observers only, so a broken database stops no undo.
  const ended = (step: string) =>
    Effect.ignoreCause(journal.withdrew(entry, step), {
      log: "Warn",
      message: "the journal could not record an undo"
    })
  const undone = undoAll(yield* withProject(entry), steps, timeLimit, ended)
  const left: ReadonlyArray<StepMessage> = [...unknown, ...(yield* undone)]

  if (left.length > 0) {
    yield* Effect.logWarning("an onboarding could not be rolled back completely", { attempt: entry.attempt_id, left })
    yield* journal.stick(entry, left)
  } else {
    yield* unsettled ? journal.rest(entry) : journal.drop(entry)
  }
  return left
})

/** The attempt with its project. The journal records the project's id before the project is removed. */
const withProject = Effect.fnUntraced(function* (entry: JournalEntry) {
  const attempt = attemptOf(entry)
  if (attempt.projectId !== undefined) return attempt
  // A failure is ignored here: every undo repeats the search and reports it.
  const found = yield* Effect.orElseSucceed(findProject(attempt), () => undefined)
  if (found === undefined) return attempt
  yield* (yield* Journal).locate(entry, found.id)
  return { ...attempt, projectId: found.id }
})

/**
 * Whether no process has turned the attempt back: the one that ran it has died or stands still, and a call of it may
 * still take effect. The entry then rests, and is swept once more.
 */
const isCutShort = (entry: JournalEntry): boolean => entry.state === "withdrawing" && entry.withdrawals === 1

/**
 * Finishes the rollbacks of attempts whose lease has ended, because their
 * process died or their rollback got stuck. Any replica may run it.
 */
export const sweep = Effect.gen(function* () {
  return yield* reconcile({
    what: "an onboarding",
    claim: (yield* Journal).claimAbandoned,
    concurrency: 4,
    step: (entry) => withdraw(entry, isCutShort(entry))
  })
}).pipe(Effect.withSpan("onboard.sweep"))

/**
 * An operator's retry of a rollback: 409 while a running process holds the
 * attempt. The retry may come soon after a lost answer, so an unsettled attempt
 * is still checked again by the sweep.
 */
export const retry = Effect.fn("onboard.retry")(function* (attemptId: string) {
  const journal = yield* Journal
  const entry = yield* journal.claim(attemptId)
  if (entry === undefined) {
    return yield* (yield* journal.find(attemptId)) === undefined
      ? NotFound.onboarding(attemptId)
      : Conflict.onboardingBusy(attemptId)
  }
  const left = yield* Effect.uninterruptible(withdraw(entry, entry.unsettled || isCutShort(entry)))
  return { attempt_id: attemptId, removed: left.length === 0, left: left.map(withWords) } satisfies Retried
})
