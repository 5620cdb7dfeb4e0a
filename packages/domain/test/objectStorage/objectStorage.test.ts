import { assert, it } from "@effect/vitest"
import { createBucket, listBuckets, removeBucket } from "@portico/domain/objectStorage/buckets"
import { rotateCredentials, showCredentials } from "@portico/domain/objectStorage/credentials"
import { listKeys, removeKey } from "@portico/domain/objectStorage/keys"
import { listObjects } from "@portico/domain/objectStorage/listObjects"
import { presign } from "@portico/domain/objectStorage/presign"
import { setVersioning, showVersioning } from "@portico/domain/objectStorage/versioning"
import { moveTier } from "@portico/domain/tenants/moveTier"
import { suspend } from "@portico/domain/tenants/suspend"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Memory } from "@portico/testing/store/Memory"
import { serviceQuotas, zeroQuotas } from "@portico/contract/Tiers"
import { archiveOf } from "@portico/domain/databases/Archives"
import { holdProject } from "@portico/domain/projects/hold"
import { Effect, Fiber } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { inTime, settle } from "@portico/testing/clock"
import { beginUpload, put, remove } from "./objects.ts"
import { objectStorageUrl, Simulated } from "@portico/testing/cloud/Simulated"
import { tenantOf } from "@portico/testing/tenants/tenant"
import { quotasOf } from "@portico/testing/tenants/whole"

const endpoint = objectStorageUrl

const names = (projectId: string) => Effect.map(listBuckets(projectId), (_) => _.buckets.map(({ name }) => name))

it.effect("a bucket is listed with its contents, and removed when it is empty", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("discovery")
    assert.deepStrictEqual(yield* listBuckets(projectId), { buckets: [], count: 0, endpoint })
    yield* TestClock.setTime(Date.UTC(2026, 0, 31, 12))
    const made = yield* createBucket(projectId, "photos")
    const row = { name: "photos", objects: 0, size_bytes: 0, modified: "2026-01-31T12:00:00.000Z", managed_by: null }
    assert.deepStrictEqual(made, { buckets: [row], count: 1, endpoint })
    yield* put(projectId, "photos", "a", "12345")
    yield* put(projectId, "photos", "b", "1234567")
    assert.deepStrictEqual((yield* listBuckets(projectId)).buckets, [{ ...row, objects: 2, size_bytes: 12 }])
    const full = yield* Effect.flip(removeBucket(projectId, "photos"))
    assert.deepInclude(full, { _tag: "Conflict", code: "bucket_not_empty" })
    yield* remove(projectId, "photos", "a")
    yield* remove(projectId, "photos", "b")
    assert.deepStrictEqual(yield* removeBucket(projectId, "photos"), { name: "photos", deleted: true })
    assert.deepStrictEqual(yield* names(projectId), [])
    assert.deepInclude(yield* Effect.flip(removeBucket(projectId, "photos")), { code: "bucket_not_found" })
  }).pipe(Effect.provide(Simulated))
)

it.effect("an archive of databases is listed as theirs, by its reserved name", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("standard")
    const other = yield* tenantOf("standard", "Globex")
    const { bucket: archive } = yield* archiveOf(projectId)
    yield* createBucket(projectId, "photos")
    yield* createBucket(projectId, "db-archive-mine")
    const { buckets } = yield* listBuckets(projectId)
    assert.deepStrictEqual(Object.fromEntries(buckets.map((_) => [_.name, _.managed_by])), {
      [archive]: "databases",
      "db-archive-mine": null,
      photos: null
    })
    assert.deepStrictEqual((yield* listBuckets(other)).buckets, [])
  }).pipe(Effect.provide(Simulated))
)

it.effect("the list costs one call to the object gateway for any number of buckets", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const projectId = yield* tenantOf("standard")
    for (let nth = 0; nth < 25; nth++) yield* createBucket(projectId, `bucket-${nth}`)
    yield* cloud.clearCalls
    assert.strictEqual((yield* listBuckets(projectId)).count, 25)
    assert.deepStrictEqual(
      (yield* cloud.calls).map((_) => `${_.method} ${_.service} ${_.path}`),
      ["GET rgw /admin/bucket"]
    )
  }).pipe(Effect.provide(Simulated))
)

