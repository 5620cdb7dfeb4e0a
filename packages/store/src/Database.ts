import { NodeServices } from "@effect/platform-node"
import { PgClient, PgMigrator } from "@effect/sql-pg"
import { Config, Duration, Effect, Layer, Schema } from "effect"
import { authoritiesOf } from "./address.ts"
import { fit } from "./fitness.ts"
import { migrations } from "./migrations.ts"

/**
 * Two connections always listen, one for changes of credentials and one for
 * events. With fewer than three no query could run.
 */
const Connections = Schema.NumberFromString.check(Schema.isInt(), Schema.isGreaterThanOrEqualTo(3))

/** Without it a listener would wait for ever for a server whose machine is gone. */
const keepAlive = Duration.seconds(10)

const address = Config.Redacted("DATABASE_URL")

/** PostgreSQL at `DATABASE_URL`. */
export const client = PgClient.layerConfig({
  url: address,
  // Undefined leaves it to `sslmode` in the address.
  ssl: Config.mapEffect(address, (_) => Effect.map(authoritiesOf(_), (ca) => (ca === undefined ? ca : { ca }))),
  maxConnections: Config.schema(Connections, "DATABASE_CONNECTIONS").pipe(Config.withDefault(20)),
  connectTimeout: Config.succeed(Duration.seconds(5)),
  keepAlive: Config.succeed(keepAlive),
  applicationName: Config.succeed("portico")
})

/** The same, for a gateway: a database that it could not work with stops the start. */
export const fitClient = Layer.provideMerge(Layer.effectDiscard(fit), client)

/** Runs those of these migrations that come behind the last one that has run. */
export const migratedBy = (all: Readonly<Record<string, (typeof migrations)[keyof typeof migrations]>>) =>
  PgMigrator.layer({ loader: PgMigrator.fromRecord(all), table: "portico_migrations" }).pipe(
    Layer.provide(NodeServices.layer)
  )

/** Brings the schema up to date. Replicas that start together wait for each other. */
export const migrated = migratedBy(migrations)
