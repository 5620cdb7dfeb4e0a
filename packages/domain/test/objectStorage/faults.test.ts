import { assert, it } from "@effect/vitest"
import { serviceQuotas } from "@portico/contract/Tiers"
import { createBucket, listBuckets, removeBucket } from "@portico/domain/objectStorage/buckets"
import { rotateCredentials, showCredentials } from "@portico/domain/objectStorage/credentials"
import { listKeys, removeKey } from "@portico/domain/objectStorage/keys"
import { listObjects } from "@portico/domain/objectStorage/listObjects"
import { presign, presignUpload } from "@portico/domain/objectStorage/presign"
import { setVersioning, showVersioning } from "@portico/domain/objectStorage/versioning"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Held, Leases } from "@portico/store/Leases"
import { Memory } from "@portico/testing/store/Memory"
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { inTime, settle } from "@portico/testing/clock"
import { callsOf, titleOf, under } from "@portico/testing/faults/calls"
import { someFaultsOf } from "@portico/testing/faults/some"
import { put } from "./objects.ts"
import { from, seedOf } from "@portico/testing/cloud/seeded"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { tenantOf } from "@portico/testing/tenants/tenant"
import { quotasOf } from "@portico/testing/tenants/whole"
import { sampled } from "@portico/testing/sample/sampled"

/** A tenant that never used the object storage, and has no S3 user. */
const strange = Effect.gen(function* () {
  const projectId = yield* tenantOf("discovery")
  const { world } = yield* SimulatedCloud
  delete world.rgw.users[`tenant$${projectId}`]
  return projectId
})

const stranger = from(await seedOf(strange))

const withBucket = from(await seedOf(Effect.tap(strange, (projectId) => createBucket(projectId, "photos"))))

const withObject = Effect.fnUntraced(function* (projectId: string) {
  yield* put(projectId, "photos", "a/b c", "1")
})

const userOf = Effect.fnUntraced(function* (projectId: string) {
  const { world } = yield* SimulatedCloud
  return world.rgw.users[`tenant$${projectId}`]
})

const bucketsOf = Effect.fnUntraced(function* (projectId: string) {
  const { world } = yield* SimulatedCloud
  return Object.values(world.rgw.buckets).flatMap((_) => (_.owner === `tenant$${projectId}` ? [_.bucket] : []))
})

const asMeant = Effect.fnUntraced(function* (projectId: string, keys: number, because: string) {
  const user = yield* userOf(projectId)
  assert.lengthOf(user?.keys ?? [], keys, because)
  assert.deepStrictEqual((yield* quotasOf(projectId)).rgw, serviceQuotas("discovery").rgw, because)
  assert.isTrue(user?.user_quota.enabled, because)
})

const allowed: ReadonlySet<string> = new Set(["BadGateway", "Conflict", "Unprocessable", "Unavailable"])

type Tried = ReturnType<
  | typeof showCredentials
  | typeof setVersioning
  | typeof createBucket
  | typeof removeBucket
  | typeof removeKey
  | typeof listObjects
  | typeof presign
  | typeof presignUpload
>
type Operation = Effect.Effect<void, Effect.Error<Tried>, Effect.Services<Tried>>

/** What each operation does, and how everything is when it has been done, however often it was tried. */
const operations = [
  {
    name: "a first bucket",
    given: stranger,
    run: (projectId: string): Operation => Effect.asVoid(createBucket(projectId, "photos")),
    done: (projectId: string, because: string) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* bucketsOf(projectId), ["photos"], because)
        yield* asMeant(projectId, 1, because)
      })
  },
  {
    name: "a first call for the credentials",
    given: stranger,
    run: (projectId: string): Operation => Effect.asVoid(showCredentials(projectId)),
    done: (projectId: string, because: string) => asMeant(projectId, 1, because)
  },
  {
    name: "a rotation",
    given: withBucket,
    run: (projectId: string): Operation => Effect.asVoid(rotateCredentials(projectId)),
    done: (projectId: string, because: string) =>
      Effect.gen(function* () {
        const user = yield* userOf(projectId)
        // A pair whose answer was lost is one more: it can be seen, and deleted.
        assert.isAtLeast(user?.keys.length ?? 0, 2, because)
        assert.isAtMost(user?.keys.length ?? 0, 3, because)
        const { access_key, secret_key } = yield* showCredentials(projectId)
        assert.deepStrictEqual(user?.keys.at(-1)?.access_key, access_key, because)
        assert.deepStrictEqual(user?.keys.at(-1)?.secret_key, secret_key, because)
      })
  },
  {
    name: "versioning",
    given: withBucket,
    run: (projectId: string): Operation => Effect.asVoid(setVersioning(projectId, "photos", { versioning: "enabled" })),
    done: (projectId: string, because: string) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* showVersioning(projectId, "photos")).versioning, "enabled", because)
      })
  }
]

