import { assert, it } from "@effect/vitest"
import { createBucket } from "@portico/domain/objectStorage/buckets"
import { rotateCredentials, showCredentials } from "@portico/domain/objectStorage/credentials"
import { onboard } from "@portico/domain/onboarding/onboard"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { type Context, Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import { replica, Shared } from "@portico/testing/cloud/postgres"

type Replica = Effect.Success<ReturnType<typeof replica>> extends Context.Context<infer Services> ? Services : never

it.live("over two replicas one of many gets the last slot, first calls create one key, no lease is left", () =>
  Effect.gen(function* () {
    const replicas = [yield* replica(), yield* replica()]
    const { world } = yield* SimulatedCloud
    const [first] = replicas
    if (first === undefined) return yield* Effect.die("there is no replica")
    const { tenant } = yield* Effect.provideContext(onboard({ name: "Acme GmbH", tier: "discovery" }), first)
    const { project_id: projectId } = tenant
    const user = () => world.rgw.users[`tenant$${projectId}`]
    const everywhere = <A, E>(run: (nth: number) => Effect.Effect<A, E, Replica>) =>
      Effect.all(
        Array.from({ length: 8 }, (_, nth) => Effect.exit(Effect.provideContext(run(nth), replicas[nth % 2] ?? first))),
        { concurrency: "unbounded" }
      )

    const shown = yield* everywhere(() => showCredentials(projectId))
    assert.lengthOf(new Set(shown.flatMap((_) => (Exit.isSuccess(_) ? [_.value.secret_key] : []))), 1)
    assert.lengthOf(user()?.keys ?? [], 1)

    for (let nth = 0; nth < 4; nth++) yield* Effect.provideContext(createBucket(projectId, `bucket-${nth}`), first)
    const made = yield* everywhere((nth) => createBucket(projectId, `last-${nth}`))
    assert.lengthOf(made.filter(Exit.isSuccess), 1)
    for (const exit of made.filter(Exit.isFailure)) {
      assert.deepInclude(yield* Effect.flip(exit), { _tag: "Conflict", code: "ceiling_reached" })
    }
    assert.lengthOf(Object.keys(world.rgw.buckets), 5)

    const rotated = yield* everywhere(() => rotateCredentials(projectId))
    assert.isTrue(rotated.every(Exit.isSuccess))
    assert.lengthOf(user()?.keys ?? [], 9)
    const leases = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT name FROM leases`)
    assert.deepStrictEqual(yield* Effect.provideContext(leases, first), [])
  }).pipe(Effect.scoped, Effect.provide(Shared))
)
