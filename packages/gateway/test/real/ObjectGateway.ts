import { Sha256 } from "@aws-crypto/sha256-js"
import { SignatureV4 } from "@smithy/signature-v4"
import { Clock, Effect } from "effect"
import { type Answer, send } from "../harness/http.ts"
import { jsonOf } from "../harness/TestGateway.ts"
import { told } from "./told.ts"

export interface Keys {
  readonly access_key: string
  readonly secret_key: string
}

/** The user that may do everything with users and buckets. */
const administrator = (): Keys => ({
  access_key: told("REAL_CLOUD_RGW_ACCESS_KEY"),
  secret_key: told("REAL_CLOUD_RGW_SECRET_KEY")
})

/** How the gateway names the object storage user of a project. */
export const uidOf = (projectId: string): string => `tenant$${projectId}`

/** One signed request to the object gateway, which is S3 but for `/admin`. */
export const s3 = Effect.fnUntraced(function* (
  keys: Keys,
  method: string,
  path: string,
  asked: { readonly query?: Readonly<Record<string, string>>; readonly body?: string | Uint8Array } = {}
) {
  const url = new URL(told("REAL_CLOUD_URL_RGW"))
  const { body, query = {} } = asked
  const signer = new SignatureV4({
    service: "s3",
    region: "default",
    credentials: { accessKeyId: keys.access_key, secretAccessKey: keys.secret_key },
    sha256: Sha256,
    uriEscapePath: false,
    applyChecksum: false
  })
  const signingDate = new Date(yield* Clock.currentTimeMillis)
  const { headers } = yield* Effect.promise(() =>
    signer.sign(
      {
        method,
        protocol: url.protocol,
        hostname: url.hostname,
        port: Number(url.port),
        path,
        query,
        headers: { host: url.host, "x-amz-content-sha256": "UNSIGNED-PAYLOAD" }
      },
      { signingDate }
    )
  )
  const search = Object.entries(query).map((pair) => pair.map(encodeURIComponent).join("="))
  return yield* send(url.href, method, search.length === 0 ? path : `${path}?${search.join("&")}`, { headers, body })
})

const administered = (method: string, query: Readonly<Record<string, string>>): Effect.Effect<Answer> =>
  s3(administrator(), method, "/admin/user", { query: { format: "json", ...query } })

/** The user with all its keys, as the object gateway tells; undefined when there is none. */
export const findUser = (projectId: string) =>
  Effect.map(administered("GET", { uid: uidOf(projectId) }), (_) => (_.status === 404 ? undefined : jsonOf(_)))

export const findQuota = (projectId: string) =>
  Effect.map(administered("GET", { quota: "", uid: uidOf(projectId), "quota-type": "user" }), jsonOf)

/** A key pair of the tenant's own user. */
export const makeKeys = (projectId: string): Effect.Effect<Keys> =>
  Effect.map(administered("PUT", { key: "", uid: uidOf(projectId), "generate-key": "true" }), (answer) => {
    const keys: ReadonlyArray<Keys> = jsonOf(answer)
    const newest = keys.at(-1)
    if (newest === undefined) throw new Error(`no key was made: ${answer.text}`)
    return newest
  })

/** The user with all its buckets. */
export const removeUser = (projectId: string) => administered("DELETE", { uid: uidOf(projectId), "purge-data": "true" })
