import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Accounts } from "../src/Accounts.ts"
import { AgentPlans } from "../src/AgentPlans.ts"
import { AutoscalingGroups } from "../src/AutoscalingGroups.ts"
import { ConsoleSessions } from "../src/ConsoleSessions.ts"
import { Credentials } from "../src/Credentials.ts"
import { EventLog } from "../src/EventLog.ts"
import { Exposures } from "../src/Exposures.ts"
import { Journal } from "../src/Journal.ts"
import { Members } from "../src/Members.ts"
import { OrganisationUnits } from "../src/OrganisationUnits.ts"
import { Policies } from "../src/Policies.ts"
import { migrations } from "../src/migrations.ts"
import { Pages } from "../src/Pages.ts"
import { Rotations } from "../src/Rotations.ts"
import { Relays } from "../src/Relays.ts"
import { Signups } from "../src/Signups.ts"
import * as Store from "../src/Store.ts"
import { ProjectRecords } from "../src/ProjectRecords.ts"
import { Purges } from "../src/Purges.ts"
import { Tenants } from "../src/Tenants.ts"
import { Usage } from "../src/Usage.ts"
import { WorkloadIssuers } from "../src/WorkloadIssuers.ts"
import { WorkloadTokens } from "../src/WorkloadTokens.ts"
import { credential } from "./credential.ts"
import { limits, signup } from "./signup.ts"
import { replica } from "./replica.ts"
import { TestDatabase } from "@portico/testing/store/TestDatabase"

it.live(
  "replicas that start together, and later ones, migrate once",
  Effect.fnUntraced(
    function* () {
      const sql = yield* SqlClient.SqlClient

      yield* Effect.all(
        Array.from({ length: 6 }, () => replica),
        { concurrency: "unbounded" }
      )
      yield* replica

      const run = yield* sql<{ migration: string }>`
        SELECT lpad(migration_id::text, 4, '0') || '_' || name AS migration FROM portico_migrations ORDER BY 1`
      assert.deepStrictEqual(
        run.map((_) => _.migration),
        Object.keys(migrations)
      )
    },
    Effect.scoped,
    Effect.provide(TestDatabase.layerEmpty)
  )
)

/** The tables over one connection, which reads a whole table only when no index would do. */
const withoutScans = Layer.unwrap(
  Effect.map(TestDatabase, ({ url }) =>
    Layer.provideMerge(
      Store.layerNoDeps,
      PgClient.layer({ url, maxConnections: 1, startupParameters: { enable_seqscan: "off" } })
    )
  )
).pipe(Layer.provide(TestDatabase.layerUrl))

const later = { limit: 100, after: { at: 0, id: "cred-1" } }

/** How often each index and each table was scanned. */
const scans = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Statistics are otherwise up to a second old.
  yield* sql`SELECT pg_stat_force_next_flush()`
  const rows = yield* sql<{ name: string; scans: number }>`
    SELECT indexrelname AS name, idx_scan::int AS scans FROM pg_stat_user_indexes
    UNION ALL SELECT relname, seq_scan::int FROM pg_stat_user_tables`
  return new Map(rows.map((_) => [_.name, _.scans]))
})

