import { Rgw } from "@portico/upstream/rgw/Rgw"
import { Effect } from "effect"
import { type Answer, type Asked, at, type Key } from "./Answer.ts"
import { presigned } from "./signed.ts"
import { Systems } from "./Systems.ts"

/** Headers of S3 that say something. */
const compared = [
  "accept-ranges",
  "cache-control",
  "content-disposition",
  "content-range",
  "content-type",
  "etag",
  "last-modified",
  "x-amz-delete-marker",
  "x-amz-meta-color",
  "x-amz-version-id",
  "x-rgw-bytes-used",
  "x-rgw-object-count",
  "x-rgw-object-type",
  "x-rgw-quota-max-buckets",
  "x-rgw-quota-user-size"
]

/** What is compared of an answer of S3; of a document not the length, which follows from names of the run. */
export const s3Seen = ({ headers, status, text }: Answer): unknown => ({
  status,
  headers: Object.fromEntries(
    [...compared, ...(headers["x-rgw-object-type"] === undefined ? [] : ["content-length"])].flatMap((_) =>
      headers[_] === undefined ? [] : [[_, headers[_]]]
    )
  ),
  body: text
})

/** Who accepts JSON before all else is answered in JSON. */
const anything = { accept: "*/*" }

/** A call of whoever has no key, or another one. */
export const anyone = Effect.fnUntraced(function* (line: string, asked: Asked = {}) {
  const { ask } = yield* Systems
  return yield* ask(asked.key === undefined ? "nobody" : "control", line, {
    ...asked,
    headers: { ...anything, ...asked.headers }
  })
})

/** Of a refusal nothing but what it is called, for the many of one case. */
export const codeOf = ({ status, text }: Answer): unknown => {
  const [, code] = /<Code>(\w+)<\/Code>/.exec(text) ?? []
  return code === undefined ? status : `${status} ${code}`
}

/** Every text between such tags, in its order. */
export const textsIn = ({ text }: Answer, name: string): ReadonlyArray<string> =>
  [...text.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, "gs"))].map(([, inner = ""]) => inner)

/** An S3 user with a key, gone with everything it has at the end of the case. */
export const guest = Effect.fnUntraced(function* (word: string, maxBuckets = 10) {
  const rgw = yield* Rgw
  const { ask, known, named } = yield* Systems
  const projectId = named(word).replaceAll("-", "")
  yield* Effect.addFinalizer(() => Effect.ignore(rgw.destroyUser(projectId)))
  const query = (more: Readonly<Record<string, string>>) =>
    new URLSearchParams({ uid: rgw.uid(projectId), format: "json", ...more }).toString()
  const made = yield* ask(
    "control",
    `PUT rgw/admin/user?${query({ "display-name": word, "max-buckets": String(maxBuckets) })}`
  )
  const key: Key = {
    access_key: String(at(made.json, "keys", 0, "access_key")),
    secret_key: String(at(made.json, "keys", 0, "secret_key"))
  }
  return {
    key,
    bucket: named(word),
    /** One call of the user: `PUT bucket/key`. */
    s3: (line: string, asked: Asked = {}) => anyone(line.replace(" ", " rgw/"), { ...asked, key }),
    /** The same by whoever has the address. */
    shared: Effect.fnUntraced(function* (line: string, expiresIn: number, secondsAgo?: number) {
      const [method = "", path = ""] = line.split(" ")
      const [base = ""] = known.find(([, shown]) => shown === "<rgw>") ?? []
      const query = yield* presigned(key, method, `${base}/${path}`, expiresIn, secondsAgo)
      return `${method} rgw/${path.replace(/\?.*$/, "")}?${query}`
    }),
    /** One call of the administrator about the user. */
    admin: (method: string, what: string, more: Readonly<Record<string, string>>) =>
      ask("control", `${method} rgw/admin/${what}?${query(more)}`)
  }
})