it.effect("old versions, delete markers and unfinished uploads keep a bucket from being empty", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("discovery")
    yield* createBucket(projectId, "versions")
    yield* setVersioning(projectId, "versions", { versioning: "enabled" })
    yield* put(projectId, "versions", "a", "1")
    yield* remove(projectId, "versions", "a")
    assert.deepStrictEqual((yield* listObjects(projectId, "versions", {})).objects, [])
    assert.strictEqual((yield* Effect.flip(removeBucket(projectId, "versions"))).code, "bucket_not_empty")
    yield* createBucket(projectId, "uploads")
    yield* beginUpload(projectId, "uploads", "large")
    const row = (yield* listBuckets(projectId)).buckets.find((_) => _.name === "uploads")
    assert.strictEqual(row?.objects, 0)
    assert.strictEqual((yield* Effect.flip(removeBucket(projectId, "uploads"))).code, "bucket_not_empty")
  }).pipe(Effect.provide(Simulated))
)

it.effect("the tier's maximum is enforced with the numbers, and an existing bucket needs no place", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("discovery")
    for (let nth = 0; nth < 5; nth++) yield* createBucket(projectId, `bucket-${nth}`)
    const refusal = yield* Effect.flip(createBucket(projectId, "one-more"))
    assert.deepInclude(refusal, {
      _tag: "Conflict",
      code: "ceiling_reached",
      detail: "The tenant's ceiling of buckets is reached: requested 1, used 5, limit 5, remaining 0",
      ceiling: { requested: 1, used: 5, limit: 5, remaining: 0 }
    })
    assert.strictEqual((yield* createBucket(projectId, "bucket-3")).count, 5)
    yield* inTime(moveTier(projectId, "standard"))
    assert.strictEqual((yield* createBucket(projectId, "one-more")).count, 6)
  }).pipe(Effect.provide(Simulated))
)

it.effect("a create rewrites the tier's quota before it counts", () =>
  Effect.gen(function* () {
    const { world } = yield* SimulatedCloud
    const projectId = yield* tenantOf("discovery")
    const user = world.rgw.users[`tenant$${projectId}`]!
    user.max_buckets = 0
    user.user_quota = { ...user.user_quota, enabled: false, max_size: -1 }
    yield* createBucket(projectId, "photos")
    assert.deepStrictEqual((yield* quotasOf(projectId)).rgw, serviceQuotas("discovery").rgw)
    assert.isTrue(user.user_quota.enabled)
  }).pipe(Effect.provide(Simulated))
)

it.effect("a tier that cannot be read is a 503, without a call to the object gateway", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const projectId = yield* tenantOf("discovery")
    const { tenants } = yield* Memory
    tenants.delete(projectId)
    yield* cloud.fault({ service: "keystone", method: "GET", path: "**", times: "always", when: "before", as: "reset" })
    yield* cloud.clearCalls
    const failure = yield* Effect.flip(inTime(createBucket(projectId, "photos")))
    assert.deepInclude(failure, { _tag: "Unavailable", code: "tier_unreadable" })
    assert.deepStrictEqual(
      (yield* cloud.calls).filter((_) => _.service === "rgw"),
      []
    )
  }).pipe(Effect.provide(Simulated))
)

it.effect("a suspended tenant creates no bucket, and reads existing ones", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("discovery")
    yield* createBucket(projectId, "photos")
    yield* put(projectId, "photos", "a", "1")
    yield* inTime(suspend(projectId))
    const refusal = yield* Effect.flip(createBucket(projectId, "more"))
    assert.deepInclude(refusal, { code: "ceiling_reached", ceiling: { requested: 1, used: 1, limit: 0, remaining: 0 } })
    assert.deepStrictEqual((yield* quotasOf(projectId)).rgw, zeroQuotas.rgw)
    assert.deepStrictEqual(
      (yield* listObjects(projectId, "photos", {})).objects.map((_) => _.key),
      ["a"]
    )
    assert.match((yield* presign(projectId, { name: "photos", key: "a" })).url, /X-Amz-Signature=/)
    assert.strictEqual((yield* createBucket(projectId, "photos")).count, 1)
  }).pipe(Effect.provide(Simulated))
)

it.effect("during a write of the tier's quotas no bucket is created, which would restore the old quota", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const projectId = yield* tenantOf("discovery")
    yield* cloud.fault({ service: "octavia", method: "PUT", path: "**", when: "before", as: { delay_ms: 5_000 } })
    const move = yield* Effect.forkDetach(moveTier(projectId, "standard"))
    yield* settle
    const refusal = yield* Effect.flip(createBucket(projectId, "photos"))
    assert.strictEqual(refusal.code, "tier_move_in_progress")
    yield* inTime(Fiber.join(move))
    yield* createBucket(projectId, "photos")
    assert.deepStrictEqual((yield* quotasOf(projectId)).rgw, serviceQuotas("standard").rgw)
  }).pipe(Effect.provide(Simulated))
)

