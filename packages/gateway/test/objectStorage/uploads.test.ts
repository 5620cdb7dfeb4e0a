import { assert, layer } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { objectPath } from "@portico/upstream/rgw/paths"
import { Clock, Effect, Layer } from "effect"
import { Cast, mint, operator } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { putObject, s3 } from "./objectStore.ts"

const Everything = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))
const bucket = "uploads"
const buckets = "/v1/object-storage/buckets"

const asked = Effect.fnUntraced(function* (method: string, path: string, body?: unknown, tier: 0 | 1 | 2 = 2) {
  const { acme } = yield* Cast
  return yield* (yield* TestGateway).call("customer", method, path, { token: acme.tokens[tier], body })
})

const presigned = (key: string) => `${buckets}/${bucket}/objects/${encodeURIComponent(key)}/presigned`

/** A grant for these bytes. */
const granted = Effect.fnUntraced(function* (key: string, size: number, more: object = {}, tier: 0 | 1 | 2 = 1) {
  yield* asked("POST", buckets, { name: bucket })
  const answer = yield* asked("POST", presigned(key), { content_length: size, ...more }, tier)
  assert.strictEqual(answer.status, 200, answer.text)
  assert.strictEqual(answer.headers["cache-control"], "no-store")
  return jsonOf(answer)
})

const keysOf = Effect.map(asked("GET", "/v1/object-storage/credentials"), (answer) => {
  const { access_key, secret_key } = jsonOf(answer)
  return { accessKey: String(access_key), secretKey: String(secret_key) }
})

const contentOf = Effect.fnUntraced(function* (key: string) {
  const { status, text } = yield* s3(yield* keysOf, "GET", objectPath("", bucket, key))
  return status === 200 ? text : status
})

/** An upload as any program makes it. */
const uploaded = (url: string, body: string, headers: Readonly<Record<string, string>> = {}, method = "PUT") =>
  Effect.promise(async () => {
    const request: RequestInit = { method, body: new TextEncoder().encode(body), headers }
    const answer = await fetch(url, request)
    return [answer.status, /<Code>(\w+)<\/Code>/.exec(await answer.text())?.[1] ?? ""] as const
  })

const refused = [403, "SignatureDoesNotMatch"] as const

