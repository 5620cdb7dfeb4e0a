import { Layer } from "effect"
import { Credentials } from "./Credentials.ts"
import { client, migrated } from "./Database.ts"
import { EventLog } from "./EventLog.ts"
import { Journal } from "./Journal.ts"
import { Memory } from "./Memory.ts"
import { Tenants } from "./Tenants.ts"
import { Transactions } from "./Transactions.ts"

/** Every table over the `SqlClient` of the context, whose schema is brought up to date first. */
export const layerNoDeps = Layer.mergeAll(
  Tenants.layer,
  Credentials.layer,
  Journal.layer,
  EventLog.layer,
  Transactions.layer
).pipe(Layer.provide(migrated))

/** Over PostgreSQL at `DATABASE_URL`. */
export const layer = Layer.provideMerge(layerNoDeps, client)

/** Over nothing, for tests that move the clock; the tables are in {@link Memory}. */
export const layerMemory = Layer.mergeAll(
  Tenants.layerMemory,
  Credentials.layerMemory,
  Journal.layerMemory,
  EventLog.layerMemory,
  Transactions.layerMemory
).pipe(Layer.provideMerge(Memory.layer))

export type Store = Layer.Success<typeof layerNoDeps>
