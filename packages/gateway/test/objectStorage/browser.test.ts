import { assert, layer } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, Layer } from "effect"
import { Cast, operator } from "../harness/Cast.ts"
import { odd, spellings } from "./objectKeys.ts"
import { putObject } from "./objectStore.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"

const buckets = "/v1/object-storage/buckets"
const page = "https://app.example"

const asked = Effect.fnUntraced(function* (method: string, path: string, body?: unknown, tier: 0 | 1 | 2 = 2) {
  const { acme } = yield* Cast
  const answer = yield* (yield* TestGateway).call("customer", method, path, { token: acme.tokens[tier], body })
  return { status: answer.status, body: jsonOf(answer) }
})

const ok = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
  const answer = yield* asked(method, path, body)
  if (answer.status >= 300) return yield* Effect.die(`${method} ${path}: ${JSON.stringify(answer)}`)
  return answer.body
})

const put = Effect.fnUntraced(function* (bucket: string, key: string, body: string) {
  const { access_key, secret_key } = yield* ok("GET", "/v1/object-storage/credentials")
  yield* putObject({ accessKey: access_key, secretKey: secret_key }, bucket, key, body)
})

/** What a browser sees of it: status, content, and the headers by which it shows the answer to the page. */
const fetched = (url: string, init: RequestInit = {}) =>
  Effect.promise(async () => {
    const answer = await fetch(url, init)
    const text = await answer.text()
    return { status: answer.status, text, origin: answer.headers.get("access-control-allow-origin") }
  })

const room = Layer.effectDiscard(
  Effect.gen(function* () {
    const { acme } = yield* Cast
    const path = `/v1/tenants/${acme.projectId}/tier`
    yield* (yield* TestGateway).call("operator", "POST", path, { token: operator, body: { tier: "standard" } })
  })
)

const Everything = room.pipe(Layer.provideMerge(Cast.layer), Layer.provideMerge(TestGateway.layer))