layer(Everything)("a presigned upload", (it) => {
  it.effect("takes one object by plain fetch, of its size and type, and does not overwrite", () =>
    Effect.gen(function* () {
      const before = yield* Clock.currentTimeMillis
      const grant = yield* granted("a/b c.txt", 7, { content_type: "text/plain; charset=utf-8" })
      const { content_length, expires_at, expires_in, headers, method, url } = grant
      assert.deepStrictEqual([method, content_length, expires_in], ["PUT", 7, 120])
      assert.deepStrictEqual(headers, { "content-type": "text/plain; charset=utf-8", "if-none-match": "*" })
      assert.closeTo(Date.parse(expires_at), before + 120_000, 10_000)
      assert.strictEqual(new URL(url).searchParams.get("X-Amz-Expires"), "120")

      assert.deepStrictEqual(yield* uploaded(url, "content", headers), [200, ""])
      assert.strictEqual(yield* contentOf("a/b c.txt"), "content")
      assert.deepStrictEqual(yield* uploaded(url, "another", headers), [412, "PreconditionFailed"])
      assert.strictEqual(yield* contentOf("a/b c.txt"), "content")
    })
  )

  it.effect("is refused for another size, type, key, bucket, method and time", () =>
    Effect.gen(function* () {
      const { headers, url } = yield* granted("bound", 7, { content_type: "image/png" })
      for (const body of ["bigger than that", "less", ""]) {
        assert.deepStrictEqual(yield* uploaded(url, body, headers), refused, body)
      }
      const { "content-type": _, ...untyped } = headers
      assert.deepStrictEqual(yield* uploaded(url, "content", { ...headers, "content-type": "text/html" }), refused)
      assert.deepStrictEqual(yield* uploaded(url, "content", untyped), refused)
      assert.deepStrictEqual(yield* uploaded(url, "content", { "content-type": "image/png" }), refused)
      for (const [from, to] of [
        [`/${bucket}/bound?`, `/${bucket}/other?`],
        [`/${bucket}/bound?`, "/another-bucket/bound?"],
        ["X-Amz-Expires=120", "X-Amz-Expires=604800"],
        ["?X-Amz-Algorithm", "?uploads&X-Amz-Algorithm"],
        ["?X-Amz-Algorithm", "?acl&X-Amz-Algorithm"],
        ["?X-Amz-Algorithm", "?versionId=x&X-Amz-Algorithm"]
      ] as const) {
        assert.include(url, from)
        assert.deepStrictEqual(yield* uploaded(url.replace(from, to), "content", headers), refused, to)
      }
      for (const method of ["POST", "DELETE"]) {
        assert.deepStrictEqual(yield* uploaded(url, "content", headers, method), refused, method)
      }
      const read = yield* Effect.promise(() => fetch(url).then((_) => _.status))
      assert.strictEqual(read, 403)
      assert.strictEqual(yield* contentOf("bound"), 404)
    })
  )

  it.effect("lets the uploader choose no source, ACL, lock or other header", () =>
    Effect.gen(function* () {
      yield* granted("secret", 1)
      yield* putObject(yield* keysOf, bucket, "secret", "the tenant's own")
      const { headers, url } = yield* granted("target", 0)
      const chosen = {
        "x-amz-copy-source": `/${bucket}/secret`,
        "x-amz-acl": "public-read",
        "x-amz-grant-read": 'uri="http://acs.amazonaws.com/groups/global/AllUsers"',
        "x-amz-storage-class": "GLACIER",
        "x-amz-object-lock-mode": "COMPLIANCE",
        "x-amz-server-side-encryption-customer-algorithm": "AES256",
        "x-amz-tagging": "a=b",
        "x-amz-website-redirect-location": "https://evil.example/",
        "x-amz-security-token": "token",
        "x-amz-content-sha256": "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
      }
      for (const [name, value] of Object.entries(chosen)) {
        assert.deepStrictEqual(yield* uploaded(url, "", { ...headers, [name]: value }), refused, name)
      }
      assert.strictEqual(yield* contentOf("target"), 404)
      assert.deepStrictEqual(yield* uploaded(url, "", headers), [200, ""])
      assert.strictEqual(yield* contentOf("target"), "")
    })
  )

  it.effect("without a length is refused", () =>
    Effect.gen(function* () {
      const { headers, url } = yield* granted("chunked", 7)
      // A body of unknown length goes in chunks.
      const body = new Blob(["content"]).stream()
      const request: RequestInit = Object.assign({ method: "PUT", headers, body }, { duplex: "half" })
      const status = yield* Effect.promise(() => fetch(url, request).then((_) => _.status))
      assert.strictEqual(status, 403)
      assert.strictEqual(yield* contentOf("chunked"), 404)
    })
  )

  it.effect("overwrites at tier 2 alone, and ends with its signing key", () =>
    Effect.gen(function* () {
      yield* granted("there", 1)
      yield* putObject(yield* keysOf, bucket, "there", "before")
      const taken = yield* asked("POST", presigned("there"), { content_length: 5 })
      assert.deepStrictEqual([taken.status, jsonOf(taken).code], [409, "object_exists"])
      for (const key of ["there", "absent"]) {
        const low = yield* asked("POST", presigned(key), { content_length: 5, overwrite: true }, 1)
        assert.deepStrictEqual([low.status, jsonOf(low).code], [403, "tier_too_low"])
      }
      const none = yield* asked("POST", presigned("absent"), { content_length: 5 }, 0)
      assert.deepStrictEqual([none.status, jsonOf(none).code], [403, "tier_too_low"])

      const { headers, url } = yield* granted("there", 5, { overwrite: true, expires_in: 30 }, 2)
      assert.deepStrictEqual(headers, {})
      for (const body of ["after", "twice"]) assert.deepStrictEqual(yield* uploaded(url, body), [200, ""])
      assert.strictEqual(yield* contentOf("there"), "twice")
      const { accessKey } = yield* keysOf
      yield* asked("DELETE", `/v1/object-storage/keys/${encodeURIComponent(accessKey)}`)
      assert.deepStrictEqual(yield* uploaded(url, "later"), [403, "InvalidAccessKeyId"])
    })
  )

  it.effect("is granted to an agent of tier 1, without overwriting", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const { pat: token } = yield* mint(acme.tokens[2], 1, "uploads", { kind: "mcp" })
      const grant = yield* call("customer", "POST", presigned("agents"), { token, body: { content_length: 2 } })
      assert.strictEqual(grant.status, 200, grant.text)
      const body = { content_length: 2, overwrite: true }
      const low = yield* call("customer", "POST", presigned("agents"), { token, body })
      assert.deepStrictEqual([low.status, jsonOf(low).code], [403, "tier_too_low"])
    })
  )

  it.effect("is refused by a policy that denies writes, or deletes", () =>
    Effect.gen(function* () {
      const { customerOwner: token } = yield* Cast
      const { call } = yield* TestGateway
      yield* granted("policy", 1)
      for (const [action, ordinary] of [
        ["object-storage:operate", 403],
        ["object-storage:destroy", 200]
      ] as const) {
        const rule = { ou: "", denies: [action] }
        const put = yield* call("customer", "PUT", "/v1/access/policy", { token, body: rule })
        assert.strictEqual(put.status, 200, put.text)
        const plain = yield* asked("POST", presigned("policy"), { content_length: 1 })
        assert.strictEqual(plain.status, ordinary, plain.text)
        const over = yield* asked("POST", presigned("policy"), { content_length: 1, overwrite: true })
        assert.deepStrictEqual([over.status, jsonOf(over).code], [403, "policy_denied"], action)
        yield* call("customer", "DELETE", "/v1/access/policy?ou=", { token })
      }
    })
  )

  it.effect("is refused for the archive of databases, and for an impossible key", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { world } = yield* SimulatedCloud
      yield* granted("x", 1)
      const archive = `db-archive-${acme.projectId}-0f1e`
      const held = world.rgw.buckets[`tenant/${bucket}`]
      assert.isDefined(held)
      if (held !== undefined) world.rgw.buckets[`tenant/${archive}`] = { ...held, bucket: archive }
      const managed = yield* asked("POST", `${buckets}/${archive}/objects/a/presigned`, { content_length: 1 })
      assert.deepStrictEqual([managed.status, jsonOf(managed).code], [409, "bucket_managed"])
      delete world.rgw.buckets[`tenant/${archive}`]
      for (const key of ["a\0b", "é".repeat(513)]) {
        const wrong = yield* asked("POST", presigned(key), { content_length: 1 })
        assert.deepStrictEqual([wrong.status, jsonOf(wrong).code], [422, "object_key_refused"])
      }
    })
  )

  it.effect("is refused to a suspended tenant, and an earlier grant has no quota", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const { headers, url } = yield* granted("late", 7)
      const act = (what: string, body?: unknown) =>
        call("operator", "POST", `/v1/tenants/${acme.projectId}/${what}`, { token: operator, body })
      assert.strictEqual((yield* act("suspend")).status, 200)
      const none = yield* asked("POST", presigned("late"), { content_length: 7 })
      assert.deepStrictEqual([none.status, jsonOf(none).code], [403, "tenant_suspended"])
      assert.deepStrictEqual(yield* uploaded(url, "content", headers), [403, "QuotaExceeded"])
      assert.strictEqual((yield* act("tier", { tier: "standard" })).status, 200)
    })
  )
})
