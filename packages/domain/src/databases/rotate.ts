import type { DatabaseRotation } from "@portico/contract/Databases"
import { NotFound } from "@portico/contract/Failures"
import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes } from "@portico/upstream/kubernetes/Kubernetes"
import { Effect } from "effect"
import { badGateway } from "../badGateway.ts"
import { passwordSecret } from "./engines/postgres.ts"
import { placeOf } from "./place.ts"
import { ownCluster, partsAt } from "./record.ts"
import { hasPrimary } from "./status.ts"

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
