import { Result } from "effect"
import type { Answer, Step } from "../../Wire.ts"
import { byBytes } from "../percent.ts"
import { bare, document, refuseS3 } from "./answers.ts"
import { bucketFor } from "./access.ts"
import { bodyText, type S3Request } from "./request.ts"
import { remove } from "./store.ts"
import { childrenOf, parsed, textIn, type Xml } from "./xml.ts"

const most = 1000

/** Deletes the keys of a list and reports the result of each; in quiet mode, only the errors. */
export const deleteObjects = (request: S3Request): Step<Answer> =>
  Result.gen(function* () {
    const { bucket } = yield* bucketFor(request, "WRITE")
    const list = parsed(bodyText(request))
    // A malformed list is an error without a message.
    if (Result.isFailure(list) || list.success.name !== "Delete") return bare(400)
    const objects = childrenOf(list.success, "Object").map((_) => ({
      key: textIn(_, "Key") ?? "",
      version: textIn(_, "VersionId") ?? null
    }))
    if (objects.length > most) return yield* refuseS3("MalformedXML", bucket.bucket)
    const results = objects
      .toSorted((a, b) => byBytes(a.key, b.key))
      .map(({ key, version }): Xml => {
        const { is_marker, version_id } = remove(bucket, key, version, request.incoming.now)
        return [
          "Deleted",
          [
            ["Key", key],
            ...(version === null ? [] : [["VersionId", version] as const]),
            ...(is_marker
              ? [["DeleteMarker", true] as const, ["DeleteMarkerVersionId", version_id ?? ""] as const]
              : [])
          ]
        ]
      })
    return document(["DeleteResult", textIn(list.success, "Quiet") === "true" ? [] : results])
  })
