/** The result of one round for a component. */
export type Outcome = "ok" | "slow" | "failed" | "refused"

/**
 * `unknown` before the first round, and `not configured` for systems that this cloud lacks.
 * `unauthorized`: the system rejects the gateway's own credentials.
 */
export type State = "unknown" | "ok" | "degraded" | "down" | "unauthorized" | "not configured"

/** The number of rounds that count. */
export const remembered = 4

/**
 * Derives the state of a component. A single failure may be a restart, so it is `degraded`. A
 * second failure in a row, or one without an earlier success, is `down`.
 *
 * @param outcomes the latest first
 */
export const judged = (outcomes: ReadonlyArray<Outcome>): State => {
  const [latest, before] = outcomes
  if (latest === undefined) return "unknown"
  if (latest === "refused") return "unauthorized"
  if (latest === "failed" && (before === undefined || !isAnswer(before))) return "down"
  return outcomes.slice(0, remembered).every((_) => _ === "ok") ? "ok" : "degraded"
}

const isAnswer = (outcome: Outcome): boolean => outcome === "ok" || outcome === "slow"
