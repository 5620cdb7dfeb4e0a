import type { GroupEntry, GroupProgress, Member } from "@portico/store/AutoscalingGroups"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { Duration } from "effect"
import { afterFailures, busy, doubtTime, idle, inDoubt, isLive, keptUntil, standstill } from "./members.ts"
import type { Observed } from "./observe.ts"

/** The results of a step. */
export interface StepResult {
  readonly observed: Observed
  readonly failure: UpstreamError | undefined
  readonly suspended: boolean
  /** Whether the step requested servers. */
  readonly attempted: boolean
  readonly now: number
}

/** What to store at the end of a step, and when the next step is due. */
export interface Outcome {
  readonly progress: GroupProgress
  readonly pause: Duration.Duration
  /** Nova's message when the group reaches a quota; absent when the group was `limited` before. */
  readonly limitedBy?: string
}

/** @param entry the group's row at the end of the step */
export const outcomeOf = (claimed: GroupEntry, entry: GroupEntry, result: StepResult): Outcome => {
  const { failure, now, observed, suspended } = result
  if (failure !== undefined) return afterFailure(claimed, entry, failure)
  if (entry.deleting) return { progress: { state: "deleting", reason: null, failures: 0 }, pause: busy }
  if (suspended) {
    const reason = "the tenant is suspended, and gets no new server"
    return { progress: { state: "held", reason }, pause: standstill }
  }
  if (isSettled(claimed, entry)) return { progress: { state: "active", reason: null, failures: 0 }, pause: idle }
  const failures = result.attempted ? 0 : claimed.failures
  if (observed.errors > 0) {
    const reason = observed.trouble ?? claimed.reason
    return { progress: { state: "failing", reason, failures }, pause: pauseOf(entry, now) }
  }
  const keepsState = !result.attempted && entry.members.some((_) => isAwaited(_, now)) && claimed.failures > 0
  return keepsState
    ? { progress: {}, pause: pauseOf(entry, now) }
    : { progress: { state: "scaling", reason: null, failures }, pause: pauseOf(entry, now) }
}

/** Nova reports a quota as 403, and other services as 413 or 429. */
const isQuota = ({ status }: UpstreamError): boolean => status === 403 || status === 413 || status === 429

const afterFailure = (claimed: GroupEntry, entry: GroupEntry, failure: UpstreamError): Outcome => {
  const failures = claimed.failures + 1
  const limited = isQuota(failure) && failure.call === "create server"
  const pause = limited ? Duration.max(afterFailures(failures), Duration.millis(doubtTime)) : afterFailures(failures)
  const progress: GroupProgress = {
    state: entry.deleting ? "deleting" : limited ? "limited" : "failing",
    reason: limited ? failure.detail : failure.summary,
    failures
  }
  if (!limited || claimed.state === "limited") return { progress, pause }
  return { progress: { ...progress, limits: claimed.limits + 1 }, pause, limitedBy: failure.detail }
}

/** Whether a server was requested and the outcome is unknown. */
const isAwaited = (member: Member, now: number): boolean => member.server_id === null && inDoubt(member, now)

const isSettled = ({ desired }: GroupEntry, { members }: GroupEntry): boolean =>
  members.length === desired &&
  members.every((_) => isLive(_) && _.server_id !== null && _.status !== null && _.status !== "BUILD")

/** The time until something may have changed. */
const pauseOf = ({ members }: GroupEntry, now: number): Duration.Duration => {
  const isMoving = members.some(
    (_) => _.server_id !== null && (!isLive(_) || _.status === "BUILD" || _.status === null)
  )
  if (isMoving) return busy
  const ends = members.flatMap((_) => (_.server_id === null ? (keptUntil(_, now) ?? []) : [])).map((_) => _ - now)
  return ends.length === 0
    ? busy
    : Duration.clamp(Duration.millis(Math.min(...ends)), { minimum: busy, maximum: longestLookupInterval })
}

/** The longest interval between look-ups of a server whose creation response was lost. */
const longestLookupInterval = Duration.seconds(10)
