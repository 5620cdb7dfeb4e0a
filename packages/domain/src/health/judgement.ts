/** What one round found of a component. */
export type Outcome = "ok" | "slow" | "failed" | "refused"

/**
 * `unknown` until the first round is over, and `not configured` for what this cloud lacks. `unauthorized` says that the
 * system does not accept the gateway's own credentials.
 */
export type State = "unknown" | "ok" | "degraded" | "down" | "unauthorized" | "not configured"

/** So many rounds back count. */
export const remembered = 4

/**
 * A lone failure may be a restart, so that it is `degraded`; a second one in a row, or one that nothing good went
 * before, is `down`.
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
