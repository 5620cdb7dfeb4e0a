import type { DatabaseCreate } from "@portico/contract/Databases"
import { Unprocessable } from "@portico/contract/Failures"
import { Effect } from "effect"
import { backupSettings } from "./backup.ts"
import { changingDatabases } from "./lease.ts"
import { makeKafka, makePostgres } from "./make.ts"
import { refused } from "./refused.ts"
import { postgresImage, versions } from "./versions.ts"

/**
 * Makes a database of a tenant (contract, Managed databases). What no database
 * can be is refused before anything is read, and what there is no room for
 * before anything is written. Sent again after a lost answer it is a 409, and
 * nothing is made twice.
 *
 * @returns the record, `pending`
 *
 * Errors: 404, 409, 422 and 503 as {@link makePostgres}; 409 when another
 * change of the tenant's databases takes too long; 409, 422 and 502 in the words
 * of who refuses.
 */
export const createDatabase = Effect.fn("databases.create")(
  function* (projectId: string, request: DatabaseCreate) {
    const { backup, engine, name, size_gb, version } = request
    if (!versions[engine].includes(version)) return yield* Unprocessable.databaseVersion(engine, versions[engine])
    if (engine === "kafka") {
      if (request.replicas !== undefined && request.replicas !== 1) return yield* Unprocessable.kafkaReplicas()
      if (backup?.enabled === true) return yield* Unprocessable.kafkaBackup()
      return yield* changingDatabases(projectId, makeKafka(projectId, { name, version, size_gb }))
    }
    const image = postgresImage(version) ?? ""
    const settings = backupSettings({ name, projectId }, backup)
    const wanted = { name, image, size_gb, replicas: request.replicas ?? 1, backup: settings }
    return yield* changingDatabases(projectId, makePostgres(projectId, wanted))
  },
  (effect) => Effect.catchTags(effect, { UpstreamError: refused })
)
