import { Effect } from "effect"
import type { Kind } from "../belongings/Kind.ts"
import { Rgw } from "./Rgw.ts"

/** Only all at once: the removal of one bucket looks for it outside of every RGW tenant, and finds none of ours. */
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