for (const { done, given, name, run } of operations) {
  const calls = await Effect.runPromise(
    Effect.provide(
      given((projectId) => callsOf(run(projectId))),
      TestClock.layer()
    )
  )
  for (const call of sampled(`calls of ${name}`, 5, calls)) {
    it.effect(`${name} is repeatable when ${call.service} ${call.method} ${call.path}, call ${call.nth}, fails`, () =>
      Effect.forEach(
        someFaultsOf(call),
        (fault) =>
          given(
            Effect.fnUntraced(function* (projectId) {
              const because = titleOf(fault)
              const exit = yield* Effect.exit(under(fault, inTime(run(projectId))))
              if (Exit.isFailure(exit)) {
                const error = yield* Effect.flip(exit)
                assert.isTrue(allowed.has(error._tag), `${because}: ${error._tag}`)
              }
              yield* inTime(run(projectId))
              yield* done(projectId, because)
            })
          ),
        { discard: true }
      )
    )
  }

  it.effect(`${name} is idempotent, and completes when the caller disconnects`, () =>
    given(
      Effect.fnUntraced(function* (projectId) {
        const cloud = yield* SimulatedCloud
        yield* cloud.fault({ service: "rgw", method: "PUT", path: "**", when: "before", as: { delay_ms: 1_000 } })
        const hasty = yield* Effect.forkDetach(run(projectId))
        yield* settle
        yield* Fiber.interrupt(hasty)
        yield* inTime(run(projectId))
        yield* inTime(run(projectId).pipe(Effect.catchTag("Conflict", () => Effect.void)))
        if (name !== "a rotation") yield* done(projectId, name)
        const { leases } = yield* Memory
        assert.strictEqual(leases.size, 0)
      })
    )
  )
}

const upload = { content_length: 1, overwrite: false, expires_in: 60 }

const reads: ReadonlyArray<{ readonly name: string; readonly run: (_: string) => Operation }> = [
  { name: "the list of buckets", run: (_: string) => Effect.asVoid(listBuckets(_)) },
  { name: "a page of objects", run: (_: string) => Effect.asVoid(listObjects(_, "photos", {})) },
  { name: "a presigned address", run: (_: string) => Effect.asVoid(presign(_, { name: "photos", key: "a/b c" })) },
  {
    name: "a presigned upload",
    run: (_: string) => Effect.asVoid(presignUpload(_, { name: "photos", key: "new" }, upload))
  },
  { name: "the versioning", run: (_: string) => Effect.asVoid(showVersioning(_, "photos")) },
  { name: "the list of keys", run: (_: string) => Effect.asVoid(listKeys(_)) }
]

it.effect("a gateway that keeps failing is a 502, never an answer or a 404", () =>
  withBucket(
    Effect.fnUntraced(function* (projectId) {
      const cloud = yield* SimulatedCloud
      yield* withObject(projectId)
      const operations: ReadonlyArray<{ readonly name: string; readonly run: (_: string) => Operation }> = [
        ...reads,
        { name: "a deletion", run: (_: string) => Effect.asVoid(removeBucket(_, "photos")) },
        {
          name: "a deleted key",
          run: (_: string) =>
            Effect.flatMap(showCredentials(_), ({ access_key }) => Effect.asVoid(removeKey(_, access_key)))
        },
        ...[setVersioning(projectId, "photos", { versioning: "enabled" })].map((run) => ({
          name: "versioning",
          run: () => Effect.asVoid(run)
        }))
      ]
      for (const { name, run } of operations) {
        const calls = yield* callsOf(Effect.exit(run(projectId)))
        for (const { method, path, service } of calls.filter((_) => _.service === "rgw")) {
          for (const as of [{ status: 500 }, { status: 503 }, { status: 403 }, "reset", "hang", "garbage"] as const) {
            yield* cloud.fault({ service, method, path, when: "before", times: "always", as })
            const exit = yield* Effect.exit(inTime(run(projectId)))
            yield* cloud.clearFaults
            const because = `${name}: ${method} ${path} ${JSON.stringify(as)}`
            if (Exit.isSuccess(exit)) return assert.fail(because)
            assert.strictEqual((yield* Effect.flip(exit))._tag, "BadGateway", because)
          }
        }
      }
    })
  )
)

