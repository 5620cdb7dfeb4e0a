import { assert, it } from "@effect/vitest"
import type { Quotas } from "@portico/contract/Quotas"
import { Caller } from "@portico/contract/Access"
import { removeNatGateway } from "@portico/domain/nat/change"
import { makeBucket } from "@portico/domain/objectStorage/buckets"
import { showQuotas } from "@portico/domain/quotas/show"
import { suspend } from "@portico/domain/tenants/suspend"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Designate } from "@portico/upstream/designate/Designate"
import { Clock, Effect, Schema } from "effect"
import { callerOf } from "@portico/testing/tenants/caller"
import { inTime } from "@portico/testing/clock"
import { claim, create, withNamespace } from "../databases/databases.ts"
import { exposed, floatingIp, atAddress, ownIp } from "../edge/edge.ts"
import { callsOf, whens } from "@portico/testing/faults/calls"
import { put } from "../objectStorage/objects.ts"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { Memory } from "@portico/testing/store/Memory"
import { tenantOf } from "@portico/testing/tenants/tenant"

const gib = 1024 ** 3

const shown = (projectId: string) => inTime(showQuotas(callerOf(projectId), undefined))

/** The rows of a document by their path: `compute.cores`. */
const rowsOf = (document: unknown, path = ""): ReadonlyArray<readonly [string, Row]> =>
  isRow(document)
    ? [[path, document]]
    : typeof document === "object" && document !== null
      ? Object.entries(document).flatMap(([key, _]) => rowsOf(_, path === "" ? key : `${path}.${key}`))
      : []

const Row = Schema.Struct({ limit: Schema.Int, used: Schema.NullOr(Schema.Int), source: Schema.String })
type Row = typeof Row.Type
const isRow = Schema.is(Row)

const rowAt = (document: Quotas, path: string) => rowsOf(document).find(([_]) => _ === path)?.[1]

it.effect("a new tenant has its tier's limits everywhere, and almost no usage", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("standard")
    const quotas = yield* shown(projectId)
    const none = (limit: number, source: "nova" | "cinder") => ({ limit, used: 0, source })
    const object = { source: "rgw" as const, used: 0, matches_tier: true }
    const { block_storage, compute, network, ...rest } = quotas
    assert.deepStrictEqual(rest, {
      project_id: projectId,
      tier: "standard",
      suspended: false,
      load_balancers: { limit: 2, used: 0, source: "octavia" },
      nat_gateways: { limit: 1, used: 1, source: "neutron" },
      dns_zones: { limit: 20, used: 0, source: "designate" },
      edge_exposures: { limit: 4, used: 0, source: "gateway" },
      object_storage: {
        buckets: { limit: 25, enforced: 25, ...object },
        bytes: { limit: 100 * gib, enforced: 100 * gib, ...object }
      },
      databases: {
        gigabytes: { limit: 400, used: 0, source: "kubernetes" },
        claims: { limit: 8, used: 0, source: "kubernetes" }
      },
      clusters: { limit: 3, used: null, source: "tier" },
      workers: { limit: 10, used: null, source: "tier" },
      api_rpm: { limit: 1200, used: null, source: "tier" },
      credentials: { limit: 100, used: 1, source: "gateway" }
    })
    assert.deepStrictEqual(compute, {
      cores: none(32, "nova"),
      ram: none(64 * 1024, "nova"),
      instances: none(20, "nova")
    })
    assert.deepStrictEqual(block_storage.backups, none(64, "cinder"))
    assert.deepStrictEqual(network.networks, { limit: 12, used: 1, source: "neutron" })
  }).pipe(Effect.provide(Simulated))
)

it.effect("usage is counted in each service", () =>
  Effect.gen(function* () {
    const projectId = yield* withNamespace("standard")
    const other = yield* tenantOf("standard", "Globex")
    yield* inTime(makeBucket(projectId, "photos"))
    yield* inTime(makeBucket(projectId, "letters"))
    yield* inTime(put(projectId, "photos", "one", "12345"))
    yield* create(projectId, { size_gb: 20, replicas: 2 })
    yield* claim(projectId, "own", "1500Mi")
    yield* floatingIp(projectId, ownIp)
    yield* exposed(projectId, atAddress)
    const quotas = yield* shown(projectId)
    const counted: ReadonlyArray<readonly [string, number]> = [
      ["object_storage.buckets", 2],
      ["object_storage.bytes", 5],
      ["databases.gigabytes", 42],
      ["databases.claims", 3],
      ["edge_exposures", 1],
      ["network.floating_ips", 1],
      ["nat_gateways", 1]
    ]
    for (const [path, used] of counted) assert.strictEqual(rowAt(quotas, path)?.used, used, path)
    const { world } = yield* SimulatedCloud
    const router = Object.values(world.neutron.routers).find((_) => _.project_id === projectId)
    yield* inTime(removeNatGateway(projectId, `ngw-${router?.id}`))
    assert.deepStrictEqual((yield* shown(projectId)).nat_gateways, { limit: 1, used: 0, source: "neutron" })
    // A neighbour has none of it.
    const others = yield* shown(other)
    for (const path of ["object_storage.buckets", "databases.claims", "edge_exposures"]) {
      assert.strictEqual(rowAt(others, path)?.used, 0, path)
    }
  }).pipe(Effect.provide(Simulated))
)

