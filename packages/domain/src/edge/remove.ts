import { Effect } from "effect"
import { badGateway } from "../badGateway.ts"
import { RunToCompletion } from "../RunToCompletion.ts"
import { alone, removeWhole } from "./exposure.ts"
import { EdgeSettings } from "./EdgeSettings.ts"
import { ownExposure } from "./list.ts"
import { exposureOf } from "./view.ts"

/**
 * Takes an exposure away: its route first, its row last, and then its domain
 * is free. One that could not be removed whole is being removed from then on:
 * it does not count any more, the same call tries again, and so does the job.
 *
 * @returns the exposure as it was last
 *
 * Errors: 404; 409 while another change is under way; 502.
 */
export const removeExposure = Effect.fn("edge.remove")(function* (projectId: string, id: string) {
  const remove = Effect.gen(function* () {
    const entry = yield* ownExposure(projectId, id)
    yield* Effect.catchTag(removeWhole(entry), "UpstreamError", badGateway)
    return exposureOf({ ...entry, removing: "deletion" }, undefined, yield* EdgeSettings)
  })
  return yield* (yield* RunToCompletion).run(alone(projectId)(remove))
})
