import { PgClient } from "@effect/sql-pg"
import type { PageRequest } from "@portico/contract/Page"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CredentialRow } from "./Credentials.ts"
import { EventLog, EventRow } from "./EventLog.ts"
import { credentialCount, credentialPage, type Found, type Listed } from "./Pages.ts"
import { moment, rowsOf } from "./rows.ts"

/** A machine credential with the number of its counted calls and the time of the last one. */
export const UsageRow = Schema.Struct({
  ...CredentialRow.fields,
  call_count: Schema.Int,
  last_call_at: Schema.NullOr(moment)
})
export type UsageRow = typeof UsageRow.Type

/** A counted call, attributed to a credential by its id or by its machine user's id. */
export interface Counted {
  readonly by: { readonly credentialId: string } | { readonly userId: string }
  readonly at: DateTime.Utc
  /** What an agent called, for a tool call. */
  readonly tool?: {
    /** Null when its name is not known. */
    readonly name: string | null
    readonly refused: boolean
  }
}

/** What a credential's agent did, or the agent of a membership's person. */
export const AgentUsage = Schema.Struct({
  credential_id: Schema.String,
  /** Tool calls, the refused ones among them. */
  calls: Schema.Int,
  refused: Schema.Int,
  last_tool: Schema.NullOr(Schema.String),
  last_call_at: moment
})
export type AgentUsage = typeof AgentUsage.Type

/** One use of a credential. */
export interface Use {
  readonly credentialId: string
  readonly at: DateTime.Utc
  /** The source address. */
  readonly from: string
}

/** Usage of credentials: call counts, summed up from the event log, and the last use of any kind. */
export class Usage extends Context.Service<
  Usage,
  {
    /**
     * Adds the next events of a topic to the counts, in order. The cursor is
     * stored in the same transaction, so that every event counts once across
     * all replicas. Returns how many events were read: none at the log's end,
     * and while another replica holds the cursor.
     */
    fold(topic: string, limit: number, counted: (event: EventRow) => Counted | undefined): Effect.Effect<number>
    page(listed: Listed, page: PageRequest): Effect.Effect<Found<UsageRow>>
    /** What agents did with these credentials and memberships; one that no agent used is left out. */
    agents(credentialIds: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<AgentUsage>>
    /**
     * Stores last uses. A use older than the stored one changes nothing. It
     * notifies no process and waits for no lock: it returns the ids of records
     * that another transaction had locked, to be written later.
     */
    note(uses: ReadonlyArray<Use>): Effect.Effect<ReadonlyArray<string>>
  }
>()("portico/store/Usage") {
  static readonly layer = Layer.effect(
    Usage,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { json } = yield* PgClient.PgClient
      const log = yield* EventLog
      const { rows } = rowsOf(UsageRow)
      const agents = rowsOf(AgentUsage)
      const counts = credentialCount(sql)
      const page = credentialPage(sql)

      const add = (calls: ReadonlyArray<Sum>) => sql`
        INSERT INTO credential_usage AS held (credential_id, call_count, last_call_at)
        SELECT credential_id, sum(count)::bigint, max(at)
        FROM jsonb_to_recordset(${json(calls)}) AS given (credential text, "user" text, count int, at timestamptz)
        JOIN credentials ON credential_id = given.credential OR user_id = given.user
        WHERE kind <> 'member'
        GROUP BY credential_id
        ON CONFLICT (credential_id) DO UPDATE
        SET call_count = held.call_count + EXCLUDED.call_count,
          last_call_at = GREATEST(held.last_call_at, EXCLUDED.last_call_at)`

      // Without a limit by kind: people act through agents too.
      const addToolCalls = (calls: ReadonlyArray<Sum>) => sql`
        INSERT INTO agent_usage AS held (credential_id, calls, refused, last_tool, last_call_at)
        SELECT credential_id, sum(given.calls)::bigint, sum(given.refused)::bigint,
          (array_agg(tool ORDER BY at DESC))[1], max(at)
        FROM jsonb_to_recordset(${json(calls.flatMap(toolCallsOf))})
          AS given (credential text, "user" text, calls int, refused int, tool text, at timestamptz)
        JOIN credentials ON credential_id = given.credential OR user_id = given.user
        GROUP BY credential_id
        ON CONFLICT (credential_id) DO UPDATE
        SET calls = held.calls + EXCLUDED.calls, refused = held.refused + EXCLUDED.refused,
          last_tool = CASE WHEN EXCLUDED.last_call_at >= held.last_call_at THEN EXCLUDED.last_tool ELSE held.last_tool END,
          last_call_at = GREATEST(held.last_call_at, EXCLUDED.last_call_at)`

      const fold = Effect.fnUntraced(function* (
        topic: string,
        limit: number,
        counted: (event: EventRow) => Counted | undefined
      ) {
        const [cursor] = yield* sql<{ sequence: number }>`
          SELECT sequence::float8 AS sequence FROM usage_cursors WHERE topic = ${topic} FOR UPDATE SKIP LOCKED`
        if (cursor === undefined) return 0
        const events = yield* log.page(topic, cursor.sequence, limit)
        const last = events.at(-1)
        if (last === undefined) return 0
        const calls = summed(events, counted)
        if (calls.length > 0) yield* add(calls)
        if (calls.some((_) => _.tools !== null)) yield* addToolCalls(calls)
        yield* sql`UPDATE usage_cursors SET sequence = ${last.sequence}::float8::bigint WHERE topic = ${topic}`
        return events.length
      })

      return Usage.of({
        fold: (topic, limit, counted) => Effect.orDie(sql.withTransaction(fold(topic, limit, counted))),
        page: (listed, request) =>
          Effect.all(
            {
              count: counts(listed),
              rows: rows(sql`
                SELECT page.*, COALESCE(call_count, 0)::float8 AS call_count, last_call_at
                FROM (${page(listed, request)}) AS page LEFT JOIN credential_usage USING (credential_id)
                ORDER BY created_at, credential_id`)
            },
            { concurrency: 2 }
          ),
        agents: (credentialIds) =>
          agents.rows(sql`
            SELECT credential_id, calls::float8 AS calls, refused::float8 AS refused, last_tool, last_call_at
            FROM agent_usage WHERE credential_id = ANY(${credentialIds}::text[]) ORDER BY credential_id`),
        note: (uses) =>
          uses.length === 0
            ? Effect.succeed([])
            : Effect.map(
                Effect.orDie(sql<{ id: string }>`
                  WITH used AS (
                    SELECT id, at, "from" FROM jsonb_to_recordset(${json(uses.map(asJson))}) AS given (id text, at timestamptz, "from" text)
                  ), free AS (
                    SELECT credential_id FROM credentials WHERE credential_id IN (SELECT id FROM used)
                    FOR NO KEY UPDATE SKIP LOCKED
                  ), written AS (
                    UPDATE credentials SET last_used_at = used.at, last_used_from = used.from,
                      idle_since = date_trunc('day', used.at, 'UTC')
                    FROM used WHERE credential_id = used.id AND credential_id IN (SELECT credential_id FROM free)
                      AND (last_used_at IS NULL OR last_used_at < used.at)
                  )
                  SELECT credential_id AS id FROM credentials
                  WHERE credential_id IN (SELECT id FROM used) AND credential_id NOT IN (SELECT credential_id FROM free)`),
                (_) => _.map(({ id }) => id)
              )
      })
    })
  ).pipe(Layer.provide(EventLog.layer))
}

