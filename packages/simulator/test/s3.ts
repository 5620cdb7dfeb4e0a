import { Sha256 } from "@aws-crypto/sha256-js"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { noQuota, type RgwUser } from "@portico/simulator/rgw/state"
import { SignatureV4 } from "@smithy/signature-v4"
import { Clock, Effect } from "effect"
import { ask } from "./ask.ts"

/** An S3 user of the literal RGW tenant, as if the gateway had made it. */
export const makeUser = Effect.fnUntraced(function* (id: string, more: Partial<RgwUser> = {}) {
  const { world } = yield* SimulatedCloud
  const user: RgwUser = {
    uid: `tenant$${id}`,
    tenant: "tenant",
    user_id: id,
    display_name: id,
    email: "",
    suspended: false,
    max_buckets: 10,
    keys: [{ access_key: `${id}$KEY`, secret_key: `${id}-secret` }],
    caps: [],
    user_quota: noQuota,
    bucket_quota: noQuota,
    ...more
  }
  world.rgw.users[user.uid] = user
  return user
})

export interface Sent {
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  /** What is said of the body. */
  readonly payload?: string
}

const signerOf = (id: string) =>
  new SignatureV4({
    credentials: { accessKeyId: `${id}$KEY`, secretAccessKey: `${id}-secret` },
    region: "default",
    service: "s3",
    sha256: Sha256,
    uriEscapePath: false,
    applyChecksum: false
  })

const requestOf = (method: string, target: string, headers: Readonly<Record<string, string>>) => {
  const [path = "", search = ""] = target.split("?")
  return {
    method,
    protocol: "http:",
    hostname: "cloud.simulated",
    path,
    query: Object.fromEntries(new URLSearchParams(search)),
    headers: { host: "cloud.simulated", ...headers }
  }
}

/** `s3("acme", "PUT /bucket/key", { body })`, signed by an implementation that is not ours. */
export const s3 = Effect.fnUntraced(function* (id: string, line: string, sent: Sent = {}) {
  const [method = "", place = ""] = line.split(" ")
  const target = `/rgw${place}`
  const signingDate = new Date(yield* Clock.currentTimeMillis)
  const payload = { "x-amz-content-sha256": sent.payload ?? "UNSIGNED-PAYLOAD" }
  const { headers } = yield* Effect.promise(() =>
    signerOf(id).sign(requestOf(method, target, payload), { signingDate })
  )
  return yield* anybody(method, target, { ...sent, headers: { ...headers, ...sent.headers } })
})

/** As S3 clients ask: whoever accepts JSON alone is answered in JSON. */
export const anybody = (method: string, target: string, { body = "", headers = {} }: Sent = {}) =>
  ask(method, target, { headers: { accept: "*/*", ...headers }, body })

/** The target that lets anybody do that one thing, until it expires. */
export const presigned = Effect.fnUntraced(function* (id: string, line: string, expiresIn: number) {
  const [method = "", place = ""] = line.split(" ")
  const signingDate = new Date(yield* Clock.currentTimeMillis)
  const unsigned = requestOf(method, `/rgw${place}`, { "x-amz-content-sha256": "UNSIGNED-PAYLOAD" })
  const { query = {} } = yield* Effect.promise(() => signerOf(id).presign(unsigned, { signingDate, expiresIn }))
  const search = Object.entries(query).map((pair) => pair.map((_) => encodeURIComponent(String(_))).join("="))
  return `${unsigned.path}?${search.join("&")}`
})

export const codeOf = ({ body, status }: { readonly body: string; readonly status: number }) =>
  `${status} ${/<Code>(\w+)<\/Code>/.exec(body)?.[1] ?? ""}`.trim()

/** Every text between such tags. */
export const textsIn = ({ body }: { readonly body: string }, name: string): ReadonlyArray<string> =>
  [...body.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, "gs"))].map(([, text = ""]) => text)
