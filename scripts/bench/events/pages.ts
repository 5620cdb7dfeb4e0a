import { auditTopic } from "@portico/contract/Events"
import { Effect, Schema } from "effect"
import { sqlAt } from "../proxy/database.ts"
import { summaryOf } from "../numbers.ts"
import { millis, send } from "../requests.ts"
import { cell, type Part, ratio } from "../results.ts"
import { callsAs, type Gateway, type Stage } from "./stage.ts"

const records = 100_000
/** Of other tenants, in between. */
const others = 4
const limit = 1_000
const rounds = 7
/** So many pages at either end are compared. */
const ends = 20
const goal = 1.2

/**
 * Records of every tenant in turn, as calls would leave them behind.
 *
 * @param first the number of the first tenant
 */
export const fillAudit = Effect.fnUntraced(function* (url: string, each: number, tenants: number, first = 0) {
  const sql = yield* sqlAt(url)
  yield* sql`
      INSERT INTO events (id, topic, key, at, envelope)
      SELECT id, ${auditTopic}, 'cred-bench', at, jsonb_build_object(
        'id', id, 'topic', ${auditTopic}::text, 'kind', 'api.call', 'key', 'cred-bench',
        'at', to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'project_id', lpad(to_hex(${first}::int + n % ${tenants}::int), 32, '0'),
        'data', jsonb_build_object(
          'method', 'POST', 'route', '/v1/iaas/compute/servers/:id/action', 'resources', jsonb_build_array(id),
          'status', 202, 'parameters', '[]'::jsonb, 'fields', '["os-start"]'::jsonb, 'user_id', '200000000000000001',
          'credential_id', 'cred-bench', 'tier', 2, 'source', '203.0.113.7', 'request_id', id))
      FROM (
        SELECT n, gen_random_uuid() AS id, now() - interval '1 day' + n * interval '1 millisecond' AS at
        FROM generate_series(0, ${each * tenants - 1}::int) n
      ) AS call
      ORDER BY n`
  yield* sql`VACUUM ANALYZE events`
}, Effect.scoped)

const Page = Schema.fromJsonString(
  Schema.Struct({ records: Schema.Array(Schema.Unknown), next_cursor: Schema.NullOr(Schema.String) })
)

/** Reads all pages of a tenant, one after the other; answers the milliseconds of each. */
const paged = Effect.fnUntraced(function* (gateway: Gateway, tenant: number) {
  const took: Array<number> = []
  let read = 0
  let cursor: string | null = ""
  while (cursor !== null) {
    const query = new URLSearchParams({ order: "asc", limit: String(limit), ...(cursor === "" ? {} : { cursor }) })
    let text = ""
    took.push(
      yield* millis(
        Effect.map(send("GET", gateway.url(`/v1/audit?${query}`), 200, { headers: callsAs(tenant) }), (_) => {
          text = _
        })
      )
    )
    const page: typeof Page.Type = yield* Schema.decodeUnknownEffect(Page)(text)
    read += page.records.length
    cursor = page.next_cursor
  }
  if (read < records) return yield* Effect.die(new Error(`there were ${read} records, and not ${records}`))
  return took
})

/** Whether the hundredth page of the audit costs what the first one does. */
export const pages = Effect.fnUntraced(function* ({ gateway }: Stage) {
  const portico = yield* gateway("pages")
  yield* fillAudit(portico.database, records, others + 1)
  yield* paged(portico, 0)
  const measured = yield* Effect.replicateEffect(paged(portico, 0), rounds)
  const first = measured.map((_) => summaryOf(_.slice(0, ends)).median)
  const last = measured.map((_) => summaryOf(_.slice(-ends - 1, -1)).median)
  const compared = summaryOf(ratio(last, first))
  return {
    title: `${records} audit records in pages of ${limit}, among ${records * others} of others, ${rounds} rounds`,
    rows: [
      ["", "ms a page"],
      [`the first ${ends}`, cell(summaryOf(first), 2)],
      [`the last ${ends}`, cell(summaryOf(last), 2)]
    ],
    notes: [],
    goals: [{ what: "the last pages by the first", measured: compared, wanted: { atMost: goal } }],
    numbers: { first_ms: summaryOf(first), last_ms: summaryOf(last), last_by_first: compared }
  } satisfies Part
})
