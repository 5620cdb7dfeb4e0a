import { PgClient } from "@effect/sql-pg"
import { EmbeddedPostgres } from "@portico/store/EmbeddedPostgres"
import { Context, Effect, FileSystem, Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"

/** PostgreSQL while the scope is open; answers what makes an empty database and tells its URL. */
export const databases = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const dataDir = yield* fs.makeTempDirectoryScoped({ prefix: "portico-bench-" })
  const server = yield* Layer.build(EmbeddedPostgres.layer({ dataDir, durable: false }))
  const { database } = Context.get(server, EmbeddedPostgres)
  return (name: string) => Effect.map(database(name), Redacted.value)
})

/** A client of a database. */
export const sqlAt = (url: string) => Effect.provide(PgClient.makeClient({ url: Redacted.make(url) }), Reactivity.layer)

/**
 * Tenants, and credentials spread evenly over them, in a schema that a gateway
 * has made: the rows that onboardings and mints would leave behind.
 */
export const fill = Effect.fnUntraced(function* (url: string, tenants: number, credentials: number) {
  const sql = yield* sqlAt(url)
  yield* sql`
      INSERT INTO tenants (project_id, slug, name, tier, stamp)
      SELECT lpad(to_hex(n), 32, '0'), 'bench-' || n, 'Bench ' || n, 'extension', 'portico-attempt:bench-' || n
      FROM generate_series(0, ${tenants - 1}::int) n`
  yield* sql`
      INSERT INTO credentials
        (credential_id, project_id, user_id, kind, tier, label, state, client_id, pat_hash, created_by)
      SELECT 'cred-' || lpad(to_hex(n), 12, '0'), lpad(to_hex(n % ${tenants}::int), 32, '0'), '2' || lpad(n::text, 17, '0'),
        'api-key', 2, 'bench', 'active', 'bench-' || n, encode(sha256(n::text::bytea), 'base64'), 'bench'
      FROM generate_series(0, ${credentials - 1}::int) n`
  // Also by hand what the server would else do by itself in the middle of a measurement.
  yield* sql`VACUUM ANALYZE tenants`
  yield* sql`VACUUM ANALYZE credentials`
}, Effect.scoped)
