import { Duration, Schema } from "effect"
import { moment } from "./rows.ts"

/** `webhook` is served under /v1/webhooks, the others under /v1/integrations. */
export const TargetKind = Schema.Literals(["webhook", "email", "slack", "generic"])
export type TargetKind = typeof TargetKind.Type

export const SealedSecret = Schema.Struct({
  sealed: Schema.String,
  /** ISO 8601; null for the newest one. */
  ends_at: Schema.NullOr(Schema.String)
})
export type SealedSecret = typeof SealedSecret.Type

export const TargetEntry = Schema.Struct({
  target_id: Schema.String,
  project_id: Schema.String,
  kind: TargetKind,
  /** What its tenant calls it. */
  name: Schema.NullOr(Schema.String),
  /** Where to, in the terms of its kind; nothing in it is a secret. */
  settings: Schema.JsonObject,
  /** The newest first. */
  secrets: Schema.Array(SealedSecret),
  /** Which events, see `matches`; empty for all. */
  topics: Schema.Array(Schema.String),
  kinds: Schema.Array(Schema.String),
  /** Events up to this place in the log are none of its. */
  from_sequence: Schema.Int,
  state: Schema.Literals(["active", "disabled"]),
  /** Null for one that is active, or that its tenant has disabled. */
  disabled_reason: Schema.NullOr(Schema.String),
  /** Events in a row that did not arrive, each after all of its attempts. */
  failures_in_a_row: Schema.Int,
  /** When the first of them was given up. */
  failing_since: Schema.NullOr(moment),
  rests_until: Schema.NullOr(moment),
  /** Null when nothing waits. */
  due_at: Schema.NullOr(moment),
  served_at: moment,
  lease: Schema.NullOr(Schema.String),
  lease_ends: Schema.NullOr(moment),
  created_by: Schema.String,
  created_at: moment,
  updated_at: moment
})
export type TargetEntry = typeof TargetEntry.Type

export type NewTarget = Pick<
  TargetEntry,
  | "target_id"
  | "project_id"
  | "kind"
  | "name"
  | "settings"
  | "secrets"
  | "topics"
  | "kinds"
  | "from_sequence"
  | "state"
  | "created_by"
>

/** What a tenant changes. */
export type TargetWish = Partial<Pick<TargetEntry, "name" | "settings" | "secrets" | "topics" | "kinds">>

/** Longer than an attempt takes, its time-out included: what a dead process was sending is sent again after it. */
export const deliveryLease = Duration.seconds(15)

export const Attempt = Schema.Struct({
  /** ISO 8601. */
  at: Schema.String,
  /** Of the answer; null without one, and where there are none. */
  status: Schema.NullOr(Schema.Int),
  duration_ms: Schema.Int,
  /** Why it failed; null when it arrived. */
  error: Schema.NullOr(Schema.String)
})
export type Attempt = typeof Attempt.Type

export const DeliveryState = Schema.Literals(["pending", "delivered", "failed"])
export type DeliveryState = typeof DeliveryState.Type

export const DeliveryRow = Schema.Struct({
  /** In this order they are sent. */
  number: Schema.Int,
  delivery_id: Schema.String,
  target_id: Schema.String,
  event_id: Schema.String,
  topic: Schema.String,
  kind: Schema.String,
  /** Somebody asked for it once more. */
  again: Schema.Boolean,
  state: DeliveryState,
  attempts: Schema.Array(Attempt),
  /** Why it is given up, where that is not the last attempt's failure. */
  given_up: Schema.NullOr(Schema.String),
  created_at: moment,
  finished_at: Schema.NullOr(moment)
})
export type DeliveryRow = typeof DeliveryRow.Type

/** Of what waited for a target when that was disabled. */
export const givenUpDisabled = "It was disabled before the event was sent"

/** Each event once for each target, unless somebody asks for it `again`. */
export type NewDelivery = Pick<DeliveryRow, "target_id" | "event_id" | "topic" | "kind" | "again">

/** The oldest of what waits for a target, with its event; null for one that the log has forgotten. */
export interface Waiting {
  readonly delivery: DeliveryRow
  readonly envelope: Schema.JsonObject | null
}

/** What came of an attempt, or of a delivery that is given up without one. */
export interface Concluded {
  readonly attempt: Attempt | undefined
  readonly state: DeliveryState
  readonly given_up: string | null
  /** Until the target's next attempt. */
  readonly pause: Duration.Duration
  /** Whether the pause is the target's rest after an event that was given up. */
  readonly rests: boolean
  readonly failures_in_a_row: number
  readonly failing_since: TargetEntry["failing_since"]
}

/** Those whose last event arrived, or that had none yet; and those whose last event did not. */
export type Lane = "sound" | "failing"

/** Of all tenants. */
export interface Backlog {
  readonly waiting: number
  /** Null when nothing waits. */
  readonly oldest: typeof moment.Type | null
}
