import { Effect } from "effect"
import { badGateway } from "../badGateway.ts"
import { holdingsOf } from "./holdings.ts"
import { namespaceOf } from "./place.ts"
import { recordsOf } from "./record.ts"

/**
 * The databases of a tenant (contract, Managed databases), oldest first: those
 * that the gateway made. Four upstream calls at the same time, however many
 * there are.
 *
 * Errors: 404 in a cloud without a cluster; 502.
 */
export const listDatabases = Effect.fn("databases.list")(
  function* (projectId: string) {
    const databases = recordsOf(yield* holdingsOf(yield* namespaceOf(projectId)))
    return { count: databases.length, databases }
  },
  (effect) => Effect.catchTag(effect, "UpstreamError", badGateway)
)
