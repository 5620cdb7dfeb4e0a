import { Sha256 } from "@aws-crypto/sha256-js"
import { assert, it } from "@effect/vitest"
import { fixtures } from "@portico/simulator/Fixtures"
import { newBucket } from "@portico/simulator/rgw/state"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { SignatureV4 } from "@smithy/signature-v4"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { ask } from "./ask.ts"

interface Options {
  readonly accessKey?: string
  readonly secretKey?: string
  readonly body?: string
  readonly payload?: "hashed"
  /** Milliseconds by which the signer's clock is ahead. */
  readonly ahead?: number
  /** Sent in place of what was signed. */
  readonly sent?: string
}

/** Signs as clients do, with an implementation that is not ours; the answer's body is read whatever its type says. */
const signed = Effect.fnUntraced(function* (method: string, target: string, options: Options = {}) {
  const now = yield* Clock.currentTimeMillis
  const [path = "", search = ""] = target.split("?")
  const signer = new SignatureV4({
    credentials: {
      accessKeyId: options.accessKey ?? fixtures.rgw.accessKey,
      secretAccessKey: options.secretKey ?? fixtures.rgw.secretKey
    },
    region: "default",
    service: "s3",
    sha256: Sha256,
    uriEscapePath: false
  })
  const unsigned = options.payload === "hashed" ? {} : { "x-amz-content-sha256": "UNSIGNED-PAYLOAD" }
  const request = yield* Effect.promise(() =>
    signer.sign(
      {
        method,
        protocol: "http:",
        hostname: "cloud.simulated",
        path,
        query: Object.fromEntries(new URLSearchParams(search)),
        headers: { host: "cloud.simulated", ...unsigned },
        ...(options.body === undefined ? {} : { body: options.body })
      },
      { signingDate: new Date(now + (options.ahead ?? 0)) }
    )
  )
  const { headers } = request
  const answer = yield* ask(method, options.sent ?? target, { headers, body: options.body ?? "" })
  return { ...answer, json: answer.body === "" ? undefined : JSON.parse(answer.body) }
})

const project = "4f0c0f7c9d6e4b1c8a51a0c7d2b7e111"
const uid = `tenant%24${project}`
const user = `/rgw/admin/user?uid=${uid}`
const create = (name = uid, rest = "") => signed("PUT", `/rgw/admin/user?uid=${name}&display-name=Acme%20Inc${rest}`)

const quotaOf = (type: "user" | "bucket") =>
  Effect.map(signed("GET", `/rgw/admin/user?quota&uid=${uid}&quota-type=${type}`), (_) => _.json)

