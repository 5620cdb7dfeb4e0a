import type { AuditRecord } from "@portico/contract/Audit"
import { AgentActionEvent, agentActionKind, agentTopic, AuditEvent, auditTopic } from "@portico/contract/Events"
import type { EventRow } from "@portico/store/EventLog"
import { DateTime, Schema } from "effect"

/** The topics that the audit is read from, in the log's order. */
export const auditTopics: ReadonlyArray<string> = [auditTopic, agentTopic]

/** An event of {@link auditTopics} with its position in the log. */
export interface Entry {
  readonly sequence: number
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly projectId: string | null
  /** Undefined for what an agent runtime reported over Kafka: the gateway did not see it happen. */
  readonly record: AuditRecord | undefined
}

const decodeCall = Schema.decodeUnknownSync(AuditEvent)
const decodeAction = Schema.decodeUnknownSync(AgentActionEvent)

/**
 * Decodes the event of a row; undefined for a report of an agent runtime. Rows of this and other replicas decode; any
 * other row is a defect.
 */
export const eventOf = ({ envelope, topic }: EventRow): AuditEvent | AgentActionEvent | undefined => {
  if (topic === auditTopic) return decodeCall(envelope)
  return envelope["kind"] === agentActionKind ? decodeAction(envelope) : undefined
}

export const entryIn = (row: EventRow): Entry => entryOf(row, eventOf(row))

/** An event of a row in the audit's form. */
export const entryOf = (
  { at, envelope, sequence }: EventRow,
  event: AuditEvent | AgentActionEvent | undefined
): Entry => {
  if (event !== undefined) {
    return { sequence, at: Date.parse(event.at), projectId: event.project_id, record: recordOf(event) }
  }
  const project = envelope["project_id"]
  return {
    sequence,
    at: DateTime.toEpochMillis(at),
    projectId: typeof project === "string" ? project : null,
    record: undefined
  }
}

/** A tool call reads as the call of the API operation behind it, with the names of its arguments as parameters. */
export const recordOf = (event: AuditEvent | AgentActionEvent): AuditRecord => {
  const { at, id, project_id } = event
  if (event.topic === auditTopic) {
    const { actor = "unknown", ...data } = event.data
    return { id, at, project_id, ...data, actor, tool: null }
  }
  const { credential_id, method, request_id, resources, route, source, status, tier, tool, user_id } = event.data
  return {
    id,
    at,
    project_id,
    method,
    route,
    resources,
    status,
    parameters: event.data.arguments,
    fields: null,
    user_id,
    credential_id,
    tier,
    source,
    request_id,
    actor: "agent",
    tool
  }
}
