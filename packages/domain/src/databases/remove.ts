import type { DatabaseRecord } from "@portico/contract/Databases"
import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes } from "@portico/upstream/kubernetes/Kubernetes"
import { Effect } from "effect"
import { removeSchedule } from "./backups.ts"
import { changingDatabases, type DatabaseRef, databaseRefOf, refused } from "./database.ts"
import { nameOf } from "./holdings.ts"
import { partsAt, toWire } from "./record.ts"

/**
 * Deletes a database and its data; the archive of its backups and the namespace stay. The backup
 * schedule goes first, and a Kafka's node pool before the Kafka. Each step succeeds when its object
 * is gone already, so the next delete finishes an interrupted one.
 *
 * @returns the record as it was, `deleting`
 *
 * Errors: 404 when nothing of it is left; 409 when another change of the tenant's databases takes
 * too long; 502.
 */
export const removeDatabase = Effect.fn("databases.remove")(
  function* (projectId: string, engine: string, name: string) {
    const ref = yield* databaseRefOf(projectId, engine, name)
    return yield* changingDatabases(projectId, removal(ref))
  },
  (effect) => Effect.catchTags(effect, { UpstreamError: refused })
)

const removal = Effect.fnUntraced(function* (ref: DatabaseRef) {
  const { remove } = yield* Kubernetes
  const { engine, name, namespace } = ref
  // An interrupted create may have left a schedule without its cluster.
  if (engine === "postgres") yield* removeSchedule(ref)
  const parts = yield* partsAt(ref)
  const record: DatabaseRecord = { ...toWire(parts, []), status: "deleting", reason: "the database is being deleted" }
  const { pools = [] } = parts
  yield* Effect.forEach(pools, (_) => remove(kinds.kafkaNodePool, { namespace, name: nameOf(_) }), { discard: true })
  yield* remove(engine === "postgres" ? kinds.cluster : kinds.kafka, { namespace, name })
  return record
})