it.effect("another tenant's bucket is 404, and its name is refused without its owner", () =>
  Effect.gen(function* () {
    const acme = yield* tenantOf("discovery")
    const globex = yield* tenantOf("discovery", "Globex")
    yield* createBucket(acme, "photos")
    yield* put(acme, "photos", "a", "1")
    const refusal = yield* Effect.flip(createBucket(globex, "photos"))
    assert.deepInclude(refusal, { _tag: "Conflict", code: "bucket_name_taken" })
    assert.deepStrictEqual(yield* names(globex), [])
    const told = <A, E extends { readonly detail: unknown }, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.map(Effect.flip(effect), (_) => _.detail)
    const asked = (name: string) =>
      Effect.all([
        told(removeBucket(globex, name)),
        told(listObjects(globex, name, {})),
        told(presign(globex, { name, key: "a" })),
        told(showVersioning(globex, name)),
        told(setVersioning(globex, name, { versioning: "enabled" }))
      ])
    for (const name of ["photos", "absent", "A bucket?", "..", "a/b", "a--x-s3", ""]) {
      const detail = `Bucket '${name}' not found`
      assert.deepStrictEqual(yield* asked(name), [detail, detail, detail, detail, detail])
    }
    assert.strictEqual((yield* showVersioning(acme, "photos")).versioning, "unset")
  }).pipe(Effect.provide(Simulated))
)

it.effect("versioning is unset until it is enabled, and only suspended afterwards", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("discovery")
    yield* createBucket(projectId, "photos")
    const shown = Effect.map(showVersioning(projectId, "photos"), (_) => _.versioning)
    assert.strictEqual(yield* shown, "unset")
    for (const versioning of ["enabled", "enabled", "suspended", "suspended", "enabled"] as const) {
      assert.deepStrictEqual(yield* setVersioning(projectId, "photos", { versioning }), {
        bucket: "photos",
        versioning
      })
      assert.strictEqual(yield* shown, versioning)
    }
  }).pipe(Effect.provide(Simulated))
)

it.effect("pages continue after the last key, despite changes in between", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("discovery")
    yield* createBucket(projectId, "photos")
    const keys = ["a/1", "a/2", "a/3", "b", "c\u0001", "d e+f", "ü", "日本/語"]
    for (const key of keys) yield* put(projectId, "photos", key, key)
    const seen: Array<string> = []
    let token: string | null | undefined
    while (token !== null && seen.length < 50) {
      const page = yield* listObjects(projectId, "photos", {
        limit: 3,
        ...(token === undefined ? {} : { continuation_token: token })
      })
      seen.push(...page.objects.map((_) => _.key))
      if (token === undefined) {
        yield* remove(projectId, "photos", "a/3")
        yield* put(projectId, "photos", "a/0", "before")
        yield* put(projectId, "photos", "b2", "behind")
      }
      token = page.next_continuation_token
    }
    assert.deepStrictEqual(seen, ["a/1", "a/2", "a/3", "b", "b2", "c\u0001", "d e+f", "ü", "日本/語"])
    const under = yield* listObjects(projectId, "photos", { prefix: "a/" })
    assert.deepStrictEqual(
      [under.bucket, under.prefix, under.objects.map((_) => _.key)],
      ["photos", "a/", ["a/0", "a/1", "a/2"]]
    )
    assert.isNull(under.next_continuation_token)
    assert.deepInclude(under.objects[1], { size_bytes: 3, storage_class: "STANDARD" })
    assert.match(under.objects[1]?.etag ?? "", /^[0-9a-f]{32}$/)
    assert.deepStrictEqual((yield* listObjects(projectId, "photos", { prefix: "zzz" })).objects, [])
  }).pipe(Effect.provide(Simulated))
)

it.effect("an unknown object and an impossible key are 404", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("discovery")
    yield* createBucket(projectId, "photos")
    yield* put(projectId, "photos", "é".repeat(512), "1")
    assert.include((yield* presign(projectId, { name: "photos", key: "é".repeat(512) })).url, "X-Amz-Expires=300")
    for (const key of ["absent", "", "é".repeat(513), `${"é".repeat(511)}e`]) {
      const failure = yield* Effect.flip(presign(projectId, { name: "photos", key }))
      assert.deepInclude(failure, { _tag: "NotFound", detail: `Object '${key}' not found` })
    }
  }).pipe(Effect.provide(Simulated))
)

