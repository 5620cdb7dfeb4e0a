import { NodeServices } from "@effect/platform-node"
import { Config, Effect, FileSystem, Layer, ManagedRuntime, Option, Redacted } from "effect"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { EmbeddedPostgres } from "@portico/store/EmbeddedPostgres"
import { clusterFolder, clusterPrefix } from "./clusterFolder.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The URL of the test run's only server. Each test creates its own database on it, see TestDatabase. */
    readonly databaseUrl: string
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

export default async ({ provide }: TestProject) => {
  const other = await Effect.runPromise(given)
  if (Option.isSome(other)) return provide("databaseUrl", other.value)
  const runtime = ManagedRuntime.make(server)
  const { url } = await runtime.runPromise(EmbeddedPostgres)
  provide("databaseUrl", Redacted.value(url))
  return () => runtime.dispose()
}
