import { Effect } from "effect"
import type { Kind } from "../belongings/Kind.ts"
import { Rgw } from "./Rgw.ts"

/**
 * Buckets are removed all at once, with their user: RGW's removal of one bucket
 * searches outside of every RGW tenant, and so does not find it.
 */
export const rgwBelongings = Effect.map(Rgw, ({ destroyUser, listBuckets }) => {
  const buckets: Kind = {
    service: "object-storage",
    name: "buckets",
    atOnce: true,
    list: (projectId) =>
      Effect.map(listBuckets(projectId), (found) =>
        found.map(({ name, objects }) => ({ id: name, name, busy: false, guarded: undefined, weight: 1 + objects }))
      ),
    remove: destroyUser
  }
  return { buckets }
})
