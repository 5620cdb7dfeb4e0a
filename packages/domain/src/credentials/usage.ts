import type { Caller } from "@portico/contract/Access"
import type { UsageEntry } from "@portico/contract/Credentials"
import { AuditData, agentTopic, auditTopic } from "@portico/contract/Events"
import { pageOf, type PageRequest, pageRequestOf } from "@portico/contract/Page"
import type { EventRow } from "@portico/store/EventLog"
import { type Counted, Usage } from "@portico/store/Usage"
import { Effect, Option, Schema } from "effect"
import { listedProject } from "../access/reach.ts"
import { isAudited } from "../audit/Audit.ts"
import { isoOf } from "./entry.ts"
import { positionOf } from "./list.ts"

/** How many events are added up together. */
const batchSize = 1000

/** How often credentials were used (contract, Credential usage row): a tenant's own, or all for an administrator. */
export const showUsage = Effect.fn("credentials.usage")(function* (
  caller: Caller,
  includeRevoked: boolean,
  page: PageRequest = pageRequestOf({})
) {
  const listed = { projectId: yield* Effect.fromResult(listedProject(caller)), includeRevoked }
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
      last_used_at: isoOf(row.last_call_at)
    }))
  }
})

/** Adds up what was published since the last time, to the end of the log. Every replica runs it. */
export const foldUsage = Effect.gen(function* () {
  const usage = yield* Usage
  for (const [topic, counted] of topics) {
    yield* Effect.repeat(usage.fold(topic, batchSize, counted), { until: (events) => events < batchSize })
  }
}).pipe(Effect.withSpan("credentials.foldUsage"))

const decode = Schema.decodeUnknownOption(AuditData)

/** A write that was done: neither refused nor without an answer, no mint, which is no call (contract), and no read. */
const countedWrite = ({ at, envelope, key }: EventRow): Counted | undefined => {
  const data = Option.getOrUndefined(decode(envelope["data"]))
  return data !== undefined && data.status !== null && data.status < 400 && !isMint(data) && !isRead(data)
    ? { by: { credentialId: key }, at }
    : undefined
}

/** Some reads are recorded, and are no more than reads. What a GET has made another protocol of is none. */
const isRead = ({ method, status }: AuditData): boolean => !isAudited(method) && status !== 101

const mints: ReadonlySet<string> = new Set(["/v1/credentials", "/v1/credentials/:credential_id/rotate"])

const isMint = ({ method, route }: AuditData): boolean => method === "POST" && route !== null && mints.has(route)

const topics: ReadonlyArray<readonly [topic: string, counted: (event: EventRow) => Counted | undefined]> = [
  [auditTopic, countedWrite],
  [agentTopic, ({ at, key }) => ({ by: { userId: key }, at })]
]
