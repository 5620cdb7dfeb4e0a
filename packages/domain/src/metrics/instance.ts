import { NotFound } from "@portico/contract/Failures"
import { Servers } from "@portico/upstream/nova/Servers"
import { Effect } from "effect"
import { badGateway } from "../badGateway.ts"

/** The form of Nova's instance ids. */
const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/**
 * Fails unless the instance is the tenant's. Nova decides, in the tenant's own
 * session. The monitoring knows no tenants, so it is queried only about
 * instances that passed this check.
 *
 * Errors: the same 404 for another tenant's instance, an unknown one and a
 * malformed id; 502.
 */
export const ownInstance = Effect.fnUntraced(function* (projectId: string, instanceId: string) {
  if (!idPattern.test(instanceId)) return yield* NotFound.instance(instanceId)
  const found = yield* Effect.mapError((yield* Servers).find(projectId, instanceId), badGateway)
  if (found === undefined) return yield* NotFound.instance(instanceId)
})