it.effect("a user of a tenant is created once, found, changed and deleted", () =>
  Effect.gen(function* () {
    const created = yield* create(uid, "&max-buckets=5")
    assert.strictEqual(created.status, 200)
    assert.notProperty(created.headers, "content-type")
    assert.deepInclude(created.json, { tenant: "tenant", user_id: project, max_buckets: 5, suspended: 0 })
    assert.match(created.json.keys[0].access_key, /^[A-Z0-9]{20}$/)
    assert.strictEqual(created.json.keys[0].user, `tenant$${project}`)
    const again = yield* create()
    assert.deepStrictEqual([again.status, again.json.Code], [409, "UserAlreadyExists"])
    assert.strictEqual((yield* signed("POST", `${user}&max-buckets=-1`)).json.max_buckets, -1)
    assert.strictEqual((yield* signed("GET", `${user}&stats=true`)).json.stats.size, 0)
    const list = yield* signed("GET", "/rgw/admin/user?list&max-entries=1")
    assert.deepStrictEqual(list.json, { keys: ["gateway"], truncated: true, count: 1, marker: "gateway" })
    const rest = yield* signed("GET", "/rgw/admin/user?list&marker=gateway")
    assert.deepStrictEqual(rest.json, { keys: [`tenant$${project}`], truncated: false, count: 1 })
    assert.strictEqual((yield* signed("DELETE", user)).status, 200)
    const gone = yield* signed("DELETE", user)
    assert.deepStrictEqual([gone.status, gone.json.Code], [404, "NoSuchUser"])
    assert.strictEqual((yield* signed("GET", user)).status, 404)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("an invalid call has an error code", () =>
  Effect.gen(function* () {
    yield* create(uid, "&email=a%40b.example&access-key=TAKEN")
    const table: ReadonlyArray<readonly [string, string, number, string]> = [
      ["PUT", "/rgw/admin/user?uid=ten-ant%24x&display-name=x", 400, "InvalidTenantName"],
      ["PUT", "/rgw/admin/user?uid=x&tenant=a.b&display-name=x", 400, "InvalidTenantName"],
      ["PUT", "/rgw/admin/user?uid=other", 400, "InvalidArgument"],
      ["PUT", "/rgw/admin/user?uid=other&display-name=x&email=A%40b.example", 409, "EmailExists"],
      ["PUT", "/rgw/admin/user?uid=other&display-name=x&access-key=TAKEN", 409, "KeyExists"],
      ["GET", "/rgw/admin/user", 400, "InvalidArgument"],
      ["GET", `/rgw/admin/user?uid=${project}&tenant=tenant`, 404, "NoSuchUser"],
      ["GET", "/rgw/admin/user?access-key=NONE", 404, "NoSuchUser"],
      ["PUT", "/rgw/admin/user?key&uid=nobody", 404, "NoSuchUser"],
      ["DELETE", `/rgw/admin/user?key&uid=${uid}&access-key=NONE`, 403, "InvalidAccessKeyId"],
      ["GET", "/rgw/admin/user?quota&uid=nobody&quota-type=user", 404, "NoSuchUser"],
      ["GET", "/rgw/admin/bucket?bucket=tenant%2Fnone&stats=true", 404, "NoSuchBucket"]
    ]
    for (const [method, target, status, code] of table) {
      const answer = yield* signed(method, target)
      assert.deepStrictEqual([answer.status, answer.json.Code], [status, code], target)
    }
    const known = yield* signed("GET", "/rgw/admin/user?access-key=TAKEN")
    assert.strictEqual(known.json.user_id, project)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("keys: every write answers all of them, and an existing access key gets a new secret", () =>
  Effect.gen(function* () {
    yield* create(uid, `&access-key=tenant%24${project}-1`)
    const key = `/rgw/admin/user?key&uid=${uid}&key-type=s3`
    const two = yield* signed("PUT", `${key}&access-key=tenant%24${project}-2&generate-key=true`)
    assert.deepStrictEqual(
      two.json.map((_: { access_key: string }) => _.access_key),
      [`tenant$${project}-1`, `tenant$${project}-2`]
    )
    const replaced = yield* signed("PUT", `${key}&access-key=tenant%24${project}-2&secret-key=chosen`)
    assert.strictEqual(replaced.json.length, 2)
    assert.strictEqual(replaced.json[1].secret_key, "chosen")
    const asTenant = { accessKey: `tenant$${project}-2`, secretKey: "chosen" }
    const forbidden = yield* signed("GET", user, asTenant)
    assert.deepStrictEqual([forbidden.status, forbidden.json.Code], [403, "AccessDenied"])
    assert.strictEqual((yield* signed("DELETE", `${key}&access-key=tenant%24${project}-2`)).status, 200)
    assert.strictEqual((yield* signed("GET", user, asTenant)).json.Code, "InvalidAccessKeyId")
    yield* signed("POST", `${user}&suspended=true`)
    const secretKey = (yield* signed("GET", user)).json.keys[0].secret_key
    const suspended = yield* signed("GET", user, { accessKey: `tenant$${project}-1`, secretKey })
    assert.deepStrictEqual([suspended.status, suspended.json.Code], [403, "UserSuspended"])
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a quota in the query changes the named fields, one in a body replaces the whole", () =>
  Effect.gen(function* () {
    yield* create()
    const unlimited = { enabled: false, check_on_raw: false, max_size: -1, max_size_kb: 0, max_objects: -1 }
    assert.deepStrictEqual(yield* quotaOf("user"), unlimited)
    const put = `/rgw/admin/user?quota&uid=${uid}&quota-type=user`
    const written = yield* signed("PUT", `${put}&max-size=21474836480&max-objects=7&enabled=true`)
    assert.deepStrictEqual([written.status, written.body], [200, ""])
    yield* signed("PUT", `${put}&max-objects=9`)
    assert.deepStrictEqual(yield* quotaOf("user"), {
      enabled: true,
      check_on_raw: false,
      max_size: 21474836480,
      max_size_kb: 20971520,
      max_objects: 9
    })
    yield* signed("PUT", put, { body: JSON.stringify({ max_size_kb: 1 }) })
    assert.deepInclude(yield* quotaOf("user"), { enabled: false, max_size: 1024, max_objects: -1 })
    yield* signed("PUT", put, { body: JSON.stringify({ enabled: true }) })
    assert.deepInclude(yield* quotaOf("user"), { enabled: true, max_size: 0 })
    const hashed = yield* signed("PUT", put, { body: "{}", payload: "hashed" })
    assert.deepStrictEqual([hashed.status, hashed.json.Code], [501, "NotImplemented"])
    assert.strictEqual((yield* signed("PUT", put, { body: " ".repeat(1025) })).status, 400)
    assert.deepStrictEqual(yield* quotaOf("bucket"), unlimited)
    const both = yield* signed("GET", `/rgw/admin/user?quota&uid=${uid}`)
    assert.deepStrictEqual(Object.keys(both.json), ["bucket_quota", "user_quota"])
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("the signature covers the method, the path, every parameter, the time and the headers", () =>
  Effect.gen(function* () {
    const { accessKey, secretKey } = fixtures.rgw
    yield* TestClock.adjust("400 days")
    const good = yield* signed("GET", `/rgw/admin/user?uid=${fixtures.rgw.uid}&max-size-kb=1&max-size=2&x=a%20b%2A`)
    assert.strictEqual(good.status, 200)
    const hashed = yield* signed("GET", `/rgw/admin/user?uid=${fixtures.rgw.uid}`, { payload: "hashed" })
    assert.strictEqual(hashed.status, 200)
    const table: ReadonlyArray<readonly [Options, string]> = [
      [{ secretKey: "wrong" }, "SignatureDoesNotMatch"],
      [{ accessKey: "NOBODY" }, "InvalidAccessKeyId"],
      [{ accessKey, secretKey, ahead: 16 * 60 * 1000 }, "RequestTimeTooSkewed"],
      [{ ahead: -16 * 60 * 1000 }, "RequestTimeTooSkewed"],
      [{ sent: "/rgw/admin/user?uid=other" }, "SignatureDoesNotMatch"],
      [{ sent: "/rgw/admin/bucket?uid=gateway" }, "SignatureDoesNotMatch"]
    ]
    for (const [options, code] of table) {
      const answer = yield* signed("GET", "/rgw/admin/user?uid=gateway", options)
      assert.deepStrictEqual([answer.status, answer.json.Code], [403, code], JSON.stringify(options))
    }
    assert.strictEqual((yield* signed("GET", "/rgw/admin/user?uid=gateway", { ahead: 14 * 60 * 1000 })).status, 200)
    const nobody = yield* ask("GET", "/rgw/admin/user?uid=gateway")
    assert.deepStrictEqual([nobody.status, nobody.json.Code], [403, "AccessDenied"])
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a user with buckets stays, unless its data is purged with it", () =>
  Effect.gen(function* () {
    yield* create()
    const { rgw } = (yield* SimulatedCloud).world
    const owner = rgw.users[`tenant$${project}`]!
    rgw.buckets["tenant/photos"] = {
      ...newBucket({ bucket: "photos", tenant: "tenant", owner: owner.uid, id: "1001.1", now: 0 }),
      held: ["rgw.main"],
      size: 5000,
      size_actual: 8192,
      num_objects: 2
    }
    assert.deepStrictEqual((yield* signed("GET", `/rgw/admin/bucket?uid=${uid}`)).json, ["photos"])
    const stats = yield* signed("GET", `/rgw/admin/bucket?uid=${uid}&stats=true`)
    assert.deepInclude(stats.json[0].usage["rgw.main"], { size: 5000, size_kb: 5, size_actual: 8192, num_objects: 2 })
    assert.strictEqual((yield* signed("GET", "/rgw/admin/bucket?bucket=tenant%2Fphotos")).json.owner, owner.uid)
    assert.strictEqual((yield* signed("DELETE", "/rgw/admin/bucket?bucket=photos")).json.Code, "NoSuchBucket")
    const refused = yield* signed("DELETE", user)
    assert.deepStrictEqual([refused.status, refused.json.Code], [409, "BucketAlreadyExists"])
    assert.strictEqual((yield* signed("DELETE", `${user}&purge-data=true`)).status, 200)
    assert.deepStrictEqual(rgw.buckets, {})
    assert.deepStrictEqual((yield* signed("GET", `/rgw/admin/bucket?uid=${uid}`)).json, [])
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)