it.effect("a presigned address is valid until its time, and not a second longer", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("discovery")
    yield* TestClock.setTime(Date.UTC(2026, 0, 31, 12) + 999)
    yield* createBucket(projectId, "photos")
    yield* put(projectId, "photos", "a/../b c", "content")
    const { expires_at, expires_in, url } = yield* presign(projectId, {
      name: "photos",
      key: "a/../b c",
      expiresIn: 30
    })
    assert.deepStrictEqual([expires_in, expires_at], [30, "2026-01-31T12:00:30.000Z"])
    const status = Effect.flatMap(HttpClient.HttpClient, (http) => Effect.map(http.get(url), (_) => _.status))
    assert.strictEqual(yield* status, 200)
    yield* TestClock.setTime(Date.parse(expires_at) - 1)
    assert.strictEqual(yield* status, 200)
    yield* TestClock.setTime(Date.parse(expires_at) + 1000)
    assert.strictEqual(yield* status, 403)
  }).pipe(Effect.provide(Simulated))
)

it.effect("the environment and files of AWS tools do not affect endpoint or retries", () =>
  Effect.gen(function* () {
    const { env } = process
    const looked = new Set<string>()
    const watched = new Proxy(env, {
      get: (target, name) => {
        if (typeof name === "string" && name.startsWith("AWS_")) looked.add(name)
        return Reflect.get(target, name)
      }
    })
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        process.env = watched
      }),
      () =>
        Effect.sync(() => {
          process.env = env
        })
    )
    const projectId = yield* tenantOf("discovery")
    yield* createBucket(projectId, "photos")
    yield* put(projectId, "photos", "a", "1")
    yield* listObjects(projectId, "photos", {})
    yield* presign(projectId, { name: "photos", key: "a" })
    yield* setVersioning(projectId, "photos", { versioning: "enabled" })
    // With it somebody silences what the SDK says of old versions of Node.
    looked.delete("AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED")
    assert.deepStrictEqual([...looked], [])
  }).pipe(Effect.scoped, Effect.provide(Simulated))
)

it.effect("the first call creates a key, and every call returns it with its secret", () =>
  Effect.gen(function* () {
    const { world } = yield* SimulatedCloud
    const projectId = yield* tenantOf("discovery")
    yield* TestClock.setTime(Date.UTC(2026, 0, 31, 12))
    const uid = `tenant$${projectId}`
    assert.deepStrictEqual(world.rgw.users[uid]?.keys, [])
    const first = yield* showCredentials(projectId)
    assert.deepInclude(first, { uid, endpoint })
    assert.match(first.access_key.slice(uid.length), /^-20260131120000000-[0-9a-f]{8}$/)
    assert.isAbove(first.secret_key.length, 20)
    assert.deepStrictEqual(yield* showCredentials(projectId), first)
    assert.lengthOf(world.rgw.users[uid]?.keys ?? [], 1)
    assert.deepStrictEqual(yield* listKeys(projectId), {
      count: 1,
      keys: [{ access_key: first.access_key, created_at: "2026-01-31T12:00:00.000Z", current: true }]
    })
  }).pipe(Effect.provide(Simulated))
)

it.effect("a tenant that was not onboarded here gets its S3 user on first use, with the tier's quota", () =>
  Effect.gen(function* () {
    const { world } = yield* SimulatedCloud
    const projectId = yield* tenantOf("standard")
    const { tenants } = yield* Memory
    tenants.delete(projectId)
    delete world.rgw.users[`tenant$${projectId}`]
    assert.deepStrictEqual(yield* listBuckets(projectId), { buckets: [], count: 0, endpoint })
    assert.deepStrictEqual(yield* listKeys(projectId), { count: 0, keys: [] })
    assert.isUndefined(world.rgw.users[`tenant$${projectId}`])
    yield* showCredentials(projectId)
    assert.deepStrictEqual((yield* quotasOf(projectId)).rgw, serviceQuotas("standard").rgw)
    assert.isTrue(world.rgw.users[`tenant$${projectId}`]?.user_quota.enabled)
  }).pipe(Effect.provide(Simulated))
)