it.live(
  "lookups by user, token, project, slug, lease and topic use an index",
  Effect.fnUntraced(function* () {
    const tenants = yield* Tenants
    const credentials = yield* Credentials
    const accounts = yield* Accounts
    const purges = yield* Purges
    const projectRecords = yield* ProjectRecords
    const journal = yield* Journal
    const members = yield* Members
    const log = yield* EventLog
    const signups = yield* Signups
    const units = yield* OrganisationUnits
    const policies = yield* Policies
    const issuers = yield* WorkloadIssuers
    const exposures = yield* Exposures
    const groups = yield* AutoscalingGroups
    const agentPlans = yield* AgentPlans
    const workloadTokens = yield* WorkloadTokens
    const consoleSessions = yield* ConsoleSessions
    const always = { address: Duration.zero, service: Duration.zero }
    const exposed = {
      exposure_id: "edge-2",
      project_id: "project-2",
      name: "web",
      hostname: "web.edge.example",
      service: "web",
      address: null,
      port: 80,
      domain: null
    }
    const madeAndRemoved = Effect.andThen(
      units.insert({ project_id: "project-1", path: "a", created_by: "operator" }),
      units.remove("project-1", "a")
    )
    yield* credentials.insert(credential("someone", { kind: "member" }))
    // Without a machine credential PostgreSQL 15 and 16 never look for those that somebody made.
    yield* credentials.insert(credential("made", { made_by: "someone" }))
    const pages = yield* Pages
    const usage = yield* Usage
    const lookups: ReadonlyArray<readonly [index: string, lookup: Effect.Effect<unknown, unknown>]> = [
      ["tenants_pkey", tenants.find("project-1")],
      ["tenants_pkey", tenants.beginChange("project-1", "standard")],
      ["tenants_slug_key", tenants.slugTaken("acme")],
      ["credentials_pkey", credentials.find("1")],
      ["credentials_user_id_key", credentials.findByUser("user-1")],
      ["credentials_pat_hash_key", credentials.derived({ patHash: "hash-1" })],
      ["credentials_page_of_project", pages.credentials({ projectId: "project-1", includeRevoked: false }, later)],
      ["credentials_whole_page_of_project", pages.credentials({ projectId: "project-1", includeRevoked: true }, later)],
      ["credentials_page_of_all", pages.credentials({ projectId: undefined, includeRevoked: false }, later)],
      ["credentials_whole_page_of_all", pages.credentials({ projectId: undefined, includeRevoked: true }, later)],
      ["credentials_page_of_project", usage.page({ projectId: "project-1", includeRevoked: false }, later)],
      ["record_counts_pkey", pages.credentials({ projectId: "project-1", includeRevoked: false }, later)],
      ["tenants_page", pages.tenants(later)],
      ["credentials_retiring", (yield* Rotations).claimOverdue],
      ["usage_cursors_pkey", usage.fold("api.audit", 100, () => undefined)],
      ["events_of_topic", usage.fold("api.audit", 100, () => undefined)],
      ["credentials_of_project", credentials.countLive("project-1")],
      ["credentials_of_project", credentials.insertWithin(credential("1"), 1)],
      ["credentials_minting", credentials.claimAbandonedMints],
      ["credentials_email", members.findByEmail("ann@acme.example")],
      ["credentials_owners", members.countOwners("project-1")],
      ["credentials_made_by", credentials.madeBelow("someone")],
      ["workload_tokens_made_by", credentials.madeBelow("1")],
      ["credentials_user_id_key", credentials.derived({ userId: "user-someone" })],
      ["credentials_member_due", members.claimAbandoned],
      ["onboardings_pkey", journal.find("attempt-1")],
      ["onboardings_pkey", journal.claim("attempt-1")],
      ["onboardings_slug", journal.slugHeld("acme")],
      ["onboardings_lease", journal.claimAbandoned],
      ["organisation_units_pkey", units.exists("project-1", "a.b")],
      ["organisation_units_page", units.list("project-1", { limit: 100, after: { at: 0, id: "a" } })],
      ["organisation_units_below", madeAndRemoved],
      ["credentials_of_unit", madeAndRemoved],
      ["policies_pkey", policies.along("project-1", "a.b.c")],
      ["policies_page", policies.list("project-1", { limit: 100, after: { at: 0, id: "a" } })],
      ["purges_pkey", purges.find("project-1")],
      ["purges_pkey", purges.cancel("project-1")],
      ["purges_due", purges.claim({ reason: "project_deletion" })],
      ["credentials_of_project", projectRecords.credentials("project-1")],
      ["accounts_pkey", accounts.find(1)],
      ["accounts_pkey", accounts.lock(1)],
      ["tenants_pkey", accounts.findByProject("project-1")],
      ["tenants_of_account", accounts.projects(1)],
      ["tenants_of_account", accounts.members(1)],
      ["accounts_due", accounts.claim],
      ["accounts_page", accounts.page(undefined, { limit: 100, after: { at: 0, id: "1" } })],
      ["accounts_state", accounts.page("closing", { limit: 100, after: { at: 0, id: "1" } })],
      ["signups_pkey", signups.find("signup-1")],
      ["signups_page", signups.page({ state: undefined, limit: 100, after: { at: 0, id: "a" } })],
      ["signups_state", signups.page({ state: "rejected", limit: 100, after: { at: 0, id: "a" } })],
      ["signups_email", signups.request(signup("1"), "192.0.2.1", limits)],
      ["signup_requests_at", signups.request(signup("2"), "192.0.2.1", limits)],
      ["signup_requests_source", signups.request(signup("3"), "192.0.2.1", limits)],
      ["workload_issuers_pkey", issuers.find("wi-1")],
      ["workload_issuers_issuer_key", issuers.findByIssuer("https://cluster.example")],
      ["workload_issuers_page", issuers.page({ limit: 100, after: { at: 0, id: "wi-1" } })],
      ["workload_issuers_project", issuers.removeOfProject("project-1")],
      ["edge_exposures_pkey", exposures.find("edge-1")],
      ["edge_exposures_pkey", exposures.known(["edge-1"])],
      ["edge_exposures_page", exposures.list("project-1")],
      ["edge_exposures_due", Effect.andThen(exposures.insert(exposed, undefined), exposures.claimDue(100, always))],
      ["edge_claims_verified", exposures.challengeOfOther("shop.example", "project-1")],
      ["edge_claims_released", exposures.prune],
      ["edge_claims_project", exposures.removeOfProject("project-1")],
      ["autoscaling_groups_name", groups.list("project-1")],
      ["autoscaling_groups_due", groups.claim],
      ["workload_tokens_pkey", workloadTokens.find("hash")],
      [
        "agent_plans_agent",
        agentPlans.insert({ plan_id: "plan-1", project_id: "p", user_id: "u", sealed: "" }, Duration.minutes(1), 1)
      ],
      ["workload_tokens_expiry", workloadTokens.prune],
      ["console_sessions_pkey", consoleSessions.find("customer", "hash")],
      ["console_sessions_pkey", consoleSessions.end("customer", "hash")],
      ["console_sessions_pkey", consoleSessions.page("hash")],
      ["console_sessions_person", consoleSessions.surplus("user-1")],
      ["console_sessions_due", consoleSessions.claimEnded()],
      ["console_sessions_ended", consoleSessions.isEnded("hash")],
      ["console_sessions_ended_before", consoleSessions.isEnded("hash")],
      ["events_of_topic", log.page("billing.lifecycle", 0, 100)],
      ["events_pkey", log.since(0, 100)],
      ["events_pkey", log.last],
      ["events_of_topic", log.window("api.audit", { from: undefined, to: undefined })],
      ["events_age", log.window("api.audit", { from: yield* DateTime.now, to: undefined })],
      ["events_age", log.window("api.audit", { from: undefined, to: yield* DateTime.now })],
      ["events_age", log.prune("billing.lifecycle", yield* DateTime.now)]
    ]
    for (const [index, lookup] of lookups) {
      const before = yield* scans
      yield* lookup
      const after = yield* scans
      assert.isAbove(after.get(index)!, before.get(index)!, `${index} is not used`)
      for (const table of ["tenants", "credentials", "onboardings", "events", "organisation_units", "policies"]) {
        assert.strictEqual(after.get(table), before.get(table), `${table} is read whole instead of ${index}`)
      }
    }
  }, Effect.provide(withoutScans))
)

