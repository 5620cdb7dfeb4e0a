import { NodeServices } from "@effect/platform-node"
import { PgClient, PgMigrator } from "@effect/sql-pg"
import { Config, Duration, Layer, Schema } from "effect"
import { migrations } from "./migrations.ts"

/**
 * Two connections always listen, one for changes of credentials and one for
 * events. With fewer than three no query could run.
 */
const Connections = Schema.NumberFromString.check(Schema.isInt(), Schema.isGreaterThanOrEqualTo(3))

/** PostgreSQL at `DATABASE_URL`. */
export const client = PgClient.layerConfig({
  url: Config.Redacted("DATABASE_URL"),
  maxConnections: Config.schema(Connections, "DATABASE_CONNECTIONS").pipe(Config.withDefault(20)),
  connectTimeout: Config.succeed(Duration.seconds(5)),
  applicationName: Config.succeed("portico")
})

/** Runs those of these migrations that come behind the last one that has run. */
export const migratedBy = (all: Readonly<Record<string, (typeof migrations)[keyof typeof migrations]>>) =>
  PgMigrator.layer({ loader: PgMigrator.fromRecord(all), table: "portico_migrations" }).pipe(
    Layer.provide(NodeServices.layer)
  )

/** Brings the schema up to date. Replicas that start together wait for each other. */
export const migrated = migratedBy(migrations)