it.effect("a read is retried when it fails transiently", () =>
  withBucket(
    Effect.fnUntraced(function* (projectId) {
      yield* withObject(projectId)
      for (const { name, run } of reads) {
        for (const call of yield* callsOf(run(projectId))) {
          for (const as of [{ status: 503 }, "reset"] as const) {
            const exit = yield* Effect.exit(under({ ...call, when: "before", as }, inTime(run(projectId))))
            assert.isTrue(Exit.isSuccess(exit), `${name}: ${call.method} ${call.path}`)
          }
        }
      }
    })
  )
)

it.effect("a bucket whose list failed exists, and the repeated request returns it", () =>
  stranger(
    Effect.fnUntraced(function* (projectId) {
      const cloud = yield* SimulatedCloud
      const path = "/admin/bucket"
      const broken = { service: "rgw", method: "GET", path, times: "always", when: "before", as: "reset" } as const
      yield* cloud.fault({ ...broken, nth: 2 })
      const failure = yield* Effect.flip(inTime(createBucket(projectId, "photos")))
      assert.strictEqual(failure._tag, "BadGateway")
      yield* cloud.clearFaults
      assert.deepStrictEqual(yield* bucketsOf(projectId), ["photos"])
      const list = yield* createBucket(projectId, "photos")
      assert.deepStrictEqual(
        list.buckets.map((_) => _.name),
        ["photos"]
      )
    })
  )
)

it.effect("of two creates for the last slot one succeeds, and two first calls create one key", () =>
  stranger(
    Effect.fnUntraced(function* (projectId) {
      const [one, other] = yield* Effect.all([showCredentials(projectId), showCredentials(projectId)], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(one, other)
      assert.lengthOf((yield* userOf(projectId))?.keys ?? [], 1)
      for (let nth = 0; nth < 4; nth++) yield* createBucket(projectId, `bucket-${nth}`)
      const racers = Array.from({ length: 6 }, (_, nth) => Effect.exit(createBucket(projectId, `last-${nth}`)))
      const exits = yield* Effect.all(racers, { concurrency: "unbounded" })
      assert.lengthOf(exits.filter(Exit.isSuccess), 1)
      assert.lengthOf(yield* bucketsOf(projectId), 5)
    })
  )
)

/** What counts, or compares, and then changes: what the object gateway keeps to by itself it keeps to for each call alone. */
const inTurn: Readonly<Record<string, (projectId: string) => Operation>> = {
  "the making of a bucket": (projectId: string) => Effect.asVoid(createBucket(projectId, `of-${projectId}`)),
  "a first key": (projectId: string) => Effect.asVoid(showCredentials(projectId)),
  "a rotation": (projectId: string) => Effect.asVoid(rotateCredentials(projectId))
}

for (const [what, change] of Object.entries(inTurn)) {
  it.effect(`${what} waits for changes of the tenant's object storage, and not for another tenant's`, () =>
    Effect.gen(function* () {
      const projectId = yield* strange
      const other = yield* tenantOf("discovery", "Globex")
      const { holding } = yield* Leases
      const busy = yield* Effect.forkChild(holding(`object-storage/${projectId}`, Effect.sleep("5 seconds")))
      yield* settle
      const waiting = yield* Effect.forkChild(Effect.exit(change(projectId)))
      yield* change(other)
      yield* settle
      assert.isUndefined(waiting.pollUnsafe())
      assert.deepStrictEqual([yield* userOf(projectId), yield* bucketsOf(projectId)], [undefined, []])
      yield* inTime(Fiber.join(busy))
      assert.isTrue(Exit.isSuccess(yield* inTime(Fiber.join(waiting))))
    }).pipe(Effect.provide(Simulated))
  )

  it.effect(`${what} without a turn in time is a conflict that changes nothing`, () =>
    Effect.gen(function* () {
      const projectId = yield* strange
      const held = Leases.of({ holding: (name) => Effect.fail(new Held({ name })) })
      const failure = yield* Effect.flip(Effect.provideService(change(projectId), Leases, held))
      assert.deepInclude(failure, { _tag: "Conflict", code: "concurrent_change" })
      assert.deepStrictEqual([yield* userOf(projectId), yield* bucketsOf(projectId)], [undefined, []])
    }).pipe(Effect.provide(Simulated))
  )
}
