import { PgClient } from "@effect/sql-pg"
import * as PostgresClient from "@portico/store/client/PostgresClient"
import { migrated } from "@portico/store/Database"
import { Context, Duration, Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { inject } from "vitest"

/** For what hangs: on a busy machine nothing else takes so long. */
export const statementTime = Duration.minutes(5)

/** What a test needs of the run's server, over a connection that the tests of a worker share. */
const serverAt = (server: string) => {
  const at = (name: string) => Redacted.make(new URL(name, server).href)
  // With a runtime of its own, because the connection outlives the test that opens it, and the clock of that test.
  const runtime = ManagedRuntime.make(PgClient.layer({ url: Redacted.make(server), maxConnections: 2 }))
  const run = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
    Effect.promise(() => runtime.runPromise(effect))

  const fresh = (template: string) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) => {
      const name = newName()
      return Effect.as(sql`CREATE DATABASE ${sql(name)} TEMPLATE ${sql(template)} STRATEGY file_copy`, name)
    })
  const drop = (name: string) =>
    // FORCE, because the code under test may have left connections open.
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql`DROP DATABASE ${sql(name)} WITH (FORCE)`)

  /**
   * The run's migrated database, of which each test gets a copy. The first worker that needs it makes it, under another
   * name until it is whole. Another worker may be as fast; then one of the two is removed.
   */
  const template = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const name = inject("templateDatabase")
    const isThere = Effect.map(sql`SELECT FROM pg_database WHERE datname = ${name}`, (_) => _.length > 0)
    if (yield* isThere) return name
    const draft = yield* fresh("template1")
    yield* Effect.scoped(Layer.build(Layer.provide(migrated, PgClient.layer({ url: at(draft) }))))
    yield* sql`ALTER DATABASE ${sql(draft)} RENAME TO ${sql(name)}`.pipe(
      Effect.catch((error) => Effect.flatMap(isThere, (_) => (_ ? drop(draft) : Effect.fail(error))))
    )
    return name
  })
  const migratedOnce = Effect.runSync(Effect.cached(run(template)))

  const scoped = (template: Effect.Effect<string>) =>
    Effect.acquireRelease(
      Effect.flatMap(template, (_) => run(fresh(_))),
      (_) => run(drop(_))
    ).pipe(Effect.map((name) => ({ url: at(name) })))
  return { migrated: scoped(migratedOnce), empty: scoped(Effect.succeed("template1")) }
}

const newName = () => `test_${randomUUID().replaceAll("-", "")}`

const servers = new Map<string, ReturnType<typeof serverAt>>()

/** The projects of a run that share a worker may be on servers of different releases. */
const server = Effect.sync(() => {
  const url = inject("databaseUrl")
  const found = servers.get(url) ?? serverAt(url)
  servers.set(url, found)
  return found
})

/**
 * A new database on the test run's server, in which every migration has run. It
 * is dropped when the scope closes. The layer also provides its client; `url`
 * is for code with its own connection, such as a second replica.
 */
export class TestDatabase extends Context.Service<TestDatabase, { readonly url: Redacted.Redacted<string> }>()(
  "portico/testing/store/TestDatabase"
) {
  static readonly layerUrl = Layer.effect(
    TestDatabase,
    Effect.flatMap(server, (_) => _.migrated)
  )

  private static readonly client = Layer.orDie(
    Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PostgresClient.layer({ url, statementTime })))
  )

  static readonly layer = Layer.provideMerge(TestDatabase.client, TestDatabase.layerUrl)

  /** Without a migration, for what looks at these. */
  static readonly layerEmpty = Layer.provideMerge(
    TestDatabase.client,
    Layer.effect(
      TestDatabase,
      Effect.flatMap(server, (_) => _.empty)
    )
  )
}
