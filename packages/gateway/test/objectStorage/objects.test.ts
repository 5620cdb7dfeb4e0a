import { assert, layer } from "@effect/vitest"
import { foldUsage } from "@portico/domain/credentials/usage"
import { Server } from "@portico/simulator/Server"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { EventLog } from "@portico/store/EventLog"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { Cast, operator } from "../harness/Cast.ts"
import type { Answer } from "../harness/http.ts"
import { odd, spellings } from "./objectKeys.ts"
import { putObject, s3 } from "./objectStore.ts"
import { jsonOf, type Plane, planes, TestGateway } from "../harness/TestGateway.ts"
import { inTime, until } from "@portico/testing/clock"

const buckets = "/v1/object-storage/buckets"

/** A plain GET, as `curl` does it: without any header of ours. */
const fetched = (url: string, method = "GET") =>
  Effect.promise(async () => {
    const answer = await fetch(url, { method })
    return { status: answer.status, text: await answer.text() }
  })

const asked = Effect.fnUntraced(function* (method: string, path: string, body?: unknown, plane: Plane = "customer") {
  const { acme } = yield* Cast
  return yield* (yield* TestGateway).call(plane, method, path, { token: acme.tokens[2], body })
})

const ok = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
  const answer = yield* asked(method, path, body)
  if (answer.status >= 300) return yield* Effect.die(`${method} ${path}: ${answer.status} ${answer.text}`)
  return jsonOf(answer)
})

const keysOf = Effect.map(ok("GET", "/v1/object-storage/credentials"), ({ access_key, secret_key }) => ({
  accessKey: String(access_key),
  secretKey: String(secret_key)
}))

const isNotStored = (answer: Answer) => assert.strictEqual(answer.headers["cache-control"], "no-store")

/** So that acme has room for every story's bucket. */
const room = Layer.effectDiscard(
  Effect.gen(function* () {
    const { acme } = yield* Cast
    const path = `/v1/tenants/${acme.projectId}/tier`
    yield* (yield* TestGateway).call("operator", "POST", path, { token: operator, body: { tier: "standard" } })
  })
)

const Everything = room.pipe(Layer.provideMerge(Cast.layer), Layer.provideMerge(TestGateway.layer))

