import { NotFound } from "@portico/contract/Failures"
import { Servers } from "@portico/upstream/nova/Servers"
import { Effect } from "effect"
import { badGateway } from "../badGateway.ts"

/** As Nova spells them. */
const spelling = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/**
 * Proves that an instance is the tenant's: Nova says so to the tenant's own
 * session. The monitoring knows no tenants, and is asked about nothing else.
 *
 * Errors: 404 for another tenant's, nobody's and what cannot be an id, alike; 502.
 */
export const ownInstance = Effect.fnUntraced(function* (projectId: string, instanceId: string) {
  if (!spelling.test(instanceId)) return yield* NotFound.instance(instanceId)
  const found = yield* Effect.mapError((yield* Servers).find(projectId, instanceId), badGateway)
  if (found === undefined) return yield* NotFound.instance(instanceId)
})