it.effect("an exposure under removal frees its place", () =>
  Effect.gen(function* () {
    const projectId = yield* withNamespace("standard")
    yield* floatingIp(projectId, ownIp)
    yield* exposed(projectId, atAddress)
    const { exposures } = yield* Memory
    for (const [id, row] of exposures) exposures.set(id, { ...row, removing: "deletion" })
    assert.deepStrictEqual((yield* shown(projectId)).edge_exposures, { limit: 4, used: 0, source: "gateway" })
  }).pipe(Effect.provide(Simulated))
)

it.effect("without DNS, zones are not counted", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("standard")
    const without = Effect.map(Designate, (_) => Designate.of({ ..._, present: false }))
    const { dns_zones } = yield* Effect.provideServiceEffect(shown(projectId), Designate, without)
    assert.deepStrictEqual(dns_zones, { limit: 20, used: null, source: "tier" })
  }).pipe(Effect.provide(Simulated))
)

it.effect("object storage has the tier's limit, the enforced one, and whether they match", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("discovery")
    const { rgw } = (yield* SimulatedCloud).world
    const user = rgw.users[`tenant$${projectId}`]
    if (user === undefined) return yield* Effect.die("the tenant has no S3 user")
    const quota = user.user_quota
    const objects = Effect.map(shown(projectId), ({ object_storage: { buckets, bytes } }) =>
      [buckets, bytes].map((_) => [_.enforced, _.matches_tier, _.source])
    )
    const table: ReadonlyArray<readonly [number, Partial<typeof quota>, ReadonlyArray<unknown>]> = [
      [5, {}, [5, true, 20 * gib, true]],
      [6, { max_size: 1 }, [6, false, 1, false]],
      // To the object gateway 0 buckets are as many as one likes, and a quota that is off is none.
      [0, { enabled: false }, [-1, false, -1, false]],
      [-1, { max_size: -1 }, [0, false, -1, false]],
      [-7, { max_size: 0 }, [0, false, 0, false]]
    ]
    for (const [max_buckets, change, [buckets, bucketsMatch, bytes, bytesMatch]] of table) {
      user.max_buckets = max_buckets
      user.user_quota = { ...quota, ...change }
      assert.deepStrictEqual(yield* objects, [
        [buckets, bucketsMatch, "rgw"],
        [bytes, bytesMatch, "rgw"]
      ])
    }
    delete rgw.users[user.uid]
    assert.deepStrictEqual((yield* shown(projectId)).object_storage.buckets, {
      limit: 5,
      enforced: null,
      used: 0,
      source: "tier",
      matches_tier: null
    })
  }).pipe(Effect.provide(Simulated))
)

it.effect("a suspended tenant has limits of 0, also at the object gateway", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("extension")
    yield* inTime(suspend(projectId))
    const quotas = yield* shown(projectId)
    assert.isTrue(quotas.suspended)
    const zero = [
      "compute.cores",
      "load_balancers",
      "nat_gateways",
      "dns_zones",
      "edge_exposures",
      "clusters",
      "workers"
    ]
    for (const path of [...zero, "databases.gigabytes", "databases.claims"]) {
      assert.strictEqual(rowAt(quotas, path)?.limit, 0, path)
    }
    const { buckets, bytes } = quotas.object_storage
    assert.deepInclude(buckets, { limit: 0, enforced: 0, matches_tier: true })
    assert.deepInclude(bytes, { limit: 0, enforced: 0, matches_tier: true })
    assert.deepStrictEqual([quotas.credentials.limit, quotas.api_rpm.limit], [500, 6000])
    const cloud = yield* SimulatedCloud
    yield* cloud.fault({ service: "nova", method: "GET", path: "**", times: "always", when: "before", as: "reset" })
    assert.deepStrictEqual((yield* shown(projectId)).compute.cores, { limit: 0, used: null, source: "unavailable" })
  }).pipe(Effect.provide(Simulated))
)

