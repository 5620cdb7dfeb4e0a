import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import * as transport from "@portico/simulator/transport"
import * as PostgresClient from "@portico/store/client/PostgresClient"
import * as Store from "@portico/store/Store"
import { ConfigProvider, Effect, Layer } from "effect"
import { Aging } from "../store/Aging.ts"
import { statementTime, TestDatabase } from "../store/TestDatabase.ts"
import { Process, processWith } from "./Simulated.ts"

const cloud = transport.layer.pipe(Layer.provideMerge(SimulatedCloud.layerMemory))

/** One process of the gateway over a simulated cloud, whose store is a PostgreSQL database of the test's own. */
export const OnPostgres = Process.pipe(
  Layer.provideMerge(cloud),
  Layer.provideMerge(Store.layerNoDeps),
  Layer.provideMerge(TestDatabase.layer)
)

/** What all replicas of a gateway share: the cloud, and one database, in which `pass` of `Aging.ts` lets time pass. */
export const Shared = Layer.merge(cloud, Aging.layer.pipe(Layer.provideMerge(TestDatabase.layer)))

/**
 * A process of its own over what is {@link Shared}, with sessions of its own.
 *
 * @param settings beside the usual ones
 */
export const replica = (settings: Readonly<Record<string, string>> = {}) =>
  Effect.flatMap(TestDatabase, ({ url }) =>
    Layer.build(
      Layer.fresh(
        processWith(settings).pipe(
          Layer.provideMerge(Store.layerNoDeps),
          Layer.provideMerge(PostgresClient.layer({ url, maxConnections: 10, statementTime })),
          // The store reads settings too.
          Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(settings)))
        )
      )
    )
  )
