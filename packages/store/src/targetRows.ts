import { Duration, Schema } from "effect"
import { moment } from "./rows.ts"

/** `webhook` is served under /v1/webhooks, the others under /v1/integrations. */
export const TargetKind = Schema.Literals(["webhook", "email", "slack", "generic"])
export type TargetKind = typeof TargetKind.Type

export const SealedSecret = Schema.Struct({
  sealed: Schema.String,
  /** ISO 8601; null for the newest secret. */
  ends_at: Schema.NullOr(Schema.String)
})
export type SealedSecret = typeof SealedSecret.Type

export const TargetEntry = Schema.Struct({
  target_id: Schema.String,
  project_id: Schema.String,
  kind: TargetKind,
  /** The tenant's name for it. */
  name: Schema.NullOr(Schema.String),
  /** The destination, in the format of its kind, without secrets. */
  settings: Schema.JsonObject,
  /** Newest first. */
  secrets: Schema.Array(SealedSecret),
  /** The filter of events, see `matches`; empty for all. */
  topics: Schema.Array(Schema.String),
  kinds: Schema.Array(Schema.String),
  /** The target gets only events after this sequence. */
  from_sequence: Schema.Int,
  state: Schema.Literals(["active", "disabled"]),
  /** Null while the target is active, or when its tenant disabled it. */
  disabled_reason: Schema.NullOr(Schema.String),
  /** The number of consecutive events whose delivery failed, each after all its attempts. */
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
  /** Whether an agent last decided where it sends, or what; null where that was with an earlier release. */
  of_agent: Schema.NullOr(Schema.Boolean),
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
  | "of_agent"
>

/** The columns that a tenant changes. */
export const targetWish = ["name", "settings", "secrets", "topics", "kinds", "of_agent"] as const
export type TargetWish = Partial<Pick<TargetEntry, (typeof targetWish)[number]>>

/** Longer than one attempt with its time-out. After it another process repeats a dead process's attempt. */
export const deliveryLease = Duration.seconds(15)

export const Attempt = Schema.Struct({
  /** ISO 8601. */
  at: Schema.String,
  /** The HTTP status of the response; null without a response, and for kinds of target without a status. */
  status: Schema.NullOr(Schema.Int),
  duration_ms: Schema.Int,
  /** Why it failed; null when it succeeded. */
  error: Schema.NullOr(Schema.String)
})
export type Attempt = typeof Attempt.Type

export const DeliveryState = Schema.Literals(["pending", "delivered", "failed"])
export type DeliveryState = typeof DeliveryState.Type

export const DeliveryRow = Schema.Struct({
  /** Deliveries are sent in this order. */
  number: Schema.Int,
  delivery_id: Schema.String,
  target_id: Schema.String,
  event_id: Schema.String,
  topic: Schema.String,
  kind: Schema.String,
  /** True for a redelivery that the tenant asked for. */
  again: Schema.Boolean,
  state: DeliveryState,
  attempts: Schema.Array(Attempt),
  /** Why it was given up, when that is not the last attempt's failure. */
  given_up: Schema.NullOr(Schema.String),
  created_at: moment,
  finished_at: Schema.NullOr(moment)
})
export type DeliveryRow = typeof DeliveryRow.Type

/** Why the deliveries that a disabled target had pending were given up. */
export const givenUpDisabled = "It was disabled before the event was sent"

/** Each event is delivered once to each target, except redeliveries (`again`). */
export type NewDelivery = Pick<DeliveryRow, "target_id" | "event_id" | "topic" | "kind" | "again">

/** The oldest pending delivery of a target with its event; null when the log has pruned the event. */
export interface Waiting {
  readonly delivery: DeliveryRow
  readonly envelope: Schema.JsonObject | null
}

/** The outcome of an attempt, or of a delivery that is given up without one. */
export interface Concluded {
  readonly attempt: Attempt | undefined
  readonly state: DeliveryState
  readonly given_up: string | null
  /** The time until the target's next attempt. */
  readonly pause: Duration.Duration
  /** Whether the pause is the target's rest after an event that was given up. */
  readonly rests: boolean
  readonly failures_in_a_row: number
  readonly failing_since: TargetEntry["failing_since"]
}

/**
 * `sound`: targets whose last event was delivered, or that had none yet.
 * `failing`: targets whose last event failed.
 */
export type Lane = "sound" | "failing"

/** The pending deliveries of all tenants. */
export interface Backlog {
  readonly waiting: number
  /** Null when nothing waits. */
  readonly oldest: typeof moment.Type | null
}
