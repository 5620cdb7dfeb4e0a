import { NodeServices } from "@effect/platform-node"
import { PgMigrator } from "@effect/sql-pg"
import { Config, Duration, Effect, Layer, Schema } from "effect"
import { authoritiesOf } from "./address.ts"
import { StatementTime } from "./client/inTime.ts"
import * as PostgresClient from "./client/PostgresClient.ts"
import { fit } from "./fitness.ts"
import { migrations } from "./migrations.ts"

/** Connections that always listen, one for changes of credentials and one for events. */
export const listeners = 2

/** With fewer than three no query could run. */
const Connections = Schema.NumberFromString.check(Schema.isInt(), Schema.isGreaterThan(listeners))

/** How many sessions a client has at most. */
export const connections = Config.schema(Connections, "DATABASE_CONNECTIONS").pipe(Config.withDefault(20))

/** Without it a listener would wait for ever for a server whose machine is gone. */
const keepAlive = Duration.seconds(10)

const address = Config.Redacted("DATABASE_URL")

/**
 * Half of what a client gets an answer within. Statements of requests take milliseconds; what takes seconds waits for a
 * lock, for a disk, or for a server that stands still.
 */
export const usualStatementTime = Duration.seconds(5)

/** Migrations rewrite tables and build indexes, and wait for those of another replica. */
const migrationTime = Duration.hours(1)

const Seconds = Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: 60 }))

/** PostgreSQL at `DATABASE_URL`. */
export const client = PostgresClient.layerConfig({
  url: address,
  // Undefined leaves it to `sslmode` in the address.
  ssl: Config.mapEffect(address, (_) => Effect.map(authoritiesOf(_), (ca) => (ca === undefined ? ca : { ca }))),
  maxConnections: connections,
  connectTimeout: Config.succeed(Duration.seconds(5)),
  keepAlive: Config.succeed(keepAlive),
  applicationName: Config.succeed("portico"),
  statementTime: Config.schema(Seconds, "DATABASE_STATEMENT_SECONDS").pipe(
    Config.map(Duration.seconds),
    Config.withDefault(usualStatementTime)
  )
})

/** The same, for a gateway: a database that it could not work with stops the start. */
export const fitClient = Layer.provideMerge(Layer.effectDiscard(fit), client)

/** Runs those of these migrations that come behind the last one that has run. */
export const migratedBy = (all: Readonly<Record<string, (typeof migrations)[keyof typeof migrations]>>) =>
  PgMigrator.layer({ loader: PgMigrator.fromRecord(all), table: "portico_migrations" }).pipe(
    Layer.provide(NodeServices.layer),
    Layer.provide(Layer.succeed(StatementTime, migrationTime))
  )

/** Brings the schema up to date. Replicas that start together wait for each other. */
export const migrated = migratedBy(migrations)
