import { assert, it } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { createHash } from "node:crypto"
import { anybody, codeOf, makeUser, presigned, s3, textsIn } from "./s3.ts"

const versioning = (status: string) => ({
  body: `<VersioningConfiguration><Status>${status}</Status></VersioningConfiguration>`
})
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

/** What a bucket's index counts. */
const counted = Effect.fnUntraced(function* (name: string) {
  const { num_objects, size, size_actual } = (yield* SimulatedCloud).world.rgw.buckets[`tenant/${name}`] ?? {}
  return { num_objects, size, size_actual }
})

it.effect("a bucket belongs to its creator, within one RGW tenant", () =>
  Effect.gen(function* () {
    yield* makeUser("acme")
    yield* makeUser("globex")
    yield* makeUser("initech", { uid: "hooli$initech", tenant: "hooli" })
    const codes = Effect.fnUntraced(function* (...lines: ReadonlyArray<readonly [string, string]>) {
      return yield* Effect.forEach(lines, ([who, line]) => Effect.map(s3(who, line), codeOf))
    })
    const found = yield* codes(
      ["acme", "PUT /photos"],
      ["acme", "PUT /photos/"],
      ["globex", "PUT /photos"],
      ["globex", "HEAD /photos"],
      ["globex", "GET /photos?list-type=2"],
      ["globex", "PUT /photos/key"],
      ["globex", "DELETE /photos"],
      ["initech", "PUT /photos"],
      ["initech", "GET /tenant%3Aphotos"],
      ["initech", "PUT /tenant%3Aothers"],
      ["acme", "GET /tenant%3Aphotos"],
      ["acme", "DELETE /photos"],
      ["acme", "DELETE /photos"],
      ["initech", "HEAD /photos"]
    )
    assert.deepStrictEqual(found, [
      "200",
      "200",
      "409 BucketAlreadyExists",
      "403",
      "403 AccessDenied",
      "403 AccessDenied",
      "403 AccessDenied",
      "200",
      "403 AccessDenied",
      "403 AccessDenied",
      "200",
      "204",
      "404 NoSuchBucket",
      "200"
    ])
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a limit of buckets is one when positive, unlimited at 0, and forbids them below 0", () =>
  Effect.gen(function* () {
    const acme = yield* makeUser("acme", { max_buckets: -1 })
    const make = (name: string) => Effect.map(s3("acme", `PUT /${name}`), codeOf)
    assert.strictEqual(yield* make("one"), "403 AccessDenied")
    acme.max_buckets = 0
    assert.strictEqual(yield* make("one"), "200")
    acme.max_buckets = 2
    assert.strictEqual(yield* make("two"), "200")
    assert.strictEqual(yield* make("three"), "400 TooManyBuckets")
    // At the limit not even what is there already can be made again, and the name is not looked at.
    assert.strictEqual(yield* make("one"), "400 TooManyBuckets")
    assert.strictEqual(yield* make("BAD"), "400 TooManyBuckets")
    acme.max_buckets = 3
    for (const name of ["BAD", "a", "under_score", "10.0.0.1", "a..b", "a-.b", "x".repeat(64)]) {
      assert.strictEqual(yield* make(name), "400 InvalidBucketName", name)
    }
    assert.strictEqual(yield* make("three"), "200")
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("keys of any characters up to 1,024 bytes are returned unchanged, in byte order", () =>
  Effect.gen(function* () {
    yield* makeUser("acme")
    yield* s3("acme", "PUT /b")
    yield* s3("acme", "PUT /bucket")
    // U+FFEE is behind U+1F600 in UTF-16, and before it in UTF-8.
    const keys = [
      "__proto__",
      "a b",
      "a%20b",
      "a+b",
      "dir/",
      "dir/one",
      "é",
      "\uffee",
      "\u{1f600}",
      "k".repeat(1024),
      "c\u0001"
    ]
    for (const key of keys) {
      const spelled = key.split("/").map(encodeURIComponent).join("/")
      assert.strictEqual(codeOf(yield* s3("acme", `PUT /bucket/${spelled}`, { body: key })), "200")
      assert.strictEqual((yield* s3("acme", `GET /bucket/${spelled}`)).body, key)
    }
    const sorted = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    const encoded = yield* s3("acme", "GET /bucket?list-type=2&encoding-type=url")
    assert.deepStrictEqual(textsIn(encoded, "Key").map(decodeURIComponent), sorted)
    const [first, token] = yield* Effect.map(s3("acme", "GET /bucket?list-type=2&max-keys=1"), (_) => [
      textsIn(_, "Key"),
      textsIn(_, "NextContinuationToken")
    ])
    assert.deepStrictEqual([first, token], [["__proto__"], ["__proto__"]])
    assert.strictEqual(codeOf(yield* s3("acme", `PUT /bucket/${"k".repeat(1025)}`)), "400 InvalidObjectName")
    assert.strictEqual(codeOf(yield* s3("acme", "PUT /bucket/a%FF")), "400 InvalidObjectName")
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("pages with folders count folders and objects alike, each once", () =>
  Effect.gen(function* () {
    yield* makeUser("acme")
    yield* s3("acme", "PUT /bucket")
    for (const key of ["a/1", "a/2", "b", "b/1", "b/c/1", "d"]) yield* s3("acme", `PUT /bucket/${key}`)
    const inPagesOf = Effect.fnUntraced(function* (size: number) {
      const pages: Array<ReadonlyArray<string>> = []
      let token: string | undefined = ""
      while (token !== undefined) {
        const after: string = token === "" ? "" : `&continuation-token=${encodeURIComponent(token)}`
        const page = yield* s3("acme", `GET /bucket?list-type=2&delimiter=%2F&max-keys=${size}${after}`)
        const [, ...folders] = textsIn(page, "Prefix").map((_) => _.replace(/^.*<Prefix>/, ""))
        pages.push([...folders, ...textsIn(page, "Key")])
        assert.deepStrictEqual(textsIn(page, "KeyCount"), [String(pages.at(-1)?.length)])
        token = textsIn(page, "NextContinuationToken")[0]
        assert.deepStrictEqual(textsIn(page, "IsTruncated"), [String(token !== undefined)])
      }
      return pages
    })
    assert.deepStrictEqual(yield* inPagesOf(2), [
      ["a/", "b"],
      ["b/", "d"]
    ])
    // The token is a folder's name twice.
    assert.deepStrictEqual(yield* inPagesOf(1), [["a/"], ["b"], ["b/"], ["d"]])
    const within = yield* s3("acme", "GET /bucket?list-type=2&delimiter=%2F&prefix=b%2F")
    assert.deepStrictEqual(textsIn(within, "Key"), ["b/1"])
    assert.strictEqual(codeOf(yield* s3("acme", "GET /bucket?list-type=2&max-keys=many")), "400 InvalidArgument")
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("versions are kept from the moment of enabling, and versioning can only be suspended", () =>
  Effect.gen(function* () {
    yield* makeUser("acme")
    yield* s3("acme", "PUT /bucket")
    const state = Effect.map(s3("acme", "GET /bucket?versioning"), (_) => textsIn(_, "Status"))
    yield* s3("acme", "PUT /bucket/key", { body: "before" })
    assert.deepStrictEqual(yield* state, [])
    for (const wrong of ["Off", "enabled", ""]) {
      assert.strictEqual(codeOf(yield* s3("acme", "PUT /bucket?versioning", versioning(wrong))), "400 InvalidArgument")
    }
    yield* s3("acme", "PUT /bucket?versioning", versioning("Enabled"))
    assert.deepStrictEqual(yield* state, ["Enabled"])
    const written = yield* s3("acme", "PUT /bucket/key", { body: "one" })
    const id = written.headers["x-amz-version-id"] ?? ""
    assert.match(id, /^[\w.]{31}$/)
    assert.deepStrictEqual(yield* counted("bucket"), { num_objects: 2, size: 9, size_actual: 8192 })
    const marked = yield* s3("acme", "DELETE /bucket/key")
    assert.strictEqual(marked.headers["x-amz-delete-marker"], "true")
    assert.strictEqual(codeOf(yield* s3("acme", "GET /bucket/key")), "404 NoSuchKey")
    assert.strictEqual((yield* s3("acme", `GET /bucket/key?versionId=${id}`)).body, "one")
    assert.strictEqual((yield* s3("acme", "GET /bucket/key?versionId=null")).body, "before")
    assert.deepStrictEqual(textsIn(yield* s3("acme", "GET /bucket?list-type=2"), "Key"), [])
    const versions = yield* s3("acme", "GET /bucket?versions")
    assert.deepStrictEqual(textsIn(versions, "IsLatest"), ["true", "false", "false"])
    assert.strictEqual(codeOf(yield* s3("acme", "DELETE /bucket")), "409 BucketNotEmpty")

    yield* s3("acme", "PUT /bucket?versioning", versioning("Suspended"))
    assert.deepStrictEqual(yield* state, ["Suspended"])
    yield* s3("acme", "PUT /bucket/key", { body: "after" })
    // What had no number was replaced; what had one stays.
    assert.deepStrictEqual(yield* counted("bucket"), { num_objects: 2, size: 8, size_actual: 8192 })
    for (const version of textsIn(yield* s3("acme", "GET /bucket?versions"), "VersionId")) {
      assert.strictEqual((yield* s3("acme", `DELETE /bucket/key?versionId=${version}`)).status, 204)
    }
    assert.deepStrictEqual(yield* counted("bucket"), { num_objects: 0, size: 0, size_actual: 0 })
    assert.strictEqual(codeOf(yield* s3("acme", "DELETE /bucket")), "204")
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a presigned address works without credentials until it expires", () =>
  Effect.gen(function* () {
    yield* makeUser("acme")
    yield* s3("acme", "PUT /bucket")
    yield* s3("acme", "PUT /bucket/a%20b/%C3%A9", { body: "hello", headers: { "content-type": "text/plain" } })
    const address = yield* presigned("acme", "GET /bucket/a%20b/%C3%A9", 60)
    const read = yield* anybody("GET", address)
    assert.deepStrictEqual([read.status, read.body, read.headers["content-type"]], [200, "hello", "text/plain"])
    const spoilt: ReadonlyArray<readonly [string, string, string]> = [
      ["HEAD", address, "403"],
      ["DELETE", address, "403 SignatureDoesNotMatch"],
      ["GET", address.replace("%C3%A9", "other"), "403 SignatureDoesNotMatch"],
      ["GET", address.replace("Expires=60", "Expires=600"), "403 SignatureDoesNotMatch"],
      ["GET", address.replace("Expires=60", "Expires=604801"), "403 AccessDenied"],
      ["GET", address.replace("acme%24KEY", "nobody"), "403 InvalidAccessKeyId"],
      ["GET", address.replace("X-Amz-Date", "X-Other"), "403 AccessDenied"]
    ]
    for (const [method, target, code] of spoilt)
      assert.strictEqual(codeOf(yield* anybody(method, target)), code, target)
    yield* TestClock.adjust("59 seconds")
    assert.strictEqual((yield* anybody("GET", address)).status, 200)
    yield* TestClock.adjust("1 second")
    assert.strictEqual(codeOf(yield* anybody("GET", address)), "403 AccessDenied")
    const upload = yield* presigned("acme", "PUT /bucket/up", 60)
    assert.strictEqual((yield* anybody("PUT", upload, { body: "mine" })).status, 200)
    assert.strictEqual((yield* s3("acme", "GET /bucket/up")).body, "mine")
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("an unsigned call is anonymous, and a body must match its hash", () =>
  Effect.gen(function* () {
    const acme = yield* makeUser("acme")
    yield* s3("acme", "PUT /bucket")
    const nobody = yield* Effect.forEach(["GET /rgw/bucket", "PUT /rgw/another", "GET /rgw/"], (line) => {
      const [method = "", target = ""] = line.split(" ")
      return Effect.map(anybody(method, target), codeOf)
    })
    // Outside every RGW tenant there is no such bucket.
    assert.deepStrictEqual(nobody, ["404 NoSuchBucket", "403 AccessDenied", "200"])
    const hashed = (payload: string) => Effect.map(s3("acme", "PUT /bucket/key", { body: "hello", payload }), codeOf)
    assert.strictEqual(yield* hashed(sha256("hello")), "200")
    assert.strictEqual(yield* hashed(sha256("other")), "400 XAmzContentSHA256Mismatch")
    // Checksums behind the body are newer than this service, to which they are a hash that is wrong.
    assert.strictEqual(yield* hashed("STREAMING-UNSIGNED-PAYLOAD-TRAILER"), "400 XAmzContentSHA256Mismatch")
    assert.strictEqual(codeOf(yield* s3("acme", "GET /bucket/a+b")), "403 SignatureDoesNotMatch")
    acme.suspended = true
    assert.strictEqual(codeOf(yield* s3("acme", "GET /bucket/key")), "403 UserSuspended")
    acme.suspended = false
    acme.keys = []
    assert.strictEqual(codeOf(yield* s3("acme", "GET /bucket/key")), "403 InvalidAccessKeyId")
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("an error is JSON for a client that accepts only JSON", () =>
  Effect.gen(function* () {
    yield* makeUser("acme")
    const none = yield* s3("acme", "GET /none", { headers: { accept: "application/json" } })
    assert.strictEqual(none.status, 404)
    assert.deepInclude(JSON.parse(none.body), { Code: "NoSuchBucket", Message: "", BucketName: "none" })
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("quotas count blocks, credit nothing for a replacement, and need to be enabled", () =>
  Effect.gen(function* () {
    const acme = yield* makeUser("acme")
    yield* s3("acme", "PUT /one")
    yield* s3("acme", "PUT /two")
    const put = (place: string, size: number) =>
      Effect.map(s3("acme", `PUT /${place}`, { body: "x".repeat(size) }), codeOf)
    const limits = { check_on_raw: false, max_size: 8192, max_objects: -1 }
    acme.user_quota = { ...limits, enabled: false }
    assert.strictEqual(yield* put("one/key", 4096), "200")
    acme.user_quota = { ...limits, enabled: true }
    assert.strictEqual(yield* put("two/key", 4097), "403 QuotaExceeded")
    assert.strictEqual(yield* put("two/key", 1), "200")
    assert.strictEqual(yield* put("one/key", 1), "403 QuotaExceeded")
    acme.user_quota = { ...limits, enabled: true, check_on_raw: true }
    assert.strictEqual(yield* put("one/key", 1), "200")
    acme.user_quota = { ...limits, enabled: true, max_size: 0 }
    assert.strictEqual(yield* put("one/key", 1), "403 QuotaExceeded")
    acme.user_quota = { ...limits, enabled: false }
    acme.bucket_quota = { ...limits, enabled: true, max_size: -1, max_objects: 1 }
    assert.strictEqual(yield* put("one/more", 1), "403 QuotaExceeded")
    yield* s3("acme", "PUT /three")
    assert.strictEqual(yield* put("three/key", 1), "200")
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a multipart upload is invisible until complete, but uses space", () =>
  Effect.gen(function* () {
    yield* makeUser("acme")
    yield* s3("acme", "PUT /bucket")
    const begun = yield* s3("acme", "POST /bucket/key?uploads", { headers: { "content-type": "text/plain" } })
    const [id = ""] = textsIn(begun, "UploadId")
    const of = (query: string) => `/bucket/key?${query}uploadId=${encodeURIComponent(id)}`
    const five = "x".repeat(5 * 1024 * 1024)
    const tags = yield* Effect.forEach([five, "tail"], (body, i) =>
      Effect.map(s3("acme", `PUT ${of(`partNumber=${i + 1}&`)}`, { body }), (_) => _.headers["etag"] ?? "")
    )
    assert.deepStrictEqual(yield* counted("bucket"), { num_objects: 2, size: 5242884, size_actual: 5246976 })
    assert.strictEqual(codeOf(yield* s3("acme", "GET /bucket/key")), "404 NoSuchKey")
    assert.deepStrictEqual(textsIn(yield* s3("acme", `GET ${of("")}`), "PartNumber"), ["1", "2"])
    const complete = (...parts: ReadonlyArray<readonly [number, string | undefined]>) => {
      const listed = parts.map(([_, tag]) => `<Part><PartNumber>${_}</PartNumber><ETag>${tag}</ETag></Part>`)
      const body = `<CompleteMultipartUpload>${listed.join("")}</CompleteMultipartUpload>`
      return Effect.map(s3("acme", `POST ${of("")}`, { body }), codeOf)
    }
    assert.strictEqual(yield* complete(), "400 MalformedXML")
    assert.strictEqual(yield* complete([1, tags[0]]), "400 InvalidPart")
    assert.strictEqual(yield* complete([1, tags[1]], [2, tags[0]]), "400 InvalidPart")
    assert.strictEqual(yield* complete([1, tags[0]], [2, tags[1]]), "200")
    assert.strictEqual(yield* complete([1, tags[0]], [2, tags[1]]), "500 InternalError")
    const read = yield* s3("acme", "GET /bucket/key", { headers: { range: "bytes=-5" } })
    assert.deepStrictEqual([read.status, read.body, read.headers["content-type"]], [206, "xtail", "text/plain"])
    assert.match(read.headers["etag"] ?? "", /^"[0-9a-f]{32}-2"$/)
    assert.deepStrictEqual(yield* counted("bucket"), { num_objects: 1, size: 5242884, size_actual: 5246976 })
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("faults apply to S3 calls too, and the log has their route", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    yield* makeUser("acme")
    yield* s3("acme", "PUT /bucket")
    yield* s3("acme", "PUT /bucket/a/b")
    const routes = (yield* cloud.calls).map((_) => `${_.service} ${_.method} ${_.route}`)
    assert.deepStrictEqual(routes, ["rgw PUT /*", "rgw PUT /*/*/*"])
    yield* cloud.fault({ service: "rgw", method: "PUT", path: "/*/*/*", when: "after", as: { status: 503 } })
    assert.strictEqual((yield* s3("acme", "PUT /bucket/a/c", { body: "x" })).status, 503)
    assert.strictEqual((yield* s3("acme", "GET /bucket/a/c")).body, "x")
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)
