import { Schema, Struct } from "effect"
import { AlarmSeverity } from "./Alarms.ts"
import { AlarmState } from "./Autoscaling.ts"
import { InstanceMetric } from "./Metrics.ts"

/**
 * The envelope of every event, on every topic (contract, Events). It may arrive
 * more than once: a reader drops an `id` that it has seen.
 */
export const Event = Schema.Struct({
  /** Made once, before the first attempt to publish, and the same in every repeat. */
  id: Schema.String.check(Schema.isUUID()),
  topic: Schema.String,
  /** What happened, such as `volume.create`. */
  kind: Schema.String,
  /** When it happened, ISO 8601 in UTC. */
  at: Schema.String.check(
    Schema.isPattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, { expected: "a moment in UTC, with milliseconds" })
  ),
  /** The resource or the actor, depending on the topic: events of one key are in order. */
  key: Schema.String,
  /** The project that the event belongs to; null when unknown. */
  project_id: Schema.NullOr(Schema.String),
  data: Schema.JsonObject
}).annotate({ identifier: "Event" })
export type Event = typeof Event.Type

/** Writes through the proxy that start, change or end something billable. The key is the resource's id. */
export const lifecycleTopic = "billing.lifecycle"

/** The events for the billing ledger; `docs/tenants/events.md` lists the calls behind each kind. */
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

/** Details of the change: only what the call itself said. */
export const LifecycleDetail = Schema.Struct({
  /** The flavor of a server that is created, or that a resize moves it to. */
  flavor: Schema.optionalKey(Schema.String),
  /** The number of servers that the call requested, when more than one: minimum and maximum. */
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
  /** The caller's user id at the identity provider. */
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

/** Actions of autoscaling groups. The key is the group's id. */
export const asgTopic = "asg.lifecycle"

/**
 * `group.scaled_out`, `group.scaled_in`: one server was added or removed.
 * `group.server_replaced`: a server was broken or gone, and another one
 * replaces it. `group.limited`: a quota allows no more.
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
  /** The server that was added, removed or replaced; null where the event concerns none. */
  server_id: Schema.NullOr(Schema.String),
  desired: Schema.Int,
  /** The reason, with the platform's message if there is one. */
  reason: Schema.NullOr(Schema.String)
})
export type AsgData = typeof AsgData.Type

/** An {@link Event} of {@link asgTopic}. */
export const AsgEvent = Event.mapFields(
  Struct.assign({ topic: Schema.Literal(asgTopic), kind: AsgKind, data: AsgData })
).annotate({ identifier: "AsgEvent" })
export type AsgEvent = typeof AsgEvent.Type

/** State changes of alarms, and no other change. The key is the alarm's id. */
export const alarmTopic = "alarms"

export const AlarmData = Schema.Struct({
  alarm_id: Schema.String,
  alarm_name: Schema.String,
  severity: AlarmSeverity,
  previous: AlarmState,
  current: AlarmState,
  /** The reason of the present state. */
  reason: Schema.String,
  metric: InstanceMetric,
  /** The alarm measures one of these two. */
  instance_id: Schema.NullOr(Schema.String),
  group_id: Schema.NullOr(Schema.String)
})
export type AlarmData = typeof AlarmData.Type

/** An {@link Event} of {@link alarmTopic}. */
export const AlarmEvent = Event.mapFields(
  Struct.assign({ topic: Schema.Literal(alarmTopic), kind: Schema.Literal("alarm.state_changed"), data: AlarmData })
).annotate({ identifier: "AlarmEvent" })
export type AlarmEvent = typeof AlarmEvent.Type

/** Every completed write on the API. The key is the credential's id, or else the user's. */
export const auditTopic = "api.audit"

/** Each tool call of an agent. The key is its machine user's id. */
export const agentTopic = "agent.actions"

/** The key of audit events whose caller is not known. */
export const unknownCaller = "unknown"

