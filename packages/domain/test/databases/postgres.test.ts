import { assert, it } from "@effect/vitest"
import { createDatabase } from "@portico/domain/databases/create"
import { resizeDatabase } from "@portico/domain/databases/resize"
import { onboard } from "@portico/domain/onboarding/onboard"
import { moveTier } from "@portico/domain/tenants/moveTier"
import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes } from "@portico/upstream/kubernetes/Kubernetes"
import { Effect, Exit, Layer, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { log, namesOf, orders } from "./databases.ts"
import { replica, Shared } from "@portico/testing/cloud/postgres"

const story = (title: string, tell: Effect.Effect<void, unknown, Layer.Success<typeof Shared> | Scope.Scope>) =>
  it.live(title, () => Effect.provide(Effect.scoped(tell), Shared))

const tenant = Effect.map(onboard({ name: "Acme GmbH", tier: "discovery" }), (_) => _.tenant.project_id)

story(
  "of eight creates in two processes for the last slot one succeeds, on PostgreSQL",
  Effect.gen(function* () {
    const replicas = [yield* replica(), yield* replica()]
    const projectId = yield* Effect.provideContext(tenant, replicas[0] ?? (yield* replica()))
    const all = replicas.flatMap((process, index) =>
      [1, 2, 3, 4].map((_) =>
        createDatabase(projectId, { ...orders, name: `r${index}-${_}`, size_gb: 60 }).pipe(
          Effect.provideContext(process),
          Effect.exit
        )
      )
    )
    const exits = yield* Effect.all(all, { concurrency: "unbounded" })
    assert.lengthOf(exits.filter(Exit.isSuccess), 1)
    for (const exit of exits) {
      if (Exit.isFailure(exit))
        assert.deepInclude(yield* Effect.flip(exit), { _tag: "Conflict", code: "ceiling_reached" })
    }
    yield* Effect.gen(function* () {
      assert.lengthOf(yield* namesOf(kinds.cluster, projectId), 1)
      assert.deepStrictEqual(yield* (yield* SqlClient.SqlClient)`SELECT name FROM leases`, [])
    }).pipe(Effect.provideContext(replicas[1] ?? (yield* replica())))
  })
)

story(
  "of a create and a resize in two processes that only fit singly one succeeds, on PostgreSQL",
  Effect.gen(function* () {
    const [one, other] = [yield* replica(), yield* replica()]
    const projectId = yield* Effect.provideContext(tenant, one)
    yield* Effect.provideContext(createDatabase(projectId, { ...orders, size_gb: 40 }), one)
    const exits = yield* Effect.all(
      [
        Effect.isSuccess(resizeDatabase(projectId, "postgres", "orders", { size_gb: 80 })).pipe(
          Effect.provideContext(one)
        ),
        Effect.isSuccess(createDatabase(projectId, { ...log, size_gb: 40 })).pipe(Effect.provideContext(other))
      ],
      { concurrency: "unbounded" }
    )
    assert.sameMembers(exits, [true, false])
  })
)

story(
  "a first create beside a move of the tier gets the new tier's limits, on PostgreSQL",
  Effect.gen(function* () {
    const [one, other] = [yield* replica(), yield* replica()]
    const projectId = yield* Effect.provideContext(tenant, one)
    const exits = yield* Effect.all(
      [
        Effect.exit(createDatabase(projectId, orders)).pipe(Effect.provideContext(one)),
        Effect.exit(moveTier(projectId, "standard")).pipe(Effect.provideContext(other))
      ],
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(
      exits.map((_) => _._tag),
      ["Success", "Success"]
    )
    const quota = yield* Effect.provideContext(
      Effect.flatMap(Kubernetes, (_) =>
        _.find(kinds.resourceQuota, { namespace: `db-${projectId}`, name: "tenant-quota" })
      ),
      one
    )
    assert.deepInclude(Object(quota?.["spec"])["hard"], { persistentvolumeclaims: "8", "requests.storage": "400Gi" })
  })
)