it.live(
  "lists by kind, by maker and by use read their own rows, among many other credentials",
  Effect.fnUntraced(function* () {
    const sql = yield* SqlClient.SqlClient
    const pages = yield* Pages
    yield* (yield* Credentials).insert(credential("first"))
    // 100 old keys, of which 20 are unused, among 4900 agents that are forgotten.
    yield* sql`
      INSERT INTO credentials SELECT (jsonb_populate_record(first, jsonb_build_object(
        'credential_id', 'cred-' || n, 'user_id', 'user-' || n, 'client_id', 'client-' || n,
        'kind', CASE WHEN n % 50 = 0 THEN 'api-key' ELSE 'mcp' END,
        'project_id', 'project-' || n % 3, 'made_by', CASE WHEN n % 500 = 1 THEN 'first' ELSE 'else' END,
        'created_at', now() - interval '200 days',
        'last_used_at', CASE WHEN n % 50 = 0 AND n > 1000 THEN now() END,
        'idle_since', date_trunc('day',
          CASE WHEN n % 50 = 0 AND n > 1000 THEN now() ELSE now() - interval '200 days' END, 'UTC')
        ))).*
      FROM credentials AS first, generate_series(1, 5000) AS n`
    yield* sql`ANALYZE credentials`
    const live = { includeRevoked: false }
    for (const [index, listed, count] of [
      ["credentials_idle_of_project", { ...live, projectId: "project-1", kind: "api-key" }, undefined],
      ["keys_page_of_all", { ...live, projectId: undefined, kind: "api-key" }, undefined],
      ["credentials_idle_of_all", { ...live, projectId: undefined, unusedDays: 90, kind: "api-key" }, 20],
      ["credentials_idle_of_all", { ...live, projectId: undefined, unusedDays: 90 }, 4920],
      ["credentials_idle_of_project", { ...live, projectId: "project-1", unusedDays: 90, kind: "api-key" }, 7],
      ["credentials_made_by", { ...live, projectId: undefined, madeBy: "first" }, 10]
    ] as const) {
      const before = yield* scans
      const found = yield* pages.credentials(listed, later)
      const after = yield* scans
      assert.isAbove(after.get(index)!, before.get(index)!, `${index} is not used`)
      assert.strictEqual(after.get("credentials"), before.get("credentials"), `all are read instead of ${index}`)
      if (count !== undefined) assert.strictEqual(found.count, count, index)
    }
  }, Effect.provide(withoutScans))
)