export const AuditData = Schema.Struct({
  method: Schema.String,
  /** The path with `:name` for every id in it; null for an unknown path. */
  route: Schema.NullOr(Schema.String),
  /** The ids in the path, in order, without values that cannot be an id. */
  resources: Schema.Array(Schema.String),
  /**
   * The response's status; 101 when the connection switched protocols, null
   * when the client did not wait for a response.
   */
  status: Schema.NullOr(Schema.Int),
  /** Names of query parameters, never their values. */
  parameters: Schema.Array(Schema.String),
  /** Names of the body's fields; null for a body that was forwarded unread. */
  fields: Schema.NullOr(Schema.Array(Schema.String)),
  /** The caller's user id at the identity provider; null when unknown. */
  user_id: Schema.NullOr(Schema.String),
  credential_id: Schema.NullOr(Schema.String),
  /** The permission tier that the caller holds. */
  tier: Schema.NullOr(Schema.Int),
  /** The client's address. */
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

/** Events of budgets. The key is the budget's id. */
export const budgetTopic = "billing.budgets"

/** Creation, rotation, suspension and revocation of machine credentials. The key is the credential's id. */
export const credentialTopic = "iam.credentials"

/**
 * `credential.created`: minted completely. `credential.rotated`: another
 * credential replaces it, and it ends at `revokes_at`. `credential.suspended`:
 * its project is being deleted or closed. `credential.restored`: that was
 * cancelled. `credential.revoked`: it never works again. Expiry is known from
 * the beginning, and is no event.
 */
export const CredentialKind = Schema.Literals([
  "credential.created",
  "credential.rotated",
  "credential.suspended",
  "credential.restored",
  "credential.revoked"
])
export type CredentialKind = typeof CredentialKind.Type

/** The credential after the change. It contains no secret, and nothing that would verify one. */
export const CredentialData = Schema.Struct({
  credential_id: Schema.String,
  credential_kind: Schema.Literals(["api-key", "mcp"]),
  tier: Schema.Int,
  label: Schema.String,
  /** The id of its machine user at the identity provider. */
  user_id: Schema.String,
  /** The user who made it. */
  created_by: Schema.String,
  expires_at: Schema.NullOr(Schema.String),
  /** The reasons of a suspension; empty when it is not suspended. */
  held: Schema.Array(Schema.String),
  /** The credential that this one replaces. */
  rotates: Schema.NullOr(Schema.String),
  /** The successor, and when this credential ends because of it. */
  rotated_to: Schema.NullOr(Schema.String),
  revokes_at: Schema.NullOr(Schema.String)
})
export type CredentialData = typeof CredentialData.Type

/** An {@link Event} of {@link credentialTopic}. */
export const CredentialEvent = Event.mapFields(
  Struct.assign({ topic: Schema.Literal(credentialTopic), kind: CredentialKind, data: CredentialData })
).annotate({ identifier: "CredentialEvent" })
export type CredentialEvent = typeof CredentialEvent.Type

/** State changes of the endpoints to which a tenant has events sent. The key is the endpoint's id. */
export const webhookTopic = "webhooks"

/**
 * The topics that tenants read: on `GET /v1/events`, and on the webhooks and
 * integrations that subscribe to them. {@link auditTopic} has its own route.
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

/** The topics of the log that are relayed to Kafka, if configured. {@link agentTopic} is read from Kafka. */
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
 * An {@link Event} of {@link agentTopic}, as the agent runtime reports it. Its
 * project id is not trusted: the key decides.
 */
export const AgentEvent = Event.mapFields(
  Struct.assign({
    topic: Schema.Literal(agentTopic),
    kind: Schema.NonEmptyString.check(Schema.isMaxLength(100)),
    key: Schema.NonEmptyString.check(Schema.isMaxLength(255))
  })
).annotate({ identifier: "AgentEvent" })
export type AgentEvent = typeof AgentEvent.Type
