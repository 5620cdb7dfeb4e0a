import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { odd, spellings } from "./objectKeys.ts"
import { putObject } from "./objectStore.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { Guests, realGuests, unique } from "../real/Guests.ts"
import { findQuota, findUser, type Keys, s3 } from "../real/ObjectGateway.ts"
import { told } from "../real/told.ts"

const buckets = "/v1/object-storage/buckets"

const as = (who: "acme" | "globex") =>
  Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
    const guests = yield* Guests
    const { call } = yield* TestGateway
    const answer = yield* call("customer", method, path, { token: guests[who].tokens[2], body })
    return { status: answer.status, body: jsonOf(answer) }
  })

const acme = as("acme")

const made = Effect.fnUntraced(function* (name: string) {
  const answer = yield* acme("POST", buckets, { name })
  assert.strictEqual(answer.status, 201, JSON.stringify(answer.body))
  return answer.body
})

const keysOf = Effect.map(acme("GET", "/v1/object-storage/credentials"), ({ body }): Keys => ({
  access_key: body.access_key,
  secret_key: body.secret_key
}))

const put = Effect.fnUntraced(function* (bucket: string, key: string, body: string) {
  const { access_key, secret_key } = yield* keysOf
  yield* putObject({ accessKey: access_key, secretKey: secret_key }, bucket, key, body, told("REAL_CLOUD_URL_RGW"))
})

const fetched = (url: string, method = "GET") =>
  Effect.promise(async () => {
    const answer = await fetch(url, { method })
    return { status: answer.status, text: await answer.text() }
  })

