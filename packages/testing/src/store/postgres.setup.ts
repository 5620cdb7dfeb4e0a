import { NodeServices } from "@effect/platform-node"
import { Effect, FileSystem, Layer, ManagedRuntime, Redacted } from "effect"
import { statfs } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { EmbeddedPostgres } from "@portico/store/EmbeddedPostgres"

declare module "vitest" {
  interface ProvidedContext {
    /** The one server of a test run. Each test takes a database of its own on it, see TestDatabase. */
    readonly databaseUrl: string
  }
}

const serverIn = (directory: string) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      yield* removeLeftovers(directory)
      const dataDir = yield* fs.makeTempDirectoryScoped({ directory, prefix: `portico-postgres-${process.pid}-` })
      return EmbeddedPostgres.layer({ dataDir, durable: false })
    })
  )

/** A test run that was killed could not remove its directory. */
const removeLeftovers = Effect.fnUntraced(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  for (const name of yield* fs.readDirectory(directory)) {
    const pid = Number(/^portico-postgres-(\d+)-/.exec(name)?.[1] ?? process.pid)
    const isAlive = yield* Effect.isSuccess(Effect.try(() => process.kill(pid, 0)))
    if (!isAlive) yield* Effect.ignore(fs.remove(join(directory, name), { recursive: true }))
  }
})

/** In memory a database is created ten times as fast as on a disk. Containers often have but 64 MB of this kind. */
const inMemory = Layer.unwrap(
  Effect.tryPromise(() => statfs("/dev/shm")).pipe(
    Effect.filterOrFail(({ bavail, bsize }) => bavail * bsize > 2 ** 31),
    Effect.as(serverIn("/dev/shm"))
  )
)

const server = inMemory.pipe(
  Layer.catch(() => serverIn(tmpdir())),
  Layer.provide(NodeServices.layer)
)

export default async ({ provide }: TestProject) => {
  const runtime = ManagedRuntime.make(server)
  const { url } = await runtime.runPromise(EmbeddedPostgres)
  provide("databaseUrl", Redacted.value(url))
  return () => runtime.dispose()
}
