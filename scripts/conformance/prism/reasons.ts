import type { Reason } from "../../difference.ts"

/** What Prism or the walk over the routes cannot show. */
export const reasons: ReadonlyArray<Reason> = [
  {
    why: "A presigned upload may name an object that is not there yet.",
    checks: ["customer", "operator"].map(
      (plane) => `${plane} POST /v1/object-storage/buckets/:name/objects/:key/presigned of an absent thing`
    )
  }
]
