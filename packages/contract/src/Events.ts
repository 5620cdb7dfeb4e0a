import { Schema, Struct } from "effect"
import { AlarmSeverity } from "./Alarms.ts"
import { AlarmState } from "./Autoscaling.ts"
import { meanings } from "./describe.ts"
import { InstanceMetric } from "./Metrics.ts"

/** The envelope of every event, on every topic (contract, Events). */
export const Event = Schema.Struct({
  id: Schema.String.check(Schema.isUUID()).annotateKey({
    description: "The id of the event, a UUID. An event that arrives again has the same one."
  }),
  topic: Schema.String.annotateKey({ description: "The subject of the event, such as `alarms`." }),
  kind: Schema.String.annotateKey({
    description: "The kind of the event, such as `volume.create`. A later version may have further kinds."
  }),
  at: Schema.String.check(
    Schema.isPattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, { expected: "a moment in UTC, with milliseconds" })
  ).annotateKey({ description: "When it happened, RFC 3339, UTC, with milliseconds." }),
  key: Schema.String.annotateKey({
    description: "The id of the resource or of the caller, depending on the topic. Events of one key are in order."
  }),
  project_id: Schema.NullOr(Schema.String).annotateKey({
    description: "The project that the event belongs to. Null when the gateway does not know it."
  }),
  data: Schema.JsonObject.annotateKey({
    description:
      "The details, with the fields of the `kind`: ids, sizes and states, never a secret. A later version may " +
      "have further fields."
  })
}).annotate({
  identifier: "Event",
  description: "An event. It may arrive more than once, so drop an `id` that you have seen."
})
export type Event = typeof Event.Type

/** An {@link Event} of one topic, with the kinds and the data that it has there. */
const eventOf = <Topic extends string, Kind extends Schema.Top, Data extends Schema.Top>(
  identifier: string,
  topic: Topic,
  kind: Kind,
  data: Data
) =>
  Event.mapFields(
    Struct.assign({
      topic: Schema.Literal(topic).annotate({ description: "The topic of the event." }),
      kind,
      data
    })
  ).annotate({ identifier })

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
  /** The number of servers that the call requested, minimum and maximum: of a reservation whose servers are unknown. */
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
export const LifecycleEvent = eventOf("LifecycleEvent", lifecycleTopic, LifecycleKind, LifecycleData)
export type LifecycleEvent = typeof LifecycleEvent.Type

/** Actions of autoscaling groups. The key is the group's id. */
export const asgTopic = "asg.lifecycle"

export const AsgKind = meanings("The action of the group.", {
  "group.scaled_out": "It added one server.",
  "group.scaled_in": "It removed one server.",
  "group.server_replaced": "A server was broken or gone, and the group replaced it.",
  "group.limited": "A quota allows no further server."
})
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
export const AsgEvent = eventOf("AsgEvent", asgTopic, AsgKind, AsgData)
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
export const AlarmEvent = eventOf("AlarmEvent", alarmTopic, Schema.Literal("alarm.state_changed"), AlarmData)
export type AlarmEvent = typeof AlarmEvent.Type

/** Every completed write on the API. The key is the credential's id, or else the user's. */
export const auditTopic = "api.audit"

/** Each tool call of an agent. The key is its user's id: the credential's machine user, or the person. */
export const agentTopic = "agent.actions"

/** The key of audit events whose caller is not known. */
export const unknownCaller = "unknown"

export const Actor = meanings("Who made the call.", {
  person: "A person who logged in.",
  agent: "An agent: a credential of kind `mcp`, or the token of any caller on the agent plane.",
  key: "A machine credential of another kind.",
  workload: "A workload of a tenant's cluster.",
  operator: "A platform administrator.",
  unknown: "The gateway did not know the caller, or the record is older than this field."
})
export type Actor = typeof Actor.Type

export const AuditData = Schema.Struct({
  method: Schema.String.annotateKey({ description: "The HTTP method of the call." }),
  route: Schema.NullOr(Schema.String).annotateKey({
    description:
      "The path with `:name` for every id in it, such as `/v1/credentials/:credential_id`. Null for an unknown path."
  }),
  resources: Schema.Array(Schema.String).annotateKey({
    description: "The ids in the path, in order, at most 10. Values that cannot be an id are left out."
  }),
  status: Schema.NullOr(Schema.Int).annotateKey({
    description:
      "The HTTP status of the response; 101 when the connection switched protocols. Null when the client did not wait for the response."
  }),
  parameters: Schema.Array(Schema.String).annotateKey({
    description: "The names of the query parameters, never their values, at most 50."
  }),
  fields: Schema.NullOr(Schema.Array(Schema.String)).annotateKey({
    description:
      "The names of the fields at the top of the body, never their values, at most 50. Null for a body that was forwarded unread, and for a call that was refused before the gateway read the body."
  }),
  user_id: Schema.NullOr(Schema.String).annotateKey({
    description: "The caller's user id at the identity provider. Null when the gateway does not know the caller."
  }),
  credential_id: Schema.NullOr(Schema.String).annotateKey({
    description:
      "The machine credential of the call, the membership of a person, or the mapping of a workload's cluster. Null for a platform administrator, for a user without a record here, and for an unknown caller."
  }),
  tier: Schema.NullOr(Schema.Int).annotateKey({
    description:
      "The permission tier (0, 1 or 2) that the caller held, as the access policies leave it. Null for an unknown caller."
  }),
  source: Schema.NullOr(Schema.String).annotateKey({
    description: "The client's IP address. Null when the gateway does not know it."
  }),
  request_id: Schema.String.annotateKey({ description: "The `X-Request-Id` of the response." }),
  actor: Schema.optionalKey(Actor)
}).annotate({ description: "The call." })
export type AuditData = typeof AuditData.Type

