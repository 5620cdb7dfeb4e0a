import type { DatabaseRotation } from "@portico/contract/DatabaseCredentials"
import { NotFound } from "@portico/contract/Failures"
import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes } from "@portico/upstream/kubernetes/Kubernetes"
import { Effect } from "effect"
import { badGateway } from "../badGateway.ts"
import { kafkaCredentials } from "./engines/kafka.ts"
import { passwordSecret, postgresCredentials } from "./engines/postgres.ts"
import { type DatabaseRef, databaseRefOf } from "./database.ts"
import { ownCluster, partsAt } from "./record.ts"
import { hasPrimary } from "./status.ts"

/**
 * How to connect to a database (contract, Managed databases): for PostgreSQL with the password of
 * its owner, for Kafka the brokers alone.
 *
 * CloudNativePG creates the password before the database, so the password only counts once there
 * has been a primary.
 *
 * Errors: 404 for an unknown database, and while there is nothing to connect to; 502.
 */
export const showCredentials = Effect.fn("databases.credentials")(
  function* (projectId: string, engine: string, name: string) {
    const ref = yield* databaseRefOf(projectId, engine, name)
    if (ref.engine === "postgres") return yield* ofPostgres(ref)
    const { kafka } = yield* partsAt(ref)
    return kafkaCredentials(kafka) ?? (yield* NotFound.databaseCredentials())
  },
  (effect) => Effect.catchTag(effect, "UpstreamError", badGateway)
)

const ofPostgres = Effect.fnUntraced(function* (ref: DatabaseRef) {
  const { cluster, secret } = yield* passwordAt(ref)
  const credentials = secret === undefined || !hasPrimary(cluster) ? undefined : postgresCredentials(secret)
  return credentials ?? (yield* NotFound.databaseCredentials())
})

/**
 * A PostgreSQL database and the secret with its password; the secret is undefined until the
 * operator has created it.
 *
 * Errors: 404 for an unknown database; UpstreamError.
 */
const passwordAt = Effect.fnUntraced(function* (ref: DatabaseRef) {
  const { find } = yield* Kubernetes
  return yield* Effect.all(
    {
      cluster: ownCluster(ref),
      secret: find(kinds.secret, { namespace: ref.namespace, name: passwordSecret(ref.name) })
    },
    { concurrency: "unbounded" }
  )
})

/**
 * Gives the owner of a PostgreSQL database a new password, which is not in the response. It deletes
 * the secret with the old password; CloudNativePG creates another secret and sets the role's
 * password to it. Until then there are no credentials. Repeatable: while there is no secret, a
 * rotation is already under way.
 *
 * Errors: 404 for an unknown database, for kafka, and for a database that has no password yet; 502.
 */
export const rotateCredentials = Effect.fn("databases.rotateCredentials")(
  function* (projectId: string, engine: string, name: string) {
    const ref = yield* databaseRefOf(projectId, engine, name)
    if (ref.engine === "kafka") {
      yield* partsAt(ref)
      return yield* NotFound.databaseRotation()
    }
    const cluster = yield* ownCluster(ref)
    if (!hasPrimary(cluster)) return yield* NotFound.databaseCredentials()
    yield* (yield* Kubernetes).remove(kinds.secret, { namespace: ref.namespace, name: passwordSecret(name) })
    return {
      engine: ref.engine,
      name,
      credentials: `/v1/databases/${ref.engine}/${name}/credentials`
    } satisfies DatabaseRotation
  },
  (effect) => Effect.catchTag(effect, "UpstreamError", badGateway)
)
