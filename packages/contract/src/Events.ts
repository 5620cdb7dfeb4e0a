import { Schema, Struct } from "effect"
import { AlarmSeverity } from "./Alarms.ts"
import { AlarmState } from "./Autoscaling.ts"
import { InstanceMetric } from "./Metrics.ts"

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

/** What the billing ledger hears of; `docs/tenants/events.md` says which call each of them stands for. */
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

/** What autoscaling groups do. The key is the group's id. */
export const asgTopic = "asg.lifecycle"

/**
 * `group.scaled_out` and `group.scaled_in`: a server more, a server fewer.
 * `group.server_replaced`: one was broken or had gone, and another one comes.
 * `group.limited`: a quota refuses more.
 */
export const AsgKind = Schema.Literals([
  "group.scaled_out",
  "group.scaled_in",
  "group.server_replaced",
  "group.limited"
])
export type AsgKind = typeof AsgKind.Type

export const AsgData = Schema.Struct({
  group_id: Schema.String,
  group_name: Schema.String,
  /** The one that came, went, or was replaced; null where it is about none. */
  server_id: Schema.NullOr(Schema.String),
  desired: Schema.Int,
  /** Why, in the platform's words where it has said something. */
  reason: Schema.NullOr(Schema.String)
})
export type AsgData = typeof AsgData.Type

/** An {@link Event} of {@link asgTopic}. */
export const AsgEvent = Event.mapFields(
  Struct.assign({ topic: Schema.Literal(asgTopic), kind: AsgKind, data: AsgData })
).annotate({ identifier: "AsgEvent" })
export type AsgEvent = typeof AsgEvent.Type

/** Alarms that change their state, and nothing else of them. The key is the alarm's id. */
export const alarmTopic = "alarms"

export const AlarmData = Schema.Struct({
  alarm_id: Schema.String,
  alarm_name: Schema.String,
  severity: AlarmSeverity,
  previous: AlarmState,
  current: AlarmState,
  /** Why it is in its state now. */
  reason: Schema.String,
  metric: InstanceMetric,
  /** Of these, the one that it looks at. */
  instance_id: Schema.NullOr(Schema.String),
  group_id: Schema.NullOr(Schema.String)
})
export type AlarmData = typeof AlarmData.Type

/** An {@link Event} of {@link alarmTopic}. */
export const AlarmEvent = Event.mapFields(
  Struct.assign({ topic: Schema.Literal(alarmTopic), kind: Schema.Literal("alarm.state_changed"), data: AlarmData })
).annotate({ identifier: "AlarmEvent" })
export type AlarmEvent = typeof AlarmEvent.Type

/** Every completed write on the API. The key is the credential's id, or the user's where there is none. */
export const auditTopic = "api.audit"

/** Each tool call of an agent. The key is its machine user's id. */
export const agentTopic = "agent.actions"

/** The key of audit events whose caller is not known. */
export const unknownCaller = "unknown"

export const AuditData = Schema.Struct({
  method: Schema.String,
  /** The path with `:name` for every id in it; null for a path that is not there. */
  route: Schema.NullOr(Schema.String),
  /** The ids in the path, in order. What cannot be an id is left out. */
  resources: Schema.Array(Schema.String),
  /** Of the answer; 101 when the connection went over to another protocol, null when the client did not wait for one. */
  status: Schema.NullOr(Schema.Int),
  /** Names of query parameters; their values are never told. */
  parameters: Schema.Array(Schema.String),
  /** Names of the body's fields; null for a body that was forwarded unread. */
  fields: Schema.NullOr(Schema.Array(Schema.String)),
  /** Who called, in the identity provider's terms; null when that is not known. */
  user_id: Schema.NullOr(Schema.String),
  credential_id: Schema.NullOr(Schema.String),
  /** The permission tier that the caller holds. */
  tier: Schema.NullOr(Schema.Int),
  /** Where the call came from. */
  source: Schema.NullOr(Schema.String),
  /** `X-Request-Id` of the answer. */
  request_id: Schema.String
})
export type AuditData = typeof AuditData.Type

