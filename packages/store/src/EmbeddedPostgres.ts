import { NodeFileSystem } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, FileSystem, Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { binariesFor } from "./embedded/binaries.ts"
import { EmbeddedPostgresError } from "./embedded/EmbeddedPostgresError.ts"
import { homeFor } from "./embedded/Home.ts"
import { initialise } from "./embedded/initialise.ts"
import { serve } from "./embedded/serve.ts"
import { takeOver } from "./embedded/takeOver.ts"

export { EmbeddedPostgresError }

export interface EmbeddedPostgresOptions {
  /** A directory for this cluster alone, created when it is missing. */
  readonly dataDir: string
  /** A free port is chosen unless one is given. */
  readonly port?: number | undefined
  /** `false` trades crash safety for speed. For disposable data, as in tests. */
  readonly durable?: boolean | undefined
}

/**
 * A real PostgreSQL server from an npm package, for `npm start` and for tests.
 * It runs while the layer's scope is open, on loopback only. Its data outlives
 * it.
 */
export class EmbeddedPostgres extends Context.Service<
  EmbeddedPostgres,
  {
    /** The database `portico`, as `postgres://portico:<password>@127.0.0.1:<port>/portico`. */
    readonly url: Redacted.Redacted<string>
    /** The URL of another database on the same server, which is created when it is missing. */
    database(name: string): Effect.Effect<Redacted.Redacted<string>, EmbeddedPostgresError>
  }
>()("portico/store/EmbeddedPostgres") {
  static readonly layer = (options: EmbeddedPostgresOptions) =>
    Layer.effect(EmbeddedPostgres, make(options)).pipe(Layer.provide(NodeFileSystem.layer))
}

const make = Effect.fn("EmbeddedPostgres.make")(function* ({ dataDir, durable = true, port }: EmbeddedPostgresOptions) {
  const fs = yield* FileSystem.FileSystem
  const home = yield* homeFor(dataDir)
  const bin = yield* binariesFor(home)
  yield* initialise(home, bin, durable)
  yield* takeOver(home)
  const host = `127.0.0.1:${yield* serve(home, bin, { port, durable })}`
  const password = yield* fs.readFileString(home.password)

  const url = (name: string) => Redacted.make(`postgres://portico:${password}@${host}/${encodeURIComponent(name)}`)

  const database = Effect.fn("EmbeddedPostgres.database")(
    function* (name: string) {
      const sql = yield* PgClient.makeClient({ url: url("postgres") })
      const found = yield* sql`SELECT 1 FROM pg_database WHERE datname = ${name}`
      if (found.length === 0) yield* sql`CREATE DATABASE ${sql(name)}`
      return url(name)
    },
    Effect.scoped,
    Effect.provide(Reactivity.layer),
    Effect.mapError(EmbeddedPostgresError.from)
  )

  return EmbeddedPostgres.of({ url: yield* database("portico"), database })
}, Effect.mapError(EmbeddedPostgresError.from))
