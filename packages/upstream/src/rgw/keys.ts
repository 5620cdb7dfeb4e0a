import { Effect, Redacted, Schema } from "effect"
import { UpstreamError } from "../UpstreamError.ts"
import type { Admin } from "./admin.ts"

/** A key pair that signs S3 requests. */
export interface S3Key {
  readonly accessKey: string
  readonly secretKey: Redacted.Redacted
}

const Keys = Schema.Array(
  Schema.Struct({ user: Schema.String, access_key: Schema.String, secret_key: Schema.RedactedFromValue(Schema.String) })
)
const UserKeys = Schema.Struct({ keys: Keys })

/** The S3 keys of a tenant's user. */
export const keysOf = ({ get, put, remove, system, uid }: Admin) => {
  /** RGW also lists the keys of a user's sub-users, which are left out. */
  const own = (projectId: string, keys: typeof Keys.Type): ReadonlyArray<S3Key> =>
    keys
      .filter((_) => _.user === uid(projectId))
      .map(({ access_key, secret_key }) => ({ accessKey: access_key, secretKey: secret_key }))

  return {
    listKeys: (projectId: string) =>
      Effect.map(
        system.find("list keys", get({ uid: uid(projectId) }), UserKeys),
        (found) => found && own(projectId, found.keys)
      ),
    createKey: Effect.fn("Rgw.createKey")(function* (projectId: string, accessKey: string) {
      const request = put({
        key: "",
        uid: uid(projectId),
        "key-type": "s3",
        "access-key": accessKey,
        "generate-key": "true"
      })
      const made = own(projectId, yield* system.write("create key", request, Keys)).find(
        (_) => _.accessKey === accessKey
      )
      if (made === undefined) {
        return yield* new UpstreamError({
          upstream: "rgw",
          call: "create key",
          status: 200,
          detail: "the key that was made is not among the user's"
        })
      }
      return made
    }),
    removeKey: (projectId: string, accessKey: string) =>
      Effect.catchIf(
        system.remove("remove key", remove({ key: "", uid: uid(projectId), "access-key": accessKey })),
        // RGW's answer for a key that is gone. For a missing right it answers AccessDenied.
        (error) => error.status === 403 && error.detail === "InvalidAccessKeyId",
        () => Effect.void
      )
  }
}
