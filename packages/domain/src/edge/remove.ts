import { Effect } from "effect"
import { badGateway } from "../badGateway.ts"
import { RunToCompletion } from "../work/RunToCompletion.ts"
import { removeWhole, underTenantLease } from "./exposure.ts"
import { EdgeSettings } from "./EdgeSettings.ts"
import { ownExposure, toWire } from "./list.ts"

/**
 * Removes an exposure: its route first and its row last, which frees its domain. After a failure
 * the exposure stays in removal: it no longer counts towards the ceiling, and the same call or the
 * job tries again.
 *
 * @returns the exposure as it was last
 *
 * Errors: 404; 409 while another change is under way; 502.
 */
export const removeExposure = Effect.fn("edge.remove")(function* (projectId: string, id: string) {
  const remove = Effect.gen(function* () {
    const entry = yield* ownExposure(projectId, id)
    yield* Effect.catchTag(removeWhole(entry), "UpstreamError", badGateway)
    return toWire({ ...entry, removing: "deletion" }, undefined, yield* EdgeSettings)
  })
  return yield* (yield* RunToCompletion).run(underTenantLease(projectId)(remove))
})