layer(realGuests, { excludeTestServices: true })("object storage on the real system", (it) => {
  it.effect("the life of a bucket: created twice, filled, listed, refused until empty, deleted", () =>
    Effect.gen(function* () {
      const name = unique("life")
      const { endpoint } = yield* made(name)
      assert.strictEqual(endpoint, told("REAL_CLOUD_URL_RGW"))
      assert.isTrue((yield* made(name)).buckets.some((_: { name: string }) => _.name === name))
      yield* put(name, "a", "12345")
      const { body } = yield* acme("GET", buckets)
      const row = body.buckets.find((_: { name: string }) => _.name === name)
      assert.deepInclude(row, { name, objects: 1, size_bytes: 5 })
      assert.match(row.modified, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.strictEqual(body.count, body.buckets.length)
      const full = yield* acme("DELETE", `${buckets}/${name}`)
      assert.deepStrictEqual([full.status, full.body.code], [409, "bucket_not_empty"])
      yield* s3(yield* keysOf, "DELETE", `/${name}/a`)
      assert.strictEqual((yield* s3(yield* keysOf, "POST", `/${name}/large`, { query: { uploads: "" } })).status, 200)
      const filling = yield* acme("DELETE", `${buckets}/${name}`)
      assert.deepStrictEqual([filling.status, filling.body.code], [409, "bucket_not_empty"])
      const uploads = yield* s3(yield* keysOf, "GET", `/${name}`, { query: { uploads: "" } })
      const uploadId = /<UploadId>([^<]+)</.exec(uploads.text)?.[1] ?? ""
      yield* s3(yield* keysOf, "DELETE", `/${name}/large`, { query: { uploadId } })
      assert.deepStrictEqual(yield* acme("DELETE", `${buckets}/${name}`), {
        status: 200,
        body: { name, deleted: true }
      })
      const gone = yield* acme("DELETE", `${buckets}/${name}`)
      assert.deepStrictEqual([gone.status, gone.body.code], [404, "bucket_not_found"])
    })
  )

  it.effect("old versions and delete markers keep a bucket, and versioning has three values", () =>
    Effect.gen(function* () {
      const name = unique("versions")
      yield* made(name)
      const path = `${buckets}/${name}/versioning`
      const state = Effect.map(acme("GET", path), (_) => _.body.versioning)
      assert.strictEqual(yield* state, "unset")
      yield* acme("PUT", path, { versioning: "enabled" })
      assert.strictEqual(yield* state, "enabled")
      yield* put(name, "a", "1")
      yield* s3(yield* keysOf, "DELETE", `/${name}/a`)
      assert.deepStrictEqual((yield* acme("GET", `${buckets}/${name}/objects`)).body.objects, [])
      assert.strictEqual((yield* acme("GET", `${buckets}/${name}/objects/a/presigned`)).status, 404)
      assert.strictEqual((yield* acme("DELETE", `${buckets}/${name}`)).body.code, "bucket_not_empty")
      assert.strictEqual((yield* acme("PUT", path, { versioning: "suspended" })).body.versioning, "suspended")
      assert.strictEqual(yield* state, "suspended")
    })
  )

  it.effect(
    "every odd key is listed unchanged, and read by a plain GET",
    () =>
      Effect.gen(function* () {
        const name = unique("odd")
        yield* made(name)
        for (const key of odd) yield* put(name, key, `content of ${key}`)
        const seen: Array<string> = []
        let token = ""
        while (seen.length <= odd.length) {
          const { body } = yield* acme("GET", `${buckets}/${name}/objects?limit=5${token}`)
          seen.push(...body.objects.map((_: { key: string }) => _.key))
          if (body.next_continuation_token === null) break
          token = `&continuation_token=${body.next_continuation_token}`
        }
        const inOrder = odd.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
        assert.deepStrictEqual(seen, inOrder)
        for (const key of odd) {
          for (const spelled of Object.values(spellings)) {
            const { body, status } = yield* acme("GET", `${buckets}/${name}/objects/${spelled(key)}/presigned`)
            assert.strictEqual(status, 200, `${JSON.stringify(key)}: ${JSON.stringify(body)}`)
            const got = yield* fetched(body.url)
            assert.deepStrictEqual(got, { status: 200, text: `content of ${key}` }, JSON.stringify(key))
          }
        }
      }),
    60_000
  )

  it.effect("a presigned address is for one object, GET and its time, and ends with its key", () =>
    Effect.gen(function* () {
      const name = unique("presigned")
      yield* made(name)
      yield* put(name, "a", "content")
      yield* put(name, "b", "other")
      const path = `${buckets}/${name}/objects/a/presigned?expires_in=30`
      const { body } = yield* acme("GET", path)
      assert.deepStrictEqual([body.method, body.expires_in], ["GET", 30])
      assert.deepStrictEqual(yield* fetched(body.url), { status: 200, text: "content" })
      assert.strictEqual((yield* fetched(body.url.replace("/a?", "/b?"))).status, 403)
      assert.strictEqual((yield* fetched(body.url, "DELETE")).status, 403)
      assert.strictEqual((yield* fetched(body.url.replace("X-Amz-Expires=30", "X-Amz-Expires=900"))).status, 403)
      const { access_key } = yield* keysOf
      yield* acme("DELETE", `/v1/object-storage/keys/${encodeURIComponent(access_key)}`)
      assert.strictEqual((yield* fetched(body.url)).status, 403)
      assert.strictEqual((yield* fetched((yield* acme("GET", path)).body.url)).status, 200)
    })
  )

  it.effect("a presigned upload is for one object and size, without overwriting or other headers", () =>
    Effect.gen(function* () {
      const name = unique("uploads")
      yield* made(name)
      yield* put(name, "secret", "secret")
      const grantOf = Effect.fnUntraced(function* (key: string, more: object = {}) {
        const answer = yield* acme("POST", `${buckets}/${name}/objects/${key}/presigned`, {
          content_length: 7,
          ...more
        })
        assert.strictEqual(answer.status, 200, JSON.stringify(answer.body))
        return answer.body
      })
      const uploaded = (url: string, body: string, headers: Readonly<Record<string, string>>) =>
        Effect.promise(async () => (await fetch(url, { method: "PUT", body: Buffer.from(body), headers })).status)
      const contentOf = Effect.fnUntraced(function* (key: string) {
        const { body } = yield* acme("GET", `${buckets}/${name}/objects/${key}/presigned`)
        return yield* fetched(body.url)
      })

      const { headers, url } = yield* grantOf("a", { content_type: "text/plain" })
      assert.strictEqual(yield* uploaded(url, "longer than that", headers), 403)
      assert.strictEqual(yield* uploaded(url, "content", { ...headers, "content-type": "text/html" }), 403)
      assert.strictEqual(yield* uploaded(url.replace("/a?", "/b?"), "content", headers), 403)
      for (const more of [{ "x-amz-acl": "public-read" }, { "x-amz-copy-source": `/${name}/secret` }]) {
        assert.strictEqual(yield* uploaded(url, "content", { ...headers, ...more }), 403, JSON.stringify(more))
      }
      assert.strictEqual(yield* uploaded(url, "content", headers), 200)
      assert.deepStrictEqual(yield* contentOf("a"), { status: 200, text: "content" })
      assert.strictEqual(yield* uploaded(url, "another", headers), 412)
      assert.deepStrictEqual(yield* contentOf("a"), { status: 200, text: "content" })
      const over = yield* grantOf("a", { overwrite: true })
      assert.strictEqual(yield* uploaded(over.url, "another", over.headers), 200)
      assert.deepStrictEqual(yield* contentOf("a"), { status: 200, text: "another" })
    })
  )

  it.effect("keys are created on first use, rotate with an overlap, are listed without secrets, and end", () =>
    Effect.gen(function* () {
      const { globex } = yield* Guests
      const ask = as("globex")
      assert.deepStrictEqual((yield* findUser(globex.projectId)).keys, [])
      const first = (yield* ask("GET", "/v1/object-storage/credentials")).body
      assert.strictEqual(first.uid, `tenant$${globex.projectId}`)
      assert.isTrue(first.access_key.startsWith(`${first.uid}-`))
      assert.deepStrictEqual((yield* ask("GET", "/v1/object-storage/credentials")).body, first)
      const second = (yield* ask("POST", "/v1/object-storage/credentials/rotate")).body
      for (const keys of [first, second]) assert.strictEqual((yield* s3(keys, "GET", "/")).status, 200)
      assert.deepStrictEqual((yield* ask("GET", "/v1/object-storage/credentials")).body, second)
      const { keys } = (yield* ask("GET", "/v1/object-storage/keys")).body
      assert.deepStrictEqual(
        keys.map((_: { access_key: string; current: boolean }) => [_.access_key, _.current]),
        [
          [first.access_key, false],
          [second.access_key, true]
        ]
      )
      const path = `/v1/object-storage/keys/${encodeURIComponent(first.access_key)}`
      assert.strictEqual((yield* ask("DELETE", path)).status, 200)
      assert.strictEqual((yield* s3(first, "GET", "/")).status, 403)
      assert.strictEqual((yield* s3(second, "GET", "/")).status, 200)
      assert.strictEqual((yield* ask("DELETE", path)).status, 404)
    })
  )

  it.effect("another tenant's bucket is 404, even a public one", () =>
    Effect.gen(function* () {
      const name = unique("open")
      yield* made(name)
      yield* put(name, "a", "content")
      const policy = {
        Version: "2012-10-17",
        Statement: [
          {
            Effect: "Allow",
            Principal: "*",
            Action: "s3:*",
            Resource: [`arn:aws:s3:::${name}`, `arn:aws:s3:::${name}/*`]
          }
        ]
      }
      const opened = yield* s3(yield* keysOf, "PUT", `/${name}`, {
        query: { policy: "" },
        body: JSON.stringify(policy)
      })
      assert.isBelow(opened.status, 300, opened.text)
      const ask = as("globex")
      for (const [method, rest, body] of [
        ["GET", "/objects", undefined],
        ["GET", "/objects/a/presigned", undefined],
        ["GET", "/versioning", undefined],
        ["PUT", "/versioning", { versioning: "enabled" }],
        ["DELETE", "", undefined]
      ] as const) {
        const answer = yield* ask(method, `${buckets}/${name}${rest}`, body)
        assert.deepStrictEqual([answer.status, answer.body.detail], [404, `Bucket '${name}' not found`], rest)
      }
      const taken = yield* ask("POST", buckets, { name })
      assert.deepStrictEqual([taken.status, taken.body.code], [409, "bucket_name_taken"])
    })
  )

  it.effect("the ceiling holds under concurrency, and a drifted quota is rewritten", () =>
    Effect.gen(function* () {
      const { acme: tenant } = yield* Guests
      const before = (yield* acme("GET", buckets)).body.count
      const answers = yield* Effect.all(
        Array.from({ length: 8 }, () => acme("POST", buckets, { name: unique("race") })),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        answers.filter((_) => _.status === 201),
        5 - before
      )
      const refused = answers.find((_) => _.status === 409)
      assert.deepInclude(refused?.body.ceiling, { requested: 1, used: 5, limit: 5, remaining: 0 })
      assert.strictEqual((yield* acme("GET", buckets)).body.count, 5)
      assert.deepInclude(yield* findQuota(tenant.projectId), { enabled: true, max_size: 20 * 1024 ** 3 })
    })
  )
})
