import { Schema, Struct } from "effect"

/**
 * The envelope of every event, on every topic (contract, Events). It may
 * arrive more than once: whoever reads it drops an `id` that it has seen.
 */
export const Event = Schema.Struct({
  /** Made once, before the first attempt to publish, and the same in every repetition. */
  id: Schema.String.check(Schema.isUUID()),
  topic: Schema.String,
  /** What happened, such as `volume.create`. */
  kind: Schema.String,
  /** When it happened, ISO 8601 in UTC. */
  at: Schema.String.check(
    Schema.isPattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, { expected: "a moment in UTC, with milliseconds" })
  ),
  /** What it happened to or who did it, as its topic says: events of one key are in order. */
  key: Schema.String,
  /** Whose it is; null when that is not known. */
  project_id: Schema.NullOr(Schema.String),
  data: Schema.JsonObject
}).annotate({ identifier: "Event" })
export type Event = typeof Event.Type

/** Writes through the proxy that change billable life. The key is the resource's id. */
export const lifecycleTopic = "billing.lifecycle"

/** What the billing ledger hears of; `docs/events.md` says which call each of them stands for. */
export const LifecycleKind = Schema.Literals([
  "server.create",
  "server.delete",
  "server.restore",
  "server.start",
  "server.stop",
  "server.reboot",
  "server.pause",
  "server.unpause",
  "server.suspend",
  "server.resume",
  "server.shelve",
  "server.shelve_offload",
  "server.unshelve",
  "server.rescue",
  "server.unrescue",
  "server.resize",
  "server.confirm_resize",
  "server.revert_resize",
  "volume.create",
  "volume.delete",
  "volume.extend",
  "volume.retype",
  "volume.transfer",
  "floating_ip.create",
  "floating_ip.delete",
  "load_balancer.create",
  "load_balancer.delete"
])
export type LifecycleKind = typeof LifecycleKind.Type

export const LifecycleResource = Schema.Literals(["server", "reservation", "volume", "floating_ip", "load_balancer"])
export type LifecycleResource = typeof LifecycleResource.Type

/** What is known of the change beside its kind: only what the call itself said. */
export const LifecycleDetail = Schema.Struct({
  /** The flavor of a server that is created, or that a resize moves it to. */
  flavor: Schema.optionalKey(Schema.String),
  /** How many servers the call asked for, when more than one: at least, and at most. */
  min_count: Schema.optionalKey(Schema.Int),
  max_count: Schema.optionalKey(Schema.Int),
  /** `SOFT` or `HARD`, of a reboot. */
  reboot: Schema.optionalKey(Schema.String),
  /** GiB: of a volume that is created, or that an extension makes it. */
  size_gb: Schema.optionalKey(Schema.Int),
  volume_type: Schema.optionalKey(Schema.String),
  address: Schema.optionalKey(Schema.String)
})
export type LifecycleDetail = typeof LifecycleDetail.Type

export const LifecycleData = Schema.Struct({
  resource_type: LifecycleResource,
  resource_id: Schema.String,
  detail: LifecycleDetail,
  /** Who called, in the identity provider's terms. */
  user_id: Schema.String,
  /** Null for a person without a record of ours, and for an administrator. */
  credential_id: Schema.NullOr(Schema.String),
  /** `X-Request-Id` of the call's answer. */
  request_id: Schema.String
})
export type LifecycleData = typeof LifecycleData.Type

/** An {@link Event} of {@link lifecycleTopic}. */
export const LifecycleEvent = Event.mapFields(
  Struct.assign({ topic: Schema.Literal(lifecycleTopic), kind: LifecycleKind, data: LifecycleData })
).annotate({ identifier: "LifecycleEvent" })
export type LifecycleEvent = typeof LifecycleEvent.Type
