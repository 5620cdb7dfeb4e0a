import type { DatabaseRotation } from "@portico/contract/Databases"
import { NotFound } from "@portico/contract/Failures"
import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes } from "@portico/upstream/kubernetes/Kubernetes"
import { Effect } from "effect"
import { badGateway } from "../badGateway.ts"
import { kafkaCredentials } from "./engines/kafka.ts"
import { passwordSecret, postgresCredentials } from "./engines/postgres.ts"
import { placeOf, type Place } from "./place.ts"
import { ownCluster, partsAt } from "./record.ts"
import { hasPrimary } from "./status.ts"

/**
 * How to connect to a database (contract, Managed databases): for PostgreSQL
 * with the password of its owner, for Kafka the brokers alone.
 *
 * CloudNativePG makes the password before the database, so that it counts only
 * once there has been a primary.
 *
 * Errors: 404 for no such database, and while there is nothing to connect to; 502.
 */
export const showCredentials = Effect.fn("databases.credentials")(
  function* (projectId: string, engine: string, name: string) {
    const place = yield* placeOf(projectId, engine, name)
    if (place.engine === "postgres") return yield* ofPostgres(place)
    const { kafka } = yield* partsAt(place)
    return kafkaCredentials(kafka) ?? (yield* NotFound.databaseCredentials())
  },
  (effect) => Effect.catchTag(effect, "UpstreamError", badGateway)
)

const ofPostgres = Effect.fnUntraced(function* (place: Place) {
  const { cluster, secret } = yield* passwordAt(place)
  const credentials = secret === undefined || !hasPrimary(cluster) ? undefined : postgresCredentials(secret)
  return credentials ?? (yield* NotFound.databaseCredentials())
})

/**
 * A PostgreSQL database and the secret with its password; undefined while the operator makes it.
 *
 * Errors: 404 for no such database; UpstreamError.
 */
const passwordAt = Effect.fnUntraced(function* (place: Place) {
  const { find } = yield* Kubernetes
  return yield* Effect.all(
    {
      cluster: ownCluster(place),
      secret: find(kinds.secret, { namespace: place.namespace, name: passwordSecret(place.name) })
    },
    { concurrency: "unbounded" }
  )
})

/**
 * Gives the owner of a PostgreSQL database a new password, which is not in the
 * answer: the secret with the old one is deleted, CloudNativePG makes another
 * one and sets the role's password to it. Until then there are no credentials.
 * Repeatable: while there is no secret, a rotation is under way already.
 *
 * Errors: 404 for no such database, for kafka, and for a database that has no
 * password yet; 502.
 */
export const rotateCredentials = Effect.fn("databases.rotateCredentials")(
  function* (projectId: string, engine: string, name: string) {
    const place = yield* placeOf(projectId, engine, name)
    if (place.engine === "kafka") {
      yield* partsAt(place)
      return yield* NotFound.databaseRotation()
    }
    const cluster = yield* ownCluster(place)
    if (!hasPrimary(cluster)) return yield* NotFound.databaseCredentials()
    yield* (yield* Kubernetes).remove(kinds.secret, { namespace: place.namespace, name: passwordSecret(name) })
    return {
      engine: place.engine,
      name,
      credentials: `/v1/databases/${place.engine}/${name}/credentials`
    } satisfies DatabaseRotation
  },
  (effect) => Effect.catchTag(effect, "UpstreamError", badGateway)
)