/** An {@link Event} of {@link auditTopic}. */
export const AuditEvent = Event.mapFields(
  Struct.assign({ topic: Schema.Literal(auditTopic), kind: Schema.Literal("api.call"), data: AuditData })
).annotate({ identifier: "AuditEvent" })
export type AuditEvent = typeof AuditEvent.Type

/** What budgets have to say. The key is the budget's id. */
export const budgetTopic = "billing.budgets"

/** Machine credentials that come, go, or are held. The key is the credential's id. */
export const credentialTopic = "iam.credentials"

/**
 * `credential.created`: minted, and complete. `credential.rotated`: another one
 * replaces it, and it ends at `revokes_at`. `credential.suspended` and
 * `credential.restored`: its project is being deleted or closed, and is not
 * any more. `credential.revoked`: it works for nobody again. That one expires
 * is known from its beginning, and is no event.
 */
export const CredentialKind = Schema.Literals([
  "credential.created",
  "credential.rotated",
  "credential.suspended",
  "credential.restored",
  "credential.revoked"
])
export type CredentialKind = typeof CredentialKind.Type

/** The credential as the change has left it. No secret, and nothing that one could be checked with. */
export const CredentialData = Schema.Struct({
  credential_id: Schema.String,
  credential_kind: Schema.Literals(["api-key", "mcp"]),
  tier: Schema.Int,
  label: Schema.String,
  /** Its machine user, in the identity provider's terms. */
  user_id: Schema.String,
  /** The user who made it. */
  created_by: Schema.String,
  expires_at: Schema.NullOr(Schema.String),
  /** Why it is suspended; empty when it is not. */
  held: Schema.Array(Schema.String),
  /** The credential that it was made to replace. */
  rotates: Schema.NullOr(Schema.String),
  /** The credential that replaces it, and when it ends for that. */
  rotated_to: Schema.NullOr(Schema.String),
  revokes_at: Schema.NullOr(Schema.String)
})
export type CredentialData = typeof CredentialData.Type

/** An {@link Event} of {@link credentialTopic}. */
export const CredentialEvent = Event.mapFields(
  Struct.assign({ topic: Schema.Literal(credentialTopic), kind: CredentialKind, data: CredentialData })
).annotate({ identifier: "CredentialEvent" })
export type CredentialEvent = typeof CredentialEvent.Type

/** What becomes of the endpoints that a tenant has events sent to. The key is the endpoint's id. */
export const webhookTopic = "webhooks"

/**
 * What tenants hear of: on `GET /v1/events`, and on the webhooks and
 * integrations that they subscribe with. Of {@link auditTopic} they read on a
 * route of its own.
 */
export const TenantTopic = Schema.Literals([
  agentTopic,
  alarmTopic,
  asgTopic,
  budgetTopic,
  credentialTopic,
  lifecycleTopic,
  webhookTopic
])
export type TenantTopic = typeof TenantTopic.Type

export const tenantTopics: ReadonlyArray<TenantTopic> = TenantTopic.literals

/** The topics of the log that go on to Kafka, where there is one. {@link agentTopic} comes from there. */
export const relayedTopics = [
  auditTopic,
  credentialTopic,
  asgTopic,
  lifecycleTopic,
  budgetTopic,
  alarmTopic,
  webhookTopic
] as const

/**
 * An {@link Event} of {@link agentTopic}, as whatever runs agents reports it. What it says of the project is not
 * believed: the key decides.
 */
export const AgentEvent = Event.mapFields(
  Struct.assign({
    topic: Schema.Literal(agentTopic),
    kind: Schema.NonEmptyString.check(Schema.isMaxLength(100)),
    key: Schema.NonEmptyString.check(Schema.isMaxLength(255))
  })
).annotate({ identifier: "AgentEvent" })
export type AgentEvent = typeof AgentEvent.Type
