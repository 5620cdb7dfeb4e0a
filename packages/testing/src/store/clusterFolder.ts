import { Effect } from "effect"
import { statfs } from "node:fs/promises"
import { tmpdir } from "node:os"

/**
 * The folder for the clusters of a test run. Creating a database takes a tenth of the time in memory. Containers often
 * have only 64 MB of `/dev/shm`.
 */
export const clusterFolder: Effect.Effect<string> = Effect.tryPromise(() => statfs("/dev/shm")).pipe(
  Effect.filterOrFail(({ bavail, bsize }) => bavail * bsize > 2 ** 31),
  Effect.as("/dev/shm"),
  Effect.orElseSucceed(() => tmpdir())
)

/** How the directory of a cluster is called: the next run removes those of processes that are gone. */
export const clusterPrefix = `portico-postgres-${process.pid}-`
