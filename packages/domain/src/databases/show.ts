import type { DatabaseDetail } from "@portico/contract/Databases"
import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes } from "@portico/upstream/kubernetes/Kubernetes"
import { Effect } from "effect"
import { badGateway } from "../badGateway.ts"
import { kafkaEndpoint } from "./engines/kafka.ts"
import { postgresEndpoint } from "./engines/postgres.ts"
import { digestOf } from "./events.ts"
import { claimsOf } from "./holdings.ts"
import { placeOf } from "./place.ts"
import { partsAt, recordOf } from "./record.ts"
import { backupView } from "./recoveryWindow.ts"

/**
 * A database with where it is reached, what happened to it last, and what could
 * be restored of it. What is not there is asked for like what is: another
 * tenant's name costs as much as an absent one.
 *
 * Errors: 404; 502.
 */
export const showDatabase = Effect.fn("databases.show")(
  function* (projectId: string, engine: string, name: string) {
    const place = yield* placeOf(projectId, engine, name)
    const { list } = yield* Kubernetes
    const { namespace } = place
    const [parts, allClaims, events] = yield* Effect.all(
      [partsAt(place), list(kinds.persistentVolumeClaim, { namespace }), list(kinds.event, { namespace })],
      { concurrency: "unbounded" }
    )
    const { cluster, kafka, pools = [] } = parts
    const claims = claimsOf(allClaims, parts)
    const record = recordOf(parts, claims)
    const objects = [cluster, kafka, ...pools, ...claims].flatMap((_) => _ ?? [])
    return {
      ...record,
      backup: cluster === undefined ? null : yield* backupView(cluster),
      ready: record.status === "ready",
      endpoint: cluster === undefined ? kafkaEndpoint(kafka) : postgresEndpoint(cluster),
      events: digestOf(events, objects)
    } satisfies DatabaseDetail
  },
  (effect) => Effect.catchTag(effect, "UpstreamError", badGateway)
)
