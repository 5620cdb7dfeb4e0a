import { Effect } from "effect"
import { type Kind, resource } from "../projectResources/Kind.ts"
import { Rgw } from "./Rgw.ts"

/**
 * Buckets are removed all at once, with their user: RGW's removal of one bucket
 * searches outside of every RGW tenant, and so does not find it.
 */
export const rgwResources = Effect.map(Rgw, ({ destroyUser, listBuckets }) => {
  const buckets: Kind = {
    service: "object-storage",
    name: "buckets",
    atOnce: true,
    list: (projectId) =>
      Effect.map(listBuckets(projectId), (found) =>
        found.map(({ name, objects }) => resource(name, name, { weight: 1 + objects }))
      ),
    remove: destroyUser
  }
  return { buckets }
})