layer(Everything)("object storage", (it) => {
  it.effect("a tenant's use of buckets, on both planes", () =>
    Effect.gen(function* () {
      const { url } = yield* Server
      const { globex } = yield* Cast
      const { call } = yield* TestGateway
      for (const plane of planes) {
        const ask = (method: string, path: string, body?: unknown) =>
          Effect.map(call(plane, method, path, { token: globex.tokens[2], body }), (_) => [_.status, jsonOf(_)])
        assert.deepStrictEqual(yield* ask("GET", buckets), [200, { buckets: [], count: 0, endpoint: `${url}/rgw` }])
        const [status, made] = yield* ask("POST", buckets, { name: `life-${plane}` })
        assert.deepStrictEqual([status, made.count, made.endpoint], [201, 1, `${url}/rgw`])
        assert.match(made.buckets[0].modified, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
        const versioning = `${buckets}/life-${plane}/versioning`
        const state = (versioning: string) => [200, { bucket: `life-${plane}`, versioning }]
        assert.deepStrictEqual(yield* ask("GET", versioning), state("unset"))
        assert.deepStrictEqual(yield* ask("PUT", versioning, { versioning: "enabled" }), state("enabled"))
        assert.deepStrictEqual(yield* ask("GET", versioning), state("enabled"))
        assert.deepStrictEqual(yield* ask("PUT", versioning, { versioning: "suspended" }), state("suspended"))
        assert.deepStrictEqual(yield* ask("DELETE", `${buckets}/life-${plane}`), [
          200,
          { name: `life-${plane}`, deleted: true }
        ])
      }
    })
  )

  it.effect("every valid key is listed unchanged, and reached in either spelling by a plain GET", () =>
    Effect.gen(function* () {
      yield* ok("POST", buckets, { name: "odd-keys" })
      const keys = yield* keysOf
      for (const key of odd) yield* putObject(keys, "odd-keys", key, `content of ${key}`)

      const seen: Array<string> = []
      let token = ""
      while (seen.length <= odd.length) {
        const page = yield* ok("GET", `${buckets}/odd-keys/objects?limit=7${token}`)
        assert.isAtMost(page.objects.length, 7)
        seen.push(...page.objects.map((_: { key: string }) => _.key))
        if (page.next_continuation_token === null) break
        token = `&continuation_token=${page.next_continuation_token}`
      }
      const inOrder = odd.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      assert.deepStrictEqual(seen, inOrder)

      for (const key of odd) {
        for (const [how, spelled] of Object.entries(spellings)) {
          const answer = yield* asked("GET", `${buckets}/odd-keys/objects/${spelled(key)}/presigned`)
          const because = `${JSON.stringify(key)}, ${how}: ${answer.text}`
          assert.strictEqual(answer.status, 200, because)
          isNotStored(answer)
          const got = yield* fetched(jsonOf(answer).url)
          assert.deepStrictEqual(got, { status: 200, text: `content of ${key}` }, because)
        }
      }
    })
  )

  it.effect("any key reads the object that was written to it", () =>
    Effect.gen(function* () {
      yield* ok("POST", buckets, { name: "any-keys" })
      const keys = yield* keysOf
      const services = yield* Effect.context<TestGateway | Cast | Server>()
      const pieces = fc.oneof(
        fc.string({ unit: "binary", minLength: 1, maxLength: 8 }),
        fc.constantFrom("/", ".", "..", "%", "%2F", "presigned", " ", "+", ";", "?", "#")
      )
      const anyKey = fc
        .array(pieces, { minLength: 1, maxLength: 6 })
        .map((_) => _.join("").replaceAll("\0", "").toWellFormed())
        .filter((_) => _ !== "" && Buffer.byteLength(_) <= 1024)
      const holds = (key: string, how: string) =>
        Effect.gen(function* () {
          yield* putObject(keys, "any-keys", key, `content of ${key}`)
          const path = `${buckets}/any-keys/objects/${spellings[how]?.(key)}/presigned`
          const { url } = yield* ok("GET", path)
          assert.deepStrictEqual(yield* fetched(url), { status: 200, text: `content of ${key}` })
          const listed = yield* ok("GET", `${buckets}/any-keys/objects?limit=1&prefix=${encodeURIComponent(key)}`)
          assert.strictEqual(listed.objects[0]?.key, key)
        }).pipe(Effect.provideContext(services))
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(anyKey, fc.constantFrom(...Object.keys(spellings)), (key, how) =>
            Effect.runPromise(holds(key, how))
          ),
          { numRuns: 40 }
        )
      )
    })
  )

  it.effect("an address is granted for 30 to 900 s, for GET alone, and ends with its time and key", () =>
    Effect.gen(function* () {
      yield* ok("POST", buckets, { name: "granted" })
      yield* putObject(yield* keysOf, "granted", "a", "content")
      const path = `${buckets}/granted/objects/a/presigned`
      for (const [query, lifetime] of [
        ["", 300],
        ["?expires_in=30", 30],
        ["?expires_in=900", 900]
      ] as const) {
        const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
        const { expires_at, expires_in, method, url } = yield* ok("GET", `${path}${query}`)
        assert.deepStrictEqual([expires_in, method], [lifetime, "GET"])
        assert.strictEqual(Date.parse(expires_at) / 1000 - lifetime, now)
        assert.strictEqual(new URL(url).searchParams.get("X-Amz-Expires"), String(lifetime))
        assert.deepStrictEqual(yield* fetched(url), { status: 200, text: "content" })
        for (const method of ["PUT", "DELETE", "POST"]) assert.strictEqual((yield* fetched(url, method)).status, 403)
        assert.strictEqual((yield* fetched(url.replace("/granted/a?", "/granted/b?"))).status, 403)
        yield* TestClock.adjust(`${lifetime + 1} seconds`)
        assert.strictEqual((yield* fetched(url)).status, 403)
      }
      const { url } = yield* ok("GET", `${path}?expires_in=30`)
      const { access_key } = yield* ok("GET", "/v1/object-storage/credentials")
      yield* ok("DELETE", `/v1/object-storage/keys/${encodeURIComponent(access_key)}`)
      assert.strictEqual((yield* fetched(url)).status, 403)
      assert.strictEqual((yield* fetched((yield* ok("GET", path)).url)).status, 200)
    })
  )

  it.effect("an invalid path of an object is a 404, with one spelling of the refusal", () =>
    Effect.gen(function* () {
      yield* ok("POST", buckets, { name: "no-such" })
      const object = (key: string) => ({ detail: `Object '${key}' not found`, code: "object_not_found" })
      const route = { detail: "Not Found", code: "not_found" }
      const rows: ReadonlyArray<readonly [rest: string, body: unknown]> = [
        ["/absent/presigned", object("absent")],
        ["/a%2Fb/presigned", object("a/b")],
        ["/a/b/presigned", object("a/b")],
        [`/${"a".repeat(1025)}/presigned`, object("a".repeat(1025))],
        ["/%ff/presigned", route],
        ["/%zz/presigned", route],
        ["//presigned", object("")],
        ["/a/b", route],
        ["/a/presigned/", route]
      ]
      for (const [rest, body] of rows) {
        const answer = yield* asked("GET", `${buckets}/no-such/objects${rest}`)
        assert.deepStrictEqual([answer.status, jsonOf(answer)], [404, body], rest.slice(0, 40))
      }
      // The path of an object of this name, which can only be deleted.
      const named = yield* asked("GET", `${buckets}/no-such/objects/presigned`)
      assert.deepStrictEqual([named.status, named.headers["allow"]], [405, "DELETE, OPTIONS"])
    })
  )

  it.effect("an unknown bucket, another tenant's and a malformed name are the same 404", () =>
    Effect.gen(function* () {
      const { globex } = yield* Cast
      const { call } = yield* TestGateway
      yield* ok("POST", buckets, { name: "acmes-own" })
      yield* putObject(yield* keysOf, "acmes-own", "a", "content")
      for (const name of ["acmes-own", "no-such-bucket", "..", "a%2Fb", "UPPER", "x".repeat(300), "a--x-s3"]) {
        for (const [method, rest, body] of [
          ["GET", "/objects", undefined],
          ["GET", "/objects/a/presigned", undefined],
          ["GET", "/versioning", undefined],
          ["PUT", "/versioning", { versioning: "enabled" }],
          ["DELETE", "", undefined]
        ] as const) {
          const answer = yield* call("customer", method, `${buckets}/${name}${rest}`, { token: globex.tokens[2], body })
          const wanted = { detail: `Bucket '${decodeURIComponent(name)}' not found`, code: "bucket_not_found" }
          assert.deepStrictEqual([answer.status, jsonOf(answer)], [404, wanted], `${method} ${name}${rest}`)
        }
      }
    })
  )

  it.effect("credentials work in S3 clients, are not cached, and rotate with an overlap", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { url } = yield* Server
      const first = yield* asked("GET", "/v1/object-storage/credentials")
      isNotStored(first)
      const { access_key, endpoint, secret_key, uid } = jsonOf(first)
      assert.deepStrictEqual([uid, endpoint], [`tenant$${acme.projectId}`, `${url}/rgw`])
      assert.isTrue(access_key.startsWith(`tenant$${acme.projectId}-`))
      assert.strictEqual((yield* asked("GET", "/v1/object-storage/credentials")).text, first.text)
      const old = { accessKey: access_key, secretKey: secret_key }
      assert.strictEqual((yield* s3(old, "GET", "/")).status, 200)

      const rotated = yield* asked("POST", "/v1/object-storage/credentials/rotate")
      assert.strictEqual(rotated.status, 200)
      isNotStored(rotated)
      const second = jsonOf(rotated)
      assert.notStrictEqual(second.access_key, access_key)
      for (const keys of [old, { accessKey: second.access_key, secretKey: second.secret_key }]) {
        assert.strictEqual((yield* s3(keys, "GET", "/")).status, 200)
      }
      assert.deepStrictEqual(yield* ok("GET", "/v1/object-storage/credentials"), second)
      const { count, keys } = yield* ok("GET", "/v1/object-storage/keys")
      assert.strictEqual(count, keys.length)
      const shown = (yield* asked("GET", "/v1/object-storage/keys")).text
      for (const secret of [secret_key, second.secret_key]) assert.notInclude(shown, secret)

      const path = `/v1/object-storage/keys/${encodeURIComponent(access_key)}`
      assert.strictEqual((yield* asked("DELETE", path)).status, 200)
      assert.strictEqual((yield* s3(old, "GET", "/")).status, 403)
      const again = yield* asked("DELETE", path)
      const detail = `S3 key '${access_key}' not found`
      assert.deepStrictEqual([again.status, jsonOf(again)], [404, { detail, code: "access_key_not_found" }])
      assert.strictEqual((yield* asked("DELETE", path.replace("%24", "$"))).status, 404)
    })
  )

  it.effect("a read of a secret leaves a record of its reader, in any spelling, and no use", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      yield* ok("POST", buckets, { name: "recorded" })
      yield* putObject(yield* keysOf, "recorded", "a/b", "content")
      const record = Effect.fnUntraced(function* (requestId: string | undefined) {
        const log = yield* EventLog
        const found = Effect.map(log.page("api.audit", 0, 1_000_000), (rows) =>
          rows.map((_) => JSON.parse(JSON.stringify(_.envelope))).filter((_) => _.data.request_id === requestId)
        )
        yield* until(Effect.map(found, (_) => _.length > 0))
        return yield* found
      })
      const presigned = "/v1/object-storage/buckets/:name/objects/:key/presigned"
      const rows = [
        ["GET", "/v1/object-storage/credentials", "/v1/object-storage/credentials", []],
        ["HEAD", "/v1/object-storage/credentials", "/v1/object-storage/credentials", []],
        ["GET", `${buckets}/recorded/objects/a/b/presigned?expires_in=60`, presigned, ["recorded", "a/b"]],
        ["GET", `${buckets}/recorded/objects/a%2Fb/presigned`, presigned, ["recorded", "a/b"]]
      ] as const
      for (const [method, path, route, resources] of rows) {
        const answer = yield* call("customer", method, path, { token: acme.tokens[0] })
        assert.strictEqual(answer.status, 200, path)
        const [event, ...more] = yield* record(answer.headers["x-request-id"])
        assert.deepStrictEqual(more, [])
        assert.deepInclude(event, { key: acme.credentialIds[0], project_id: acme.projectId })
        assert.deepInclude(event.data, { method, route, status: 200, source: "127.0.0.1" })
        assert.deepStrictEqual(event.data.resources, resources)
        assert.notInclude(JSON.stringify(event), "X-Amz")
      }
      const refused = yield* call("customer", "GET", "/v1/object-storage/credentials", { token: operator })
      assert.strictEqual((yield* record(refused.headers["x-request-id"]))[0].data.status, 409)
      yield* foldUsage
      const { usage } = jsonOf(
        yield* call("customer", "GET", "/v1/credentials/usage?limit=1000", { token: acme.tokens[0] })
      )
      const row = usage.find((_: { credential_id: string }) => _.credential_id === acme.credentialIds[0])
      assert.strictEqual(row.call_count, 0)
      const plain = yield* call("customer", "GET", buckets, { token: acme.tokens[0] })
      yield* record(refused.headers["x-request-id"])
      const log = yield* (yield* EventLog).page("api.audit", 0, 1_000_000)
      assert.isFalse(JSON.stringify(log).includes(String(plain.headers["x-request-id"])))
    })
  )

  it.effect("a failing upstream is a 502, never another answer", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const fault = { service: "rgw", path: "**", times: "always", when: "before", as: { status: 500 } } as const
      for (const method of ["GET", "PUT", "POST"]) yield* cloud.fault({ ...fault, method })
      for (const [method, path, body] of [
        ["GET", buckets, undefined],
        ["POST", buckets, { name: "fails" }],
        ["GET", "/v1/object-storage/credentials", undefined],
        ["GET", "/v1/object-storage/keys", undefined]
      ] as const) {
        const answer = yield* inTime(asked(method, path, body))
        assert.deepInclude([answer.status, jsonOf(answer).code], 502, `${method} ${path}`)
        assert.strictEqual(jsonOf(answer).transient, true)
      }
      yield* cloud.clearFaults
    })
  )
})