layer(Everything)("object storage in a browser", (it) => {
  it.effect("a page uploads and downloads within the bucket's CORS rules alone", () =>
    Effect.gen(function* () {
      const path = `${buckets}/pages/cors`
      yield* ok("POST", buckets, { name: "pages" })
      assert.deepStrictEqual(yield* ok("GET", path), { bucket: "pages", rules: [] })
      const grant = yield* ok("POST", `${buckets}/pages/objects/a%2Fb/presigned`, {
        content_length: 7,
        content_type: "text/plain"
      })
      const preflight = () =>
        fetched(grant.url, {
          method: "OPTIONS",
          headers: {
            origin: page,
            "access-control-request-method": "PUT",
            "access-control-request-headers": Object.keys(grant.headers).join(", ")
          }
        })
      assert.deepInclude(yield* preflight(), { status: 403, origin: null })

      const rule = { allowed_origins: [page], allowed_methods: ["GET", "PUT"], allowed_headers: ["*"] }
      const whole = { ...rule, expose_headers: [], max_age_seconds: null }
      assert.deepStrictEqual(yield* ok("PUT", path, { rules: [rule] }), { bucket: "pages", rules: [whole] })
      assert.deepStrictEqual(yield* ok("GET", path), { bucket: "pages", rules: [whole] })
      assert.deepInclude(yield* preflight(), { status: 200, origin: page })
      const headers = { ...grant.headers, origin: page }
      assert.deepInclude(yield* fetched(grant.url, { method: "PUT", body: "content", headers }), {
        status: 200,
        origin: page
      })
      const { url } = yield* ok("GET", `${buckets}/pages/objects/a%2Fb/presigned`)
      const read = { status: 200, text: "content" }
      assert.deepStrictEqual(yield* fetched(url, { headers: { origin: page } }), { ...read, origin: page })
      assert.deepStrictEqual(yield* fetched(url, { headers: { origin: "https://other.example" } }), {
        ...read,
        origin: null
      })

      const other = {
        ...whole,
        allowed_origins: ["https://other.example"],
        max_age_seconds: 0,
        expose_headers: ["ETag"]
      }
      yield* ok("PUT", path, { rules: [other] })
      assert.deepStrictEqual((yield* ok("GET", path)).rules, [other])
      assert.deepStrictEqual(yield* fetched(url, { headers: { origin: page } }), { ...read, origin: null })
      for (let nth = 0; nth < 2; nth++) {
        assert.deepStrictEqual(yield* ok("DELETE", path), { bucket: "pages", deleted: true })
      }
      assert.deepStrictEqual((yield* ok("GET", path)).rules, [])
    })
  )

  it.effect("a refusal of the object gateway has its message, and a too low tier is a 403", () =>
    Effect.gen(function* () {
      const { fault, removeFault } = yield* SimulatedCloud
      const path = `${buckets}/refused/cors`
      const body = { rules: [{ allowed_origins: ["*"], allowed_methods: ["GET"] }] }
      yield* ok("POST", buckets, { name: "refused" })
      const { id } = yield* fault({
        service: "rgw",
        method: "PUT",
        path: "**",
        when: "before",
        as: {
          status: 400,
          body: "<Error><Code>InvalidRequest</Code><Message>The number of CORS rules is too high</Message></Error>"
        }
      })
      const refused = yield* asked("PUT", path, body)
      yield* removeFault(id)
      assert.deepStrictEqual([refused.status, refused.body.code], [422, "upstream_refused"])
      assert.include(refused.body.detail, "InvalidRequest: The number of CORS rules is too high")
      assert.strictEqual((yield* asked("GET", path, undefined, 0)).status, 200)
      assert.strictEqual((yield* asked("PUT", path, body, 0)).status, 403)
      assert.strictEqual((yield* asked("PUT", path, body, 1)).status, 200)
      assert.strictEqual((yield* asked("DELETE", path, undefined, 1)).status, 403)
      assert.strictEqual((yield* asked("DELETE", `${buckets}/refused/objects/a`, undefined, 1)).status, 403)
      for (const [method, rest, sent] of [
        ["GET", "cors"],
        ["PUT", "cors", body],
        ["DELETE", "cors"],
        ["GET", "versions"],
        ["DELETE", "objects/a"]
      ] as const) {
        const absent = yield* asked(method, `${buckets}/absent/${rest}`, sent)
        assert.deepStrictEqual([absent.status, absent.body.code], [404, "bucket_not_found"], `${method} ${rest}`)
      }
    })
  )

  it.effect("folders are listed per level, each object and folder once, for any page size", () =>
    Effect.gen(function* () {
      yield* ok("POST", buckets, { name: "folders" })
      const keys = ["a", "a/1", "a/2", "b/c/1", "b/c/2", "b/d", "b!", "\u0001/x", "ü é+/1", "z"]
      for (const key of keys) yield* put("folders", key, key)
      for (const limit of [1, 2, 3, 100]) {
        const seen: Array<string> = []
        let token = ""
        do {
          const answer = yield* ok("GET", `${buckets}/folders/objects?delimiter=%2F&limit=${limit}${token}`)
          assert.isAtMost(answer.objects.length + answer.common_prefixes.length, limit)
          seen.push(...answer.common_prefixes, ...answer.objects.map((_: { key: string }) => _.key))
          token = `&continuation_token=${answer.next_continuation_token}`
        } while (!token.endsWith("null"))
        assert.sameMembers(seen, ["a", "a/", "b!", "b/", "\u0001/", "ü é+/", "z"], `pages of ${limit}`)
        assert.lengthOf(seen, 7)
      }
      const below = yield* ok("GET", `${buckets}/folders/objects?delimiter=%2F&prefix=b%2F`)
      assert.deepStrictEqual(
        [below.prefix, below.common_prefixes, below.objects.map((_: { key: string }) => _.key)],
        ["b/", ["b/c/"], ["b/d"]]
      )
      assert.deepStrictEqual((yield* ok("GET", `${buckets}/folders/objects`)).common_prefixes, [])
    })
  )

  it.effect("an object's versions are listed and read, a deletion is undone, and a version is deleted", () =>
    Effect.gen(function* () {
      yield* ok("POST", buckets, { name: "history" })
      yield* put("history", "doc", "before")
      yield* ok("PUT", `${buckets}/history/versioning`, { versioning: "enabled" })
      yield* put("history", "doc", "first")
      yield* put("history", "doc", "second")
      yield* put("history", "other", "other")
      const object = `${buckets}/history/objects/doc`
      const marked = yield* ok("DELETE", object)
      assert.deepInclude(marked, { bucket: "history", key: "doc", delete_marker: true, deleted: true })
      const gone = yield* asked("DELETE", object)
      assert.deepStrictEqual([gone.status, gone.body.code], [404, "object_not_found"])

      const all: Array<Record<string, unknown>> = []
      let token = ""
      do {
        const answer = yield* ok("GET", `${buckets}/history/versions?limit=2${token}`)
        assert.isAtMost(answer.versions.length, 2)
        all.push(...answer.versions)
        token = `&continuation_token=${answer.next_continuation_token}`
      } while (!token.endsWith("null"))
      assert.deepStrictEqual(
        all.map((_) => [_["key"], _["latest"], _["delete_marker"], _["size_bytes"]]),
        [
          ["doc", true, true, null],
          ["doc", false, false, 6],
          ["doc", false, false, 5],
          ["doc", false, false, 6],
          ["other", true, false, 5]
        ]
      )
      assert.deepStrictEqual([all[0]?.["version_id"], all[3]?.["version_id"]], [marked.version_id, "null"])
      assert.isNull(all[0]?.["etag"])
      assert.deepStrictEqual(
        (yield* ok("GET", `${buckets}/history/versions?prefix=o`)).versions.map((_: { key: string }) => _.key),
        ["other"]
      )

      const second = all[1]?.["version_id"]
      assert.strictEqual((yield* asked("GET", `${object}/presigned`)).status, 404)
      assert.strictEqual((yield* asked("GET", `${object}/presigned?version_id=${marked.version_id}`)).status, 404)
      assert.strictEqual((yield* asked("GET", `${object}/presigned?version_id=unknown`)).status, 404)
      for (const [id, text] of [
        [second, "second"],
        [all[2]?.["version_id"], "first"],
        ["null", "before"]
      ] as const) {
        const { url } = yield* ok("GET", `${object}/presigned?version_id=${id}`)
        assert.deepInclude(yield* fetched(url), { status: 200, text })
        assert.strictEqual((yield* fetched(url.replace(`versionId=${id}`, "versionId=x"))).status, 403)
      }

      const undone = yield* ok("DELETE", `${object}?version_id=${marked.version_id}`)
      assert.deepInclude(undone, { version_id: marked.version_id, delete_marker: true })
      assert.deepInclude(yield* fetched((yield* ok("GET", `${object}/presigned`)).url), { text: "second" })
      for (let nth = 0; nth < 2; nth++) {
        assert.deepInclude(yield* ok("DELETE", `${object}?version_id=${second}`), {
          version_id: second,
          delete_marker: false
        })
      }
      assert.deepInclude(yield* fetched((yield* ok("GET", `${object}/presigned`)).url), { text: "first" })
    })
  )

  it.effect("an object is deleted in either spelling of its key, and no other", () =>
    Effect.gen(function* () {
      yield* ok("POST", buckets, { name: "deleted" })
      yield* put("deleted", "kept", "kept")
      for (const [how, spelled] of Object.entries(spellings)) {
        for (const key of odd) {
          yield* put("deleted", key, "content")
          const gone = yield* asked("DELETE", `${buckets}/deleted/objects/${spelled(key)}`)
          assert.deepStrictEqual(
            gone,
            {
              status: 200,
              body: { bucket: "deleted", key, version_id: null, delete_marker: false, deleted: true }
            },
            `${JSON.stringify(key)}, ${how}`
          )
        }
      }
      const left = (yield* ok("GET", `${buckets}/deleted/objects`)).objects
      assert.deepStrictEqual(
        left.map((_: { key: string }) => _.key),
        ["kept"]
      )
    })
  )
})