it.effect("a tenant that is held or suspended gets no key by any call, and uses the one that it has", () =>
  Effect.gen(function* () {
    const held = yield* tenantOf("discovery")
    const suspended = yield* tenantOf("discovery", "Globex")
    const ends = Effect.all([holdProject(held, "account_closure"), suspend(suspended)], { discard: true })
    const table = [
      [held, "bucket-of-held", "concurrent_deletion_state"],
      [suspended, "bucket-of-suspended", "tenant_suspended"]
    ] as const
    for (const [projectId, bucket] of table) {
      yield* createBucket(projectId, bucket)
      for (const { access_key } of (yield* listKeys(projectId)).keys) yield* removeKey(projectId, access_key)
    }
    yield* inTime(ends)
    for (const [projectId, bucket, code] of table) {
      const calls = {
        credentials: Effect.flip(showCredentials(projectId)),
        objects: Effect.flip(listObjects(projectId, bucket, {})),
        presigned: Effect.flip(presign(projectId, { name: bucket, key: "a" }))
      }
      for (const [name, call] of Object.entries(calls)) {
        const refusal: { readonly code: string } = yield* call
        assert.strictEqual(refusal.code, code, name)
      }
      assert.strictEqual((yield* listKeys(projectId)).count, 0)
      const made = yield* rotateCredentials(projectId)
      assert.deepStrictEqual(yield* showCredentials(projectId), made)
      assert.deepStrictEqual((yield* listObjects(projectId, bucket, {})).objects, [])
    }
  }).pipe(Effect.provide(Simulated))
)

it.effect("a rotation makes the current key, even if the clock went back, and old ones stay valid", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("discovery")
    yield* TestClock.setTime(Date.UTC(2026, 0, 31, 12))
    yield* createBucket(projectId, "photos")
    const first = yield* showCredentials(projectId)
    const second = yield* rotateCredentials(projectId)
    yield* TestClock.setTime(Date.UTC(2026, 0, 30, 12))
    const third = yield* rotateCredentials(projectId)
    assert.deepStrictEqual(yield* showCredentials(projectId), third)
    assert.lengthOf(new Set([first, second, third].map((_) => _.secret_key)), 3)
    const { keys } = yield* listKeys(projectId)
    assert.deepStrictEqual(
      keys.map((_) => [_.access_key, _.current]),
      [
        [first.access_key, false],
        [second.access_key, false],
        [third.access_key, true]
      ]
    )
  }).pipe(Effect.provide(Simulated))
)

it.effect("keys are limited, and a deleted one frees a place", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("discovery")
    const first = yield* showCredentials(projectId)
    for (let nth = 1; nth < 10; nth++) yield* rotateCredentials(projectId)
    assert.deepInclude(yield* Effect.flip(rotateCredentials(projectId)), {
      code: "ceiling_reached",
      ceiling: { requested: 1, used: 10, limit: 10, remaining: 0 }
    })
    assert.deepStrictEqual(yield* removeKey(projectId, first.access_key), {
      access_key: first.access_key,
      deleted: true
    })
    assert.deepInclude(yield* Effect.flip(removeKey(projectId, first.access_key)), {
      _tag: "NotFound",
      detail: `S3 key '${first.access_key}' not found`
    })
    yield* rotateCredentials(projectId)
  }).pipe(Effect.provide(Simulated))
)

it.effect("other tenants' keys and the database archive's are not listed", () =>
  Effect.gen(function* () {
    const { world } = yield* SimulatedCloud
    const acme = yield* tenantOf("discovery")
    const globex = yield* tenantOf("discovery", "Globex")
    const theirs = yield* showCredentials(globex)
    const user = world.rgw.users[`tenant$${acme}`]!
    const archive = `tenant$${acme}-db-archive`
    user.keys = [
      { access_key: archive, secret_key: "s" },
      { access_key: "zz-made-by-an-operator", secret_key: "s" }
    ]
    assert.deepStrictEqual((yield* listKeys(acme)).keys, [
      { access_key: "zz-made-by-an-operator", created_at: null, current: false }
    ])
    const own = yield* showCredentials(acme)
    assert.notInclude([archive, "zz-made-by-an-operator"], own.access_key)
    for (const accessKey of [archive, theirs.access_key, "absent", ""]) {
      assert.deepInclude(yield* Effect.flip(removeKey(acme, accessKey)), { detail: `S3 key '${accessKey}' not found` })
    }
    assert.include(
      user.keys.map((_) => _.access_key),
      archive
    )
    assert.deepStrictEqual(yield* showCredentials(globex), theirs)
  }).pipe(Effect.provide(Simulated))
)

it.effect("the last key can be deleted, and the next call creates another", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("discovery")
    const first = yield* showCredentials(projectId)
    yield* removeKey(projectId, first.access_key)
    const second = yield* showCredentials(projectId)
    assert.notStrictEqual(second.access_key, first.access_key)
    assert.notStrictEqual(second.secret_key, first.secret_key)
  }).pipe(Effect.provide(Simulated))
)
