import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { randomUUID } from "node:crypto"
import { inject } from "vitest"

/**
 * A new, empty database on the test run's server. It is dropped when the scope
 * closes. The layer also provides its client; `url` is for code with its own
 * connection, such as a second replica.
 */
export class TestDatabase extends Context.Service<TestDatabase, { readonly url: Redacted.Redacted<string> }>()(
  "portico/testing/store/TestDatabase"
) {
  static readonly layerUrl = Layer.effect(
    TestDatabase,
    Effect.gen(function* () {
      const server = inject("databaseUrl")
      const sql = yield* PgClient.makeClient({ url: Redacted.make(server) })
      const name = `test_${randomUUID().replaceAll("-", "")}`
      yield* Effect.acquireRelease(sql`CREATE DATABASE ${sql(name)}`, () =>
        // FORCE, because the code under test may have left connections open.
        Effect.orDie(sql`DROP DATABASE ${sql(name)} WITH (FORCE)`)
      )
      return { url: Redacted.make(new URL(name, server).href) }
    })
  ).pipe(Layer.provide(Reactivity.layer), Layer.orDie)

  static readonly layer = Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url }))).pipe(
    Layer.orDie,
    Layer.provideMerge(TestDatabase.layerUrl)
  )
}