/** An {@link Event} of {@link auditTopic}. */
export const AuditEvent = eventOf(
  "AuditEvent",
  auditTopic,
  Schema.Literal("api.call").annotate({ description: "A call was completed." }),
  AuditData
)
export type AuditEvent = typeof AuditEvent.Type

/** What came of a tool call. */
export const AgentOutcome = meanings("The outcome of the tool call.", {
  succeeded: "It was done.",
  refused: "It was not allowed or not valid, and changed nothing.",
  failed: "The gateway or the platform failed; something may have been done.",
  planned: "Nothing was changed yet: the call was kept as a plan that is applied by another call.",
  declined: "A person was asked to confirm the call and did not.",
  unknown:
    "The gateway does not know: the client disconnected, or the process ended during the call. If the process " +
    "ended, `at` is when the call began."
})
export type AgentOutcome = typeof AgentOutcome.Type

export const AgentActionData = Schema.Struct({
  user_id: Schema.String.annotateKey({ description: "The caller's user id at the identity provider." }),
  credential_id: Schema.NullOr(Schema.String).annotateKey({
    description:
      "The machine credential of the call, or the membership of the person whose token the agent used. Null for a user without a record here."
  }),
  tier: Schema.Int.annotateKey({ description: "The permission tier (0 or 1) that the agent held." }),
  tool: Schema.String.annotateKey({ description: "The name of the tool, such as `databases_create`." }),
  arguments: Schema.Array(Schema.String).annotateKey({
    description: "The names of the arguments, never their values, at most 50."
  }),
  method: Schema.NullOr(Schema.String).annotateKey({
    description: "The HTTP method of the API operation behind the tool. Null for a tool without one."
  }),
  route: Schema.NullOr(Schema.String).annotateKey({
    description: "The path of that operation, with `:name` for every id in it. Null for a tool without one."
  }),
  resources: Schema.Array(Schema.String).annotateKey({
    description: "The ids in the path, in order, at most 10. Values that cannot be an id are left out."
  }),
  outcome: AgentOutcome,
  status: Schema.NullOr(Schema.Int).annotateKey({
    description:
      "The HTTP status that the API answered. Null when the tool made no API call, or the answer is not known."
  }),
  code: Schema.NullOr(Schema.String).annotateKey({
    description: "The code of the failure, see the list of errors. Null without one."
  }),
  source: Schema.NullOr(Schema.String).annotateKey({
    description: "The client's IP address. Null when the gateway does not know it."
  }),
  request_id: Schema.String.annotateKey({
    description: "The `X-Request-Id` of the request. The API calls of the tool have the same one."
  })
}).annotate({ description: "The tool call." })
export type AgentActionData = typeof AgentActionData.Type

/** The kind of the events that the agent plane writes. What an agent runtime reports over Kafka has other kinds. */
export const agentActionKind = "agent.tool_called"

/** An {@link Event} of {@link agentTopic} that the agent plane wrote. */
export const AgentActionEvent = eventOf(
  "AgentActionEvent",
  agentTopic,
  Schema.Literal(agentActionKind).annotate({ description: "An agent called a tool." }),
  AgentActionData
)
export type AgentActionEvent = typeof AgentActionEvent.Type

/** Events of budgets. The key is the budget's id. */
export const budgetTopic = "billing.budgets"

/** Creation, rotation, suspension and revocation of machine credentials. The key is the credential's id. */
export const credentialTopic = "iam.credentials"

/** An expiry is no event: it is known from the beginning. */
export const CredentialKind = meanings("The change of the credential.", {
  "credential.created": "It was minted completely.",
  "credential.rotated": "Another credential replaces it, and it ends at `revokes_at`.",
  "credential.suspended": "Its project is being deleted, or its account is closing.",
  "credential.restored": "The deletion or closure was cancelled.",
  "credential.revoked": "It never works again."
})
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
export const CredentialEvent = eventOf("CredentialEvent", credentialTopic, CredentialKind, CredentialData)
export type CredentialEvent = typeof CredentialEvent.Type

/** State changes of the endpoints to which a tenant has events sent. The key is the endpoint's id. */
export const webhookTopic = "webhooks"

/** The topics that tenants read. {@link auditTopic} has its own route. */
export const topicMeanings = {
  [agentTopic]: "Tool calls of agents.",
  [alarmTopic]: "Alarms that changed their state.",
  [asgTopic]: "Autoscaling groups that added, removed or replaced a server, or reached a limit.",
  [budgetTopic]: "Budgets that the month's costs reached. For callers with billing access.",
  [credentialTopic]: "Machine credentials that were created, rotated, suspended, restored or revoked.",
  [lifecycleTopic]: "Servers, volumes, floating IPs and load balancers that began, changed or ended to be billed.",
  [webhookTopic]: "Webhooks and integrations that were disabled, and addresses that were asked for confirmation."
} as const

export const TenantTopic = meanings("The topic of events.", topicMeanings)
export type TenantTopic = typeof TenantTopic.Type

export const tenantTopics: ReadonlyArray<TenantTopic> = TenantTopic.literals

/**
 * The topics of the log that are relayed to Kafka, if configured. Agent runtimes write to {@link agentTopic} too: the
 * gateway reads it from Kafka, and relays its own events alone.
 */
export const relayedTopics = [
  auditTopic,
  agentTopic,
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
