import { assert, it } from "@effect/vitest"
import { createDatabase } from "@portico/domain/databases/create"
import { listDatabases } from "@portico/domain/databases/read"
import { restoreDatabase } from "@portico/domain/databases/restore"
import { onboard } from "@portico/domain/onboarding/onboard"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { DateTime, Effect } from "effect"
import { objects, orders, request, resources, archivesOf } from "./backups.ts"
import { OnPostgres } from "@portico/testing/cloud/postgres"

/** The cluster says so of a database whose first backup is complete; making one takes longer than anybody waits. */
const backedUp = Effect.fnUntraced(function* (projectId: string) {
  const { world } = yield* SimulatedCloud
  const now = DateTime.formatIso(yield* DateTime.now)
  const of = world.kubernetes.objects[resources.clusters] ?? {}
  const key = `db-${projectId}/orders`
  const cluster = of[key]
  if (cluster === undefined) return yield* Effect.die("there is no such cluster")
  of[key] = { ...cluster, status: { firstRecoverabilityPoint: now, lastSuccessfulBackup: now } }
})

it.live("of several restores to one name exactly one succeeds, on PostgreSQL", () =>
  Effect.gen(function* () {
    const { tenant } = yield* onboard({ name: "Acme GmbH", tier: "standard" })
    const projectId = tenant.project_id
    yield* createDatabase(projectId, request)
    yield* backedUp(projectId)
    const all = yield* Effect.all(
      Array.from({ length: 4 }, () => Effect.result(restoreDatabase(projectId, orders, { name: "copy" }))),
      { concurrency: "unbounded" }
    )
    const lost = all.flatMap((_) => (_._tag === "Failure" ? [_.failure] : []))
    assert.lengthOf(lost, 3)
    for (const failure of lost) assert.deepInclude(failure, { _tag: "Conflict", code: "database_exists" })
    const { databases } = yield* listDatabases(projectId)
    assert.sameMembers(
      databases.map((_) => [_.name, _.restored_from].join(" of ")),
      ["orders of ", "copy of orders"]
    )
    assert.lengthOf(yield* objects(projectId, "schedules"), 2)
  }).pipe(Effect.scoped, Effect.provide(OnPostgres))
)

it.live("two concurrent first databases make one archive with one key, on PostgreSQL", () =>
  Effect.gen(function* () {
    const { tenant } = yield* onboard({ name: "Acme GmbH", tier: "discovery" })
    const projectId = tenant.project_id
    const all = yield* Effect.all(
      ["orders", "invoices"].map((name) => createDatabase(projectId, { ...request, name })),
      { concurrency: "unbounded" }
    )
    assert.lengthOf(all, 2)
    const { world } = yield* SimulatedCloud
    assert.lengthOf(yield* archivesOf(projectId), 1)
    const user = world.rgw.users[`tenant$${projectId}`]
    assert.lengthOf(user?.keys.filter((_) => _.access_key.endsWith("-db-archive")) ?? [], 1)
  }).pipe(Effect.scoped, Effect.provide(OnPostgres))
)