it.live(
  "a list of agents reads the index of agents, among many other credentials",
  Effect.fnUntraced(function* () {
    const sql = yield* SqlClient.SqlClient
    const pages = yield* Pages
    yield* (yield* Credentials).insert(credential("first"))
    yield* sql`
      INSERT INTO credentials SELECT (jsonb_populate_record(first, jsonb_build_object(
        'credential_id', 'cred-' || n, 'user_id', 'user-' || n, 'client_id', 'client-' || n,
        'kind', CASE WHEN n % 50 = 0 THEN 'mcp' ELSE 'api-key' END,
        'project_id', 'project-' || n % 3,
        'state', CASE WHEN n % 4 = 0 THEN 'revoked' ELSE 'active' END))).*
      FROM credentials AS first, generate_series(1, 5000) AS n`
    yield* sql`ANALYZE credentials`
    for (const [index, projectId, includeRevoked] of [
      ["agents_page_of_project", "project-1", true],
      // Few enough to be sorted.
      ["credentials_idle_of_project", "project-1", false],
      ["credentials_idle_of_all", undefined, false],
      ["agents_page_of_all", undefined, true]
    ] as const) {
      const before = yield* scans
      const { rows } = yield* pages.credentials({ projectId, includeRevoked, kind: "mcp" }, later)
      const after = yield* scans
      assert.isNotEmpty(rows)
      assert.isAbove(after.get(index)!, before.get(index)!, `${index} is not used`)
      for (const other of ["credentials", "credentials_of_project"]) {
        assert.strictEqual(after.get(other), before.get(other), `${other} is read instead of ${index}`)
      }
    }
  }, Effect.provide(withoutScans))
)

it.live(
  "a query of quiet topics reads no events of a busy one",
  Effect.fnUntraced(function* () {
    const sql = yield* SqlClient.SqlClient
    const log = yield* EventLog
    const relays = yield* Relays
    const happen = (topic: string, count: number) => sql`
      INSERT INTO events (id, topic, key, at, envelope)
      SELECT gen_random_uuid(), ${topic}, 'key', now(), '{}' FROM generate_series(1, ${count}::int)`
    yield* happen("billing.lifecycle", 3)
    yield* happen("api.audit", 50_000)
    yield* sql`ANALYZE events`
    const rowsRead = Effect.gen(function* () {
      yield* sql`SELECT pg_stat_force_next_flush()`
      const [row] = yield* sql<{ count: number }>`
        SELECT sum(idx_tup_read)::int AS count FROM pg_stat_user_indexes WHERE relname = 'events'`
      return row?.count ?? 0
    })
    const topics = ["billing.lifecycle", "asg.lifecycle"]
    const reading = { topics, projectId: undefined, order: "asc", after: 3, limit: 100 } as const
    const readings: Readonly<Record<string, Effect.Effect<unknown>>> = {
      read: log.read(reading),
      "read, newest first": log.read({ ...reading, after: 40_000, order: "desc" }),
      newest: log.newest(topics),
      page: log.page("asg.lifecycle", 0, 100),
      backlogs: relays.backlogs("kafka/", topics)
    }
    for (const [name, reading] of Object.entries(readings)) {
      const before = yield* rowsRead
      yield* reading
      assert.isAtMost((yield* rowsRead) - before, 10, name)
    }
  }, Effect.provide(withoutScans))
)