it.effect("an unresponsive service delays the document by ten seconds, despite retries", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("standard")
    const cloud = yield* SimulatedCloud
    yield* cloud.fault({ service: "nova", method: "GET", path: "**", times: "always", when: "before", as: "hang" })
    const began = yield* Clock.currentTimeMillis
    assert.strictEqual((yield* shown(projectId)).compute.cores.source, "unavailable")
    assert.isAtMost((yield* Clock.currentTimeMillis) - began, 11_000)
  }).pipe(Effect.provide(Simulated))
)

/** By the service whose calls fail, the rows that nobody can fill in then. */
const readFrom: Readonly<Record<string, ReadonlyArray<string>>> = {
  nova: ["compute"],
  cinder: ["block_storage"],
  neutron: ["network", "nat_gateways"],
  octavia: ["load_balancers"],
  designate: ["dns_zones"],
  rgw: ["object_storage"],
  kubernetes: ["databases"]
}

it.effect("an unreadable usage is null and unavailable, never 0, and others are unaffected", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const projectId = yield* withNamespace("standard")
    const good = rowsOf(yield* shown(projectId))
    const calls = yield* callsOf(shown(projectId))
    const services = new Set(calls.map((_) => _.service))
    assert.sameMembers([...services], Object.keys(readFrom))
    for (const service of services) {
      const lost = readFrom[service] ?? []
      for (const as of [{ status: 503 }, { status: 403 }, "reset", "hang", "garbage"] as const) {
        for (const when of whens) {
          for (const method of ["GET", "POST"]) {
            yield* cloud.fault({ service, method, path: "**", times: "always", when, as })
          }
          const found = rowsOf(yield* Effect.ensuring(shown(projectId), cloud.clearFaults))
          for (const [index, [path, row]] of found.entries()) {
            const before = good[index]?.[1]
            const expected = lost.some((_) => path === _ || path.startsWith(`${_}.`))
              ? { limit: before?.limit, used: null, source: "unavailable" }
              : { limit: before?.limit, used: before?.used, source: before?.source }
            const { limit, source, used } = row
            assert.deepStrictEqual(
              { limit, used, source },
              expected,
              `${service} ${JSON.stringify(as)} ${when}: ${path}`
            )
          }
        }
      }
    }
  }).pipe(Effect.provide(Simulated))
)

it.effect("one failed call of several to a service makes its usage unknown", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const projectId = yield* withNamespace("standard")
    for (const path of ["/admin/user", "/admin/bucket"]) {
      yield* cloud.fault({ service: "rgw", method: "GET", path, times: "always", when: "before", as: { status: 503 } })
      const { object_storage } = yield* Effect.ensuring(shown(projectId), cloud.clearFaults)
      const unknown = { enforced: null, used: null, source: "unavailable" as const, matches_tier: null }
      assert.deepStrictEqual(object_storage, {
        buckets: { limit: 25, ...unknown },
        bytes: { limit: 100 * gib, ...unknown }
      })
    }
  }).pipe(Effect.provide(Simulated))
)

it.effect("the document costs the same number of calls for any contents", () =>
  Effect.gen(function* () {
    const projectId = yield* withNamespace("standard")
    yield* shown(projectId)
    const before = yield* callsOf(shown(projectId))
    for (const name of ["one", "two", "three"]) {
      yield* inTime(makeBucket(projectId, `bucket-${name}`))
      yield* create(projectId, { name, size_gb: 1 })
    }
    const after = yield* callsOf(shown(projectId))
    assert.deepStrictEqual(
      after.map((_) => `${_.service} ${_.path}`).toSorted(),
      before.map((_) => `${_.service} ${_.path}`).toSorted()
    )
  }).pipe(Effect.provide(Simulated))
)

it.effect("a missing tier is an error", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const admin = new Caller({ ...callerOf("nothing"), admin: true, tenant: null })
    const of = (projectId: string | undefined) => Effect.flip(inTime(showQuotas(admin, projectId)))
    assert.strictEqual((yield* of("0".repeat(32)))._tag, "NotFound")
    assert.strictEqual((yield* of(undefined))._tag, "Conflict")
    yield* cloud.fault({ service: "keystone", method: "GET", path: "**", times: "always", when: "before", as: "reset" })
    assert.strictEqual((yield* of("0".repeat(32)))._tag, "Unavailable")
    const tenant = callerOf("1".repeat(32))
    assert.strictEqual((yield* Effect.flip(showQuotas(tenant, "1".repeat(32))))._tag, "Forbidden")
  }).pipe(Effect.provide(Simulated))
)
