import type { operator } from "../portico.ts"

export type Onboarding = Awaited<ReturnType<typeof operator.journal.list>>["onboardings"][number]
export type StepState = "done" | "running" | "waiting" | "failed" | "leftStep" | "removed" | "notBegun"

/**
 * What became of a step. `done` in the journal is said of the way forward: of an onboarding that was rolled back, what
 * is not among the left parts is removed again.
 */
export const stepState = (
  { failure, left, state, step: current }: Pick<Onboarding, "failure" | "left" | "state" | "step">,
  { done, step }: Onboarding["steps"][number]
): StepState => {
  if (state === "running") return done ? "done" : step === current ? "running" : "waiting"
  if (left.some((_) => _.step === step)) return "leftStep"
  if (failure?.startsWith(`${step}: `) === true) return "failed"
  if (!done) return "notBegun"
  return state === "withdrawing" ? (step === current ? "running" : "done") : "removed"
}
