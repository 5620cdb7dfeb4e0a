import { assert, it } from "@effect/vitest"
import { createBucket } from "@portico/domain/objectStorage/buckets"
import { listObjects } from "@portico/domain/objectStorage/listObjects"
import { listVersions } from "@portico/domain/objectStorage/listVersions"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { inTime, settle } from "@portico/testing/clock"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { tenantOf } from "@portico/testing/tenants/tenant"
import { Effect, Fiber } from "effect"
import { put } from "./objects.ts"

/** A bucket with so many objects, whose keys are as long as keys can be, and thrice as long in a list. */
const full = Effect.fnUntraced(function* (count: number) {
  const { world } = yield* SimulatedCloud
  const projectId = yield* tenantOf("discovery")
  yield* createBucket(projectId, "photos")
  yield* put(projectId, "photos", "a", "1")
  const bucket = Object.values(world.rgw.buckets).find((_) => _.bucket === "photos")
  const [object] = bucket?.objects ?? []
  if (bucket === undefined || object === undefined) return yield* Effect.die("it has an object")
  const keys = Array.from({ length: count }, (_, at) => `${String(at).padStart(4, "0")}${"ü".repeat(510)}`)
  bucket.objects = keys.map((key) => ({ ...object, key }))
  return { projectId, keys }
})

interface Read {
  readonly keys: ReadonlyArray<string>
  readonly next: string | null
}

const more = (token: string | null) => (token === null ? {} : { continuation_token: token })

const lists = [
  [
    "objects",
    Effect.fnUntraced(function* (projectId: string, limit: number, token: string | null) {
      const page = yield* listObjects(projectId, "photos", { limit, ...more(token) })
      return { keys: page.objects.map((_) => _.key), next: page.next_continuation_token }
    })
  ],
  [
    "versions",
    Effect.fnUntraced(function* (projectId: string, limit: number, token: string | null) {
      const page = yield* listVersions(projectId, "photos", { limit, ...more(token) })
      return { keys: page.versions.map((_) => _.key), next: page.next_continuation_token }
    })
  ]
] as const

for (const [what, list] of lists) {
  it.effect(`a page of ${what} with long keys is shorter than requested, and continues normally`, () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const { keys, projectId } = yield* full(300)
      yield* cloud.clearCalls
      const pages: Array<ReadonlyArray<string>> = []
      let token: string | null = null
      do {
        const page: Read = yield* list(projectId, 1000, token)
        pages.push(page.keys)
        token = page.next
      } while (token !== null && pages.length < 10)
      assert.deepStrictEqual(pages.flat(), keys)
      assert.deepStrictEqual(
        pages.map((_) => _.length),
        [100, 100, 100]
      )
      const asked = (yield* cloud.calls).map((_) => new URLSearchParams(_.query).get("max-keys")).filter((_) => _)
      // The last page fits as it is.
      assert.deepStrictEqual(asked, ["1000", "100", "1000", "100", "1000"])
    }).pipe(Effect.provide(Simulated))
  )
}

it.effect("a tenant reads two lists at once, and one without a turn in time is refused", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const { projectId } = yield* full(1)
    const lookup = listObjects(projectId, "photos", {})
    yield* lookup
    yield* cloud.clearCalls
    const slow = { service: "rgw", method: "GET", path: "/photos/", times: "always", when: "before" } as const
    yield* cloud.fault({ ...slow, as: { delay_ms: 6000 } })
    const asked = Effect.map(cloud.calls, (_) => _.filter(({ query }) => query.includes("list-type")).length)
    const fiber = yield* Effect.forkChild(
      Effect.all(
        Array.from({ length: 5 }, () => Effect.match(lookup, { onSuccess: () => "read", onFailure: (_) => _.detail })),
        { concurrency: "unbounded" }
      )
    )
    yield* settle
    assert.strictEqual(yield* asked, 2)
    const late = "rgw list objects: other lists were under way for 10s"
    assert.deepStrictEqual(yield* inTime(Fiber.join(fiber)), ["read", "read", "read", "read", late])
    assert.strictEqual(yield* asked, 4)
  }).pipe(Effect.provide(Simulated))
)
