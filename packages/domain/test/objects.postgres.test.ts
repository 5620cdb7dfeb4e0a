import { assert, it } from "@effect/vitest"
import { PgClient } from "@effect/sql-pg"
import { CallerTenant } from "@portico/contract/Access"
import { Bus } from "@portico/domain/events/Bus"
import { createBucket } from "@portico/domain/objectStorage/buckets"
import { rotateCredentials, showCredentials } from "@portico/domain/objectStorage/credentials"
import { onboard } from "@portico/domain/onboarding/onboard"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import * as transport from "@portico/simulator/transport"
import * as Store from "@portico/store/Store"
import { ConfigProvider, type Context, Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestDatabase } from "@portico/testing/store/TestDatabase"
import { processWith } from "./simulated.ts"

/** What all replicas share: the cloud, and one database. */
const Shared = Layer.merge(transport.layer.pipe(Layer.provideMerge(SimulatedCloud.layerMemory)), TestDatabase.layer)

/** A process of its own on the shared database, with sessions of its own. */
const replica = Effect.flatMap(TestDatabase, ({ url }) =>
  Layer.build(
    Layer.fresh(
      Bus.layer.pipe(
        Layer.provideMerge(processWith({})),
        Layer.provideMerge(Store.layerNoDeps),
        Layer.provideMerge(PgClient.layer({ url, maxConnections: 10 })),
        Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({})))
      )
    )
  )
)

type Replica = Effect.Success<typeof replica> extends Context.Context<infer Services> ? Services : never

it.live(
  "over two replicas exactly one of many gets the last slot, first calls make one key, and no lease is left",
  () =>
    Effect.gen(function* () {
      const replicas = [yield* replica, yield* replica]
      const { world } = yield* SimulatedCloud
      const [first] = replicas
      if (first === undefined) return yield* Effect.die("there is no replica")
      const { tenant } = yield* Effect.provideContext(onboard({ name: "Acme GmbH", tier: "discovery" }), first)
      const { project_id: projectId } = tenant
      const user = () => world.rgw.users[`tenant$${projectId}`]
      const named = new CallerTenant({ projectId, name: "acme", source: "credential_store" })
      const everywhere = <A, E>(run: (nth: number) => Effect.Effect<A, E, Replica>) =>
        Effect.all(
          Array.from({ length: 8 }, (_, nth) =>
            Effect.exit(Effect.provideContext(run(nth), replicas[nth % 2] ?? first))
          ),
          { concurrency: "unbounded" }
        )

      const shown = yield* everywhere(() => showCredentials(named))
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
    }).pipe(Effect.scoped, Effect.provide(Shared)),
  180_000
)