/** The calls of one credential within a batch of events. One of `credential` and `user` is set. */
export interface Sum {
  readonly credential: string | null
  readonly user: string | null
  readonly count: number
  /** The time of the last call, ISO 8601. */
  readonly at: string
  /** The tool calls among them; null without any. */
  readonly tools: ToolCalls | null
}

export interface ToolCalls {
  readonly calls: number
  readonly refused: number
  /** Of the last one. */
  readonly tool: string | null
  readonly at: string
}

const toolCallsOf = ({ credential, tools, user }: Sum) => (tools === null ? [] : [{ credential, user, ...tools }])

export const summed = (
  events: ReadonlyArray<EventRow>,
  counted: (event: EventRow) => Counted | undefined
): ReadonlyArray<Sum> => {
  const sums = new Map<string, Sum>()
  for (const event of events) {
    const call = counted(event)
    if (call === undefined) continue
    const credential = "credentialId" in call.by ? call.by.credentialId : null
    const user = "userId" in call.by ? call.by.userId : null
    const key = `${credential === null ? "user" : "credential"} ${credential ?? user}`
    const before = sums.get(key)
    const at = DateTime.formatIso(call.at)
    sums.set(key, {
      credential,
      user,
      count: (before?.count ?? 0) + 1,
      at: before !== undefined && before.at > at ? before.at : at,
      tools: withTool(before?.tools ?? null, call, at)
    })
  }
  return [...sums.values()]
}

const withTool = (before: ToolCalls | null, { tool }: Counted, at: string): ToolCalls | null => {
  if (tool === undefined) return before
  const isLast = before === null || before.at <= at
  return {
    calls: (before?.calls ?? 0) + 1,
    refused: (before?.refused ?? 0) + (tool.refused ? 1 : 0),
    tool: isLast ? tool.name : before.tool,
    at: isLast ? at : before.at
  }
}

const asJson = ({ at, credentialId, from }: Use) => ({ id: credentialId, at: DateTime.formatIso(at), from })
