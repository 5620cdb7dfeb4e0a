import { NodeServices } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { Config, Effect, FileSystem, Layer, ManagedRuntime, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { EmbeddedPostgres } from "@portico/store/EmbeddedPostgres"
import { clusterFolder, clusterPrefix } from "./clusterFolder.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The URL of the test run's only server. Each test creates its own database on it, see TestDatabase. */
    readonly databaseUrl: string
    /** The name of the run's migrated database there, of which TestDatabase makes copies. No other run has it. */
    readonly templateDatabase: string
  }
}

const serverIn = (directory: string) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      yield* removeLeftovers(directory)
      const dataDir = yield* fs.makeTempDirectoryScoped({ directory, prefix: clusterPrefix })
      return EmbeddedPostgres.layer({ dataDir, durable: false })
    })
  )

/** Removes the directories of killed test runs. */
const removeLeftovers = Effect.fnUntraced(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  for (const name of yield* fs.readDirectory(directory)) {
    const pid = Number(/^portico-postgres-(\d+)-/.exec(name)?.[1] ?? process.pid)
    const isAlive = yield* Effect.isSuccess(Effect.try(() => process.kill(pid, 0)))
    if (!isAlive) yield* Effect.ignore(fs.remove(join(directory, name), { recursive: true }))
  }
})

const server = Layer.unwrap(Effect.map(clusterFolder, serverIn)).pipe(Layer.provide(NodeServices.layer))

/** The URL of a server of another release to test on, whose user may create databases. */
const given = Config.option(Config.String("PORTICO_TEST_DATABASE_URL"))

/** A server that is not the run's own is left as it was. */
const removed = (name: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`DROP DATABASE IF EXISTS ${sql(name)} WITH (FORCE)`)

export default async ({ provide }: TestProject) => {
  const template = `template_${randomUUID().replaceAll("-", "")}`
  provide("templateDatabase", template)
  const other = await Effect.runPromise(given)
  if (Option.isSome(other)) {
    provide("databaseUrl", other.value)
    const client = PgClient.layer({ url: Redacted.make(other.value) })
    return () => Effect.runPromise(Effect.asVoid(Effect.provide(removed(template), client)))
  }
  const runtime = ManagedRuntime.make(server)
  const { url } = await runtime.runPromise(EmbeddedPostgres)
  provide("databaseUrl", Redacted.value(url))
  return () => runtime.dispose()
}
