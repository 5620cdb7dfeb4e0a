import { type AlarmEvent, alarmTopic } from "@portico/contract/Events"
import { type AlarmEntry, type AlarmFinding, Alarms } from "@portico/store/Alarms"
import { Tenants } from "@portico/store/Tenants"
import { Transactions } from "@portico/store/Transactions"
import { type Api, Prometheus } from "@portico/upstream/prometheus/Prometheus"
import { DateTime, Duration, Effect } from "effect"
import { onAlarm } from "../autoscaling/trigger.ts"
import { Bus } from "../events/Bus.ts"
import { eventIdOf } from "../events/eventId.ts"
import { underLease } from "../work/lease.ts"
import { reconcile } from "../work/reconcile.ts"
import { evaluate, type Verdict } from "./evaluate.ts"
import { circuitBreaker } from "./circuitBreaker.ts"

/** The alarms that one claim takes, and how many of them are evaluated at a time. */
const batch = 32
const concurrency = 8

export interface AlarmTimes {
  /** Between two evaluations of one alarm. */
  readonly interval: Duration.Duration
  /** How long the measurements must be unknown before the state becomes `insufficient_data`. */
  readonly grace: Duration.Duration
}

type Source = Pick<Api, "range">

/** The reason does not disclose the monitoring system. */
const unreadable: Verdict = { is: "unknown", reason: "The measurements cannot be read" }

/** Evaluates due alarms, until none is left. Any replica may run it; each alarm is evaluated once in an interval. */
export const reconcileAlarms = Effect.fn("alarms.reconcile")(function* (times: AlarmTimes) {
  const { api } = yield* Prometheus
  if (api === undefined) return
  const alarms = yield* Alarms
  const monitoring = circuitBreaker(api)
  yield* reconcile({
    what: "an alarm",
    claim: alarms.claim(batch),
    batch,
    concurrency,
    step: (_) => reconcileAlarm(monitoring, _, times)
  })
})

/** @param claimed a row whose lease the caller holds */
const reconcileAlarm = Effect.fnUntraced(function* (monitoring: Source, claimed: AlarmEntry, times: AlarmTimes) {
  const alarms = yield* Alarms
  const step = Effect.flatMap(published(monitoring, claimed, times), (_) => alarms.release(claimed, _, times.interval))
  yield* underLease(step, {
    what: `the alarm ${claimed.alarm_id}`,
    broken: alarms.release(claimed, false, times.interval),
    interrupted: alarms.release(claimed, false, Duration.zero)
  })
})

/**
 * Evaluates an alarm and passes a new state to the autoscaling groups. True when the groups have
 * the current state; false when the tenant is being deleted or closed, or another replica holds the
 * alarm.
 */
const published = Effect.fnUntraced(function* (monitoring: Source, claimed: AlarmEntry, times: AlarmTimes) {
  const tenant = yield* (yield* Tenants).find(claimed.project_id)
  if (tenant !== undefined && tenant.closing.length > 0) return false
  const verdict = yield* evaluate(monitoring, claimed).pipe(
    Effect.catchTag("UpstreamError", () => Effect.succeed(unreadable))
  )
  const entry = yield* apply(claimed, verdict, times)
  if (entry === undefined) return false
  // Also when a replica stored the transition and died before the groups learned of it: the groups act on a state once.
  if (entry.untold) {
    yield* onAlarm({ projectId: entry.project_id, alarmId: entry.alarm_id, state: entry.state })
  }
  return true
})

/**
 * Stores the finding and, on a transition, publishes its event, both in one transaction. Undefined
 * when another replica holds the alarm by now.
 */
const apply = Effect.fnUntraced(function* (claimed: AlarmEntry, verdict: Verdict, { grace }: AlarmTimes) {
  const alarms = yield* Alarms
  const bus = yield* Bus
  const finding = plan(claimed, verdict, { grace, now: yield* DateTime.now })
  return yield* (yield* Transactions).atomically(
    Effect.gen(function* () {
      const entry = yield* alarms.conclude(claimed, finding)
      const isTransition = entry !== undefined && entry.transitions > claimed.transitions
      if (isTransition) yield* bus.publish([eventOf(claimed, entry)])
      return entry
    })
  )
})

/** A short gap in the measurements changes nothing. After the grace time the state becomes `insufficient_data`. */
const plan = (
  claimed: AlarmEntry,
  verdict: Verdict,
  { grace, now }: Pick<AlarmTimes, "grace"> & { readonly now: DateTime.Utc }
): AlarmFinding => {
  const { last_transition_at, reason, state, transitions, untold } = claimed
  const unknown_since = verdict.is === "unknown" ? (claimed.unknown_since ?? now) : null
  const same = { state, reason, transitions, last_transition_at, untold, unknown_since, evaluated_at: now }
  if (verdict.is === "undecided") return same
  const isStill = unknown_since !== null && DateTime.isLessThan(now, DateTime.addDuration(unknown_since, grace))
  const next = verdict.is === "unknown" ? "insufficient_data" : verdict.is
  if (next === state) return next === "insufficient_data" ? { ...same, reason: verdict.reason } : same
  if (isStill) return same
  return {
    ...same,
    state: next,
    reason: verdict.reason,
    transitions: transitions + 1,
    last_transition_at: now,
    untold: true
  }
}

const eventOf = (before: AlarmEntry, after: AlarmEntry): AlarmEvent => ({
  id: eventIdOf(`portico/alarms/${after.alarm_id}/${after.transitions}`),
  topic: alarmTopic,
  kind: "alarm.state_changed",
  at: DateTime.formatIso(after.last_transition_at ?? after.created_at),
  key: after.alarm_id,
  project_id: after.project_id,
  data: {
    alarm_id: after.alarm_id,
    alarm_name: after.name,
    severity: after.severity,
    previous: before.state,
    current: after.state,
    reason: after.reason,
    metric: after.rule.metric,
    instance_id: after.rule.instance_id ?? null,
    group_id: after.rule.group_id ?? null
  }
})
