import { NodeServices } from "@effect/platform-node"
import { PgClient, PgMigrator } from "@effect/sql-pg"
import { Config, ConfigProvider, Duration, Effect, Layer, Redacted, Schema } from "effect"
import { readFile } from "node:fs/promises"
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

/** An unreadable file stops the process at start, as a missing setting does. */
const authoritiesIn = (file: string) =>
  Effect.tryPromise({
    try: () => readFile(file, "utf8"),
    catch: (cause) =>
      new Config.ConfigError(
        new ConfigProvider.SourceError({
          message: `the file that sslrootcert in DATABASE_URL names cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`
        })
      )
  })

/**
 * What the address of a database says of TLS. As libpq has it, `sslrootcert` names a file with the authorities of the
 * server's certificate, instead of the usual ones. It asks for TLS where `sslmode` does not say otherwise.
 */
export const tlsOf = (url: string) => {
  const options = URL.parse(url)?.searchParams
  const named = options?.get("sslrootcert") ?? undefined
  const mode = options?.get("sslmode") ?? (named === undefined ? "disable" : "verify-full")
  return {
    isRequired: ["require", "verify-ca", "verify-full"].includes(mode),
    authorities: named === "system" ? undefined : named
  }
}

const encryption = address.pipe(
  Config.mapEffect((url) => {
    const { authorities, isRequired } = tlsOf(Redacted.value(url))
    return isRequired && authorities !== undefined
      ? Effect.map(authoritiesIn(authorities), (ca) => ({ ca }))
      : Effect.undefined
  })
)

/** PostgreSQL at `DATABASE_URL`. */
export const client = PgClient.layerConfig({
  url: address,
  // Undefined leaves it to `sslmode` in the address.
  ssl: encryption,
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
