import { sampled } from "@portico/testing/sample/sampled"
import { assert } from "@effect/vitest"
import type { DatabaseCreate, DatabaseRestore } from "@portico/contract/Databases"
import { createDatabase } from "@portico/domain/databases/create"
import { at, stringAt } from "@portico/domain/kubernetes/fields"
import { showDatabase } from "@portico/domain/databases/read"
import { restoreDatabase } from "@portico/domain/databases/restore"
import type { Fault } from "@portico/simulator/Fault"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { inTime, settle } from "@portico/testing/clock"
import { faultsOf, type NamedCall, titleOf, under } from "@portico/testing/faults/calls"

export const request: DatabaseCreate = {
  engine: "postgres",
  name: "orders",
  version: "17",
  size_gb: 10,
  backup: { enabled: true }
}

export const orders = { engine: "postgres", name: "orders" } as const

/** A database with backups, unless it is said otherwise. */
export const create = (projectId: string, change: Partial<DatabaseCreate> = {}) =>
  inTime(createDatabase(projectId, { ...request, ...change }))

export const restore = (
  projectId: string,
  change: Partial<DatabaseRestore> = {},
  of: { engine: string; name: string } = orders
) => inTime(restoreDatabase(projectId, of, { name: "orders-copy", ...change }))

export const show = (projectId: string, name = "orders") => inTime(showDatabase(projectId, "postgres", name))

/** Lets so many minutes pass, and everything happen that is due by then: the cloud does it when somebody looks. */
export const minutes = Effect.fnUntraced(function* (count: number) {
  yield* TestClock.adjust(`${count} minutes`)
  yield* settle
  yield* (yield* SimulatedCloud).state
})

const cnpg = "postgresql.cnpg.io"

export const resources = {
  clusters: `clusters.${cnpg}`,
  schedules: `scheduledbackups.${cnpg}`,
  backups: `backups.${cnpg}`,
  secrets: "secrets",
  namespaces: "namespaces"
} as const

/** What the cluster has of a kind in the tenant's namespace, as it stands there now. */
export const objects = Effect.fnUntraced(function* (projectId: string, kind: keyof typeof resources) {
  const cloud = yield* SimulatedCloud
  yield* cloud.state
  return Object.values(cloud.world.kubernetes.objects[resources[kind]] ?? {}).filter(
    (_) => _.metadata.namespace === `db-${projectId}`
  )
})

export const objectOf = Effect.fnUntraced(function* (projectId: string, kind: keyof typeof resources, name: string) {
  const found = (yield* objects(projectId, kind)).find((_) => _.metadata.name === name)
  return found ?? (yield* Effect.die(`there is no ${name} among the ${kind}`))
})

/** The folder of its archive that a database writes to. */
export const folderOf = Effect.fnUntraced(function* (projectId: string, name = "orders") {
  const cluster = yield* objectOf(projectId, "clusters", name)
  return stringAt(cluster, "spec", "backup", "barmanObjectStore", "serverName") ?? ""
})

/** What the schedules of a database are called. */
const schedulesOf = Effect.fnUntraced(function* (projectId: string, name: string) {
  const all = yield* objects(projectId, "schedules")
  return all.filter((_) => stringAt(_, "spec", "cluster", "name") === name).map((_) => _.metadata.name)
})

/** The S3 user of the tenant. */
export const userOf = Effect.map(SimulatedCloud, ({ world }) => (projectId: string) => {
  const user = world.rgw.users[`tenant$${projectId}`]
  if (user === undefined) throw new Error("the tenant has no S3 user")
  return user
})

/** The tenant's archives, of which there is one at most. */
export const archivesOf = Effect.fnUntraced(function* (projectId: string) {
  const { world } = yield* SimulatedCloud
  const name = new RegExp(`^db-archive-${projectId}-[0-9a-f]{8}$`)
  return Object.values(world.rgw.buckets).filter((_) => name.test(_.bucket))
})

/** The names of the objects in a folder of the tenant's archive. */
export const archived = Effect.fnUntraced(function* (projectId: string, folder: string) {
  const [bucket] = yield* archivesOf(projectId)
  return (bucket?.objects ?? []).map((_) => _.key).filter((_) => _.startsWith(`${folder}/`))
})

export const textOf = (secret: unknown, key: string): string =>
  Buffer.from(String(at(secret, "data", key)), "base64").toString()

/**
 * The database is there with all that its backups take, once each, and works:
 * it becomes ready, and its first backup is made.
 */
export const wholeBackups = Effect.fnUntraced(function* (projectId: string, name: string, because: string) {
  const cloud = yield* SimulatedCloud
  const folder = yield* folderOf(projectId, name)
  assert.deepStrictEqual(yield* schedulesOf(projectId, name), [folder], because)
  const buckets = Object.values(cloud.world.rgw.buckets).filter((_) => _.owner === `tenant$${projectId}`)
  assert.lengthOf(buckets, 1, because)
  assert.deepStrictEqual(buckets, yield* archivesOf(projectId), because)
  const keys = (yield* userOf)(projectId).keys.filter((_) => _.access_key.endsWith("-db-archive"))
  const secret = yield* objectOf(projectId, "secrets", "portico-archive")
  assert.deepStrictEqual(
    keys.map((_) => [_.access_key, _.secret_key]),
    [[textOf(secret, "ACCESS_KEY_ID"), textOf(secret, "ACCESS_SECRET_KEY")]],
    because
  )
  yield* minutes(5)
  const { backup, status } = yield* show(projectId, name)
  assert.strictEqual(status, "ready", because)
  assert.isNotNull(backup?.last_successful_at, because)
})

/** The ways in which a call can fail that differ here: a read has no effect, and one 5xx is like another. */
export const faultsThatMatter = (call: NamedCall): ReadonlyArray<Fault> =>
  sampled(
    `${call.service} ${call.method} ${call.path} ${call.nth}`,
    2,
    faultsOf(call).filter(
      ({ as, when }) =>
        (call.method !== "GET" || when === "before") && !(typeof as === "object" && "status" in as && as.status === 500)
    )
  )

/**
 * Makes a database while something fails: what is not made then is not there,
 * and sent again it is made whole.
 */
export const survives = Effect.fnUntraced(function* <E, R>(
  projectId: string,
  name: string,
  make: Effect.Effect<unknown, E, R>,
  fault: Fault
) {
  const because = titleOf(fault)
  const first = yield* Effect.result(under(fault, inTime(make)))
  const made = (yield* objects(projectId, "clusters")).filter((_) => _.metadata.name === name)
  if (first._tag === "Success") assert.lengthOf(made, 1, because)
  else {
    assert.include(["BadGateway", "Conflict", "Unprocessable", "Unavailable"], tagOf(first.failure), because)
    // What was refused for good leaves no schedule that waits for its cluster.
    if (made.length === 0 && typeof fault.as === "object") {
      assert.deepStrictEqual(yield* schedulesOf(projectId, name), [], because)
    }
    const again = yield* Effect.result(inTime(make))
    if (made.length === 0) assert.strictEqual(again._tag, "Success", because)
    else assert.strictEqual(again._tag === "Failure" ? stringAt(again.failure, "code") : "", "database_exists", because)
  }
  yield* wholeBackups(projectId, name, because)
})

const tagOf = (failure: unknown): string => stringAt(failure, "_tag") ?? ""
