import type { Caller } from "@portico/contract/Access"
import type { UsageEntry } from "@portico/contract/Credentials"
import { AgentActionData, AuditData, agentTopic, auditTopic } from "@portico/contract/Events"
import { pageOf, type PageRequest, pageRequestOf } from "@portico/contract/Page"
import type { EventRow } from "@portico/store/EventLog"
import { type Counted, Usage } from "@portico/store/Usage"
import { Effect, Option, Schema } from "effect"
import { listedProject } from "../access/reach.ts"
import { isAudited } from "../audit/Audit.ts"
import { isoOrNull } from "../isoOrNull.ts"
import { positionOf } from "./list.ts"

/** The events that are added up at once. */
const batchSize = 1000

/**
 * How often credentials were used (contract, Credential usage row): those of the caller's tenant,
 * or all for an administrator.
 */
export const showUsage = Effect.fn("credentials.usage")(function* (
  caller: Caller,
  includeRevoked: boolean,
  page: PageRequest = pageRequestOf({}),
  label?: string
) {
  const listed = { projectId: yield* Effect.fromResult(listedProject(caller)), includeRevoked, label }
  const found = yield* (yield* Usage).page(listed, page)
  const { next_cursor, rows } = pageOf(found.rows, page, positionOf)
  return {
    count: found.count,
    next_cursor,
    usage: rows.map((row): UsageEntry => ({
      credential_id: row.credential_id,
      label: row.label,
      project_id: row.project_id,
      call_count: row.call_count,
      last_used_at: isoOrNull(row.last_call_at)
    }))
  }
})

/** Adds up the events since the last run, to the end of the log. Any replica may run it. */
export const foldUsage = Effect.gen(function* () {
  const usage = yield* Usage
  for (const [topic, counted] of topics) {
    yield* Effect.repeat(usage.fold(topic, batchSize, counted), { until: (events) => events < batchSize })
  }
}).pipe(Effect.withSpan("credentials.foldUsage"))

const decode = Schema.decodeUnknownOption(AuditData)

/** A completed write: not refused, not without a response, and of a call that writes. */
const countedWrite = ({ at, envelope, key }: EventRow): Counted | undefined => {
  const data = Option.getOrUndefined(decode(envelope["data"]))
  return data !== undefined && data.status !== null && data.status < 400 && writes(data)
    ? { by: { credentialId: key }, at }
    : undefined
}

/**
 * Whether a call writes depends on its effect. Calls that tier 0 may make write nothing, whatever
 * their method, and neither do the {@link idlePosts} of a higher tier. Some reads are recorded too,
 * and do not count. A GET that upgrades to another protocol (101) counts.
 */
const writes = ({ method, route, status, tier }: AuditData): boolean =>
  tier !== 0 && (isAudited(method) ? !(method === "POST" && isIdle(route)) : status === 101)

const isIdle = (route: string | null): boolean => route !== null && idlePosts.some((_) => _.test(route))

/**
 * The routes whose POST does not count as a write: mints, which are no calls (contract), the
 * exchange of one token for another, and questions about the caller's own access. Every POST that
 * tier 0 may make is one of them.
 */
export const idlePosts: ReadonlyArray<RegExp> = [
  /^\/v1\/credentials$/,
  /^\/v1\/agents$/,
  /^\/v1\/credentials\/:credential_id\/rotate$/,
  /^\/v1\/workload-identity\/token-exchange$/,
  /^\/v1\/iaas\/identity\/(v3\/)?auth\/tokens$/,
  /^\/v1\/kubernetes\/apis\/authorization\.k8s\.io\/[^/]+\/selfsubject(access|rules)reviews$/,
  /^\/v1\/kubernetes\/apis\/authentication\.k8s\.io\/[^/]+\/selfsubjectreviews$/
]

const decodeToolCall = Schema.decodeUnknownOption(
  Schema.Struct({
    tool: AgentActionData.fields.tool.check(Schema.isMaxLength(100)),
    outcome: Schema.optionalKey(Schema.Unknown)
  })
)

/**
 * Every record of a tool call counts, refused ones too: the contract limits writes to completed ones, and counts tool
 * calls as such. A tool call that writes leaves a record on each of the two topics, and counts for both.
 */
const toolCall = ({ at, envelope, key }: EventRow): Counted => {
  const data = Option.getOrUndefined(decodeToolCall(envelope["data"]))
  return { by: { userId: key }, at, tool: { name: data?.tool ?? null, refused: data?.outcome === "refused" } }
}

const topics: ReadonlyArray<readonly [topic: string, counted: (event: EventRow) => Counted | undefined]> = [
  [auditTopic, countedWrite],
  [agentTopic, toolCall]
]
