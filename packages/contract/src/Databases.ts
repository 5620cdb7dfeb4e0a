import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { AnswersSecret, Authenticated, TenantScoped, Validated, WellFormed } from "./Access.ts"
import { BackupSchedule, RetentionDays } from "./BackupSchedule.ts"
import { failures } from "./Failures.ts"
import { Creates } from "./Idempotency.ts"
import { PointInTime } from "./PointInTime.ts"

/** The engines of managed databases: PostgreSQL and Apache Kafka. */
export const Engine = Schema.Literals(["postgres", "kafka"]).annotate({ identifier: "DatabaseEngine" })
export type Engine = typeof Engine.Type

/** Ceilings of one database (contract, Limits). Sizes are in GiB. */
export const databaseLimits = { size_gb: 250, replicas: 3, total_gb: 300 } as const

/** The longest name: the Kubernetes operators derive longer names from it, which have limits of their own. */
export const nameLengths: Readonly<Record<Engine, number>> = { postgres: 50, kafka: 40 }

/** RFC 1035, because Kubernetes Services are named after it. */
const label = /^[a-z]([a-z0-9-]*[a-z0-9])?$/

/** Whether a database of the engine can have this name. */
export const isDatabaseName = (engine: Engine, name: string): boolean =>
  name.length <= nameLengths[engine] && label.test(name)

/** The maximum of {@link nameLengths}; an engine may allow less. */
export const DatabaseName = Schema.String.check(
  Schema.isMaxLength(nameLengths.postgres),
  Schema.isPattern(label, {
    expected: "a DNS label of RFC 1035: lower-case letters, digits and hyphens, a letter first, no hyphen last"
  })
)

const SizeGb = Schema.Int.check(
  Schema.isBetween(
    { minimum: 1, maximum: databaseLimits.size_gb },
    { expected: `a whole number of GiB from 1 to ${databaseLimits.size_gb} for each instance` }
  )
)

const Replicas = Schema.Int.check(
  Schema.isBetween(
    { minimum: 1, maximum: databaseLimits.replicas },
    { expected: `a whole number of instances from 1 to ${databaseLimits.replicas}` }
  )
)

export const DatabaseCreate = Schema.Struct({
  engine: Engine,
  name: DatabaseName,
  /** A version that the platform runs; the refusal of another one lists them. */
  version: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(32)),
  /** The size of each instance, in GiB. */
  size_gb: SizeGb,
  /** The number of instances, the primary included. Default 1; more are for PostgreSQL alone. */
  replicas: Schema.optionalKey(Replicas),
  /** PostgreSQL only. */
  backup: Schema.optionalKey(
    Schema.Struct({
      enabled: Schema.Boolean,
      schedule: Schema.optionalKey(BackupSchedule),
      retention_days: Schema.optionalKey(RetentionDays)
    })
  )
}).annotate({ identifier: "DatabaseCreate" })
export type DatabaseCreate = typeof DatabaseCreate.Type

const oneOf: { readonly size_gb?: unknown; readonly replicas?: unknown } = {}

export const DatabaseResize = Schema.Struct({
  /** The size of each instance, in GiB; storage only grows. */
  size_gb: Schema.optionalKey(SizeGb),
  replicas: Schema.optionalKey(Replicas)
})
  .check(
    Schema.makeFilter((change: typeof oneOf) => change.size_gb !== undefined || change.replicas !== undefined, {
      expected: "size_gb, replicas, or both"
    })
  )
  .annotate({ identifier: "DatabaseResize" })
export type DatabaseResize = typeof DatabaseResize.Type

export const DatabaseRestore = Schema.Struct({
  /** The name of the new database; the source stays as it is. */
  name: DatabaseName,
  /** The moment to restore. Default: the latest that is available. */
  to_point_in_time: Schema.optionalKey(PointInTime),
  /** At least the source's size, which is the default. */
  size_gb: Schema.optionalKey(SizeGb),
  replicas: Schema.optionalKey(Replicas)
}).annotate({ identifier: "DatabaseRestore" })
export type DatabaseRestore = typeof DatabaseRestore.Type

/**
 * `pending`: the Kubernetes operator has not reported yet. `provisioning`: it
 * creates the database, which clients cannot use yet. `ready`: everything
 * requested exists. `updating`: the database works, and a change is being
 * applied. `degraded`: it works, and a part is missing. `failing`: the operator
 * cannot continue by itself. `deleting`: it is being removed.
 */
export const DatabaseStatus = Schema.Literals([
  "pending",
  "provisioning",
  "ready",
  "updating",
  "degraded",
  "failing",
  "deleting"
]).annotate({ identifier: "DatabaseStatus" })
export type DatabaseStatus = typeof DatabaseStatus.Type

const backup = { enabled: Schema.Boolean, schedule: Schema.String, retention_days: Schema.Int }

const record = {
  engine: Engine,
  name: Schema.String,
  version: Schema.String,
  /** The requested size of each instance, in GiB. */
  size_gb: Schema.Int,
  replicas: Schema.Int,
  status: DatabaseStatus,
  /** The operator's message while the database is not ready; null when it is. */
  reason: Schema.NullOr(Schema.String),
  created_at: Schema.String,
  /** Null without backups. */
  backup: Schema.NullOr(Schema.Struct(backup).annotate({ identifier: "DatabaseBackup" })),
  /** The database that this one was restored from; null for any other. */
  restored_from: Schema.NullOr(Schema.String)
}

/** A managed database of any engine. */
export const DatabaseRecord = Schema.Struct(record).annotate({ identifier: "Database" })
export type DatabaseRecord = typeof DatabaseRecord.Type

export const DatabaseEvent = Schema.Struct({
  /** The last occurrence. */
  at: Schema.String,
  /** `Normal`, `Warning` */
  type: Schema.String,
  reason: Schema.String,
  message: Schema.String,
  /** `Cluster/orders` */
  object: Schema.String,
  /** The number of occurrences. */
  count: Schema.Int
}).annotate({ identifier: "DatabaseEvent" })
export type DatabaseEvent = typeof DatabaseEvent.Type

export const DatabaseBackupDetail = Schema.Struct({
  ...backup,
  /** The recovery window; null while there is none. */
  earliest_recovery_point: Schema.NullOr(Schema.String),
  latest_recovery_point: Schema.NullOr(Schema.String),
  /** The newest completed backup of any origin; null for none. */
  last_successful_at: Schema.NullOr(Schema.String)
}).annotate({ identifier: "DatabaseBackupDetail" })
export type DatabaseBackupDetail = typeof DatabaseBackupDetail.Type

export const DatabaseDetail = Schema.Struct({
  ...record,
  backup: Schema.NullOr(DatabaseBackupDetail),
  /** Whether `status` is `ready`. */
  ready: Schema.Boolean,
  /** The address within the cluster; null until it answers. */
  endpoint: Schema.NullOr(Schema.Struct({ host: Schema.String, port: Schema.Int })),
  /** The last events, newest first, 20 at most. */
  events: Schema.Array(DatabaseEvent)
}).annotate({ identifier: "DatabaseDetail" })
export type DatabaseDetail = typeof DatabaseDetail.Type

/** The credentials of the database's owner, as the operator made them. */
export const PostgresCredentials = Schema.Struct({
  engine: Schema.Literal("postgres"),
  username: Schema.String,
  password: Schema.String,
  /** With the fully qualified host name, so that it works in every namespace. */
  uri: Schema.String,
  host: Schema.String,
  port: Schema.Int,
  dbname: Schema.String
}).annotate({ identifier: "PostgresCredentials" })
export type PostgresCredentials = typeof PostgresCredentials.Type

/** A broker has no authentication: it can be reached from within the cluster alone. */
export const KafkaCredentials = Schema.Struct({
  engine: Schema.Literal("kafka"),
  /** `host:port` */
  bootstrap: Schema.String,
  credentials: Schema.Null
}).annotate({ identifier: "KafkaCredentials" })
export type KafkaCredentials = typeof KafkaCredentials.Type

export const DatabaseCredentials = Schema.Union([PostgresCredentials, KafkaCredentials])
export type DatabaseCredentials = typeof DatabaseCredentials.Type

/** The credentials route returns the new password as soon as the operator has made it. */
export const DatabaseRotation = Schema.Struct({
  engine: Schema.Literal("postgres"),
  name: Schema.String,
  /** The path of the credentials route. */
  credentials: Schema.String
}).annotate({ identifier: "DatabaseRotation" })
export type DatabaseRotation = typeof DatabaseRotation.Type

/** Both are free text: a value that cannot be a database's gets the same 404 as an unknown one. */
const params = { engine: Schema.String, name: Schema.String }

/** Both planes. A tenant sees its own databases; a platform administrator has none. */
export class Databases extends HttpApiGroup.make("databases")
  .add(
    HttpApiEndpoint.get("list", "/databases", {
      success: Schema.Struct({ count: Schema.Int, databases: Schema.Array(DatabaseRecord) }).annotate({
        identifier: "DatabaseList"
      }),
      error: failures("service_not_found", "upstream_failed")
    }),
    HttpApiEndpoint.post("create", "/databases", {
      payload: DatabaseCreate,
      success: DatabaseRecord.pipe(HttpApiSchema.status(201)),
      error: failures(
        "bucket_name_taken",
        "ceiling_reached",
        "concurrent_change",
        "concurrent_deletion_state",
        "database_exists",
        "database_instance_too_large",
        "database_name_refused",
        "database_too_large",
        "database_version_refused",
        "kafka_backup_refused",
        "kafka_replicas_refused",
        "service_not_found",
        "tenant_not_found",
        "tier_move_in_progress",
        "tier_unreadable",
        "upstream_conflict",
        "upstream_failed",
        "upstream_refused"
      )
    }).middleware(Creates),
    HttpApiEndpoint.get("show", "/databases/:engine/:name", {
      params,
      success: DatabaseDetail,
      error: failures("database_not_found", "service_not_found", "upstream_failed")
    }),
    HttpApiEndpoint.patch("resize", "/databases/:engine/:name", {
      params,
      payload: DatabaseResize,
      success: DatabaseRecord,
      error: failures(
        "ceiling_reached",
        "concurrent_change",
        "concurrent_deletion_state",
        "database_instance_too_large",
        "database_not_found",
        "database_replicas_unchanged",
        "database_storage_not_grown",
        "database_too_large",
        "kafka_replicas_refused",
        "service_not_found",
        "tenant_not_found",
        "tenant_suspended",
        "tier_unreadable",
        "upstream_conflict",
        "upstream_failed",
        "upstream_refused"
      )
    }),
    HttpApiEndpoint.delete("remove", "/databases/:engine/:name", {
      params,
      success: DatabaseRecord,
      error: failures(
        "concurrent_change",
        "database_not_found",
        "service_not_found",
        "upstream_conflict",
        "upstream_failed",
        "upstream_refused"
      )
    }),
    HttpApiEndpoint.get("credentials", "/databases/:engine/:name/credentials", {
      params,
      success: HttpApiSchema.WithHeaders(DatabaseCredentials, { "cache-control": Schema.Literal("no-store") }),
      error: failures("database_credentials_not_ready", "database_not_found", "service_not_found", "upstream_failed")
    }).annotate(AnswersSecret, "stored"),
    HttpApiEndpoint.post("rotateCredentials", "/databases/:engine/:name/rotate-credentials", {
      params,
      success: DatabaseRotation,
      error: failures(
        "database_credentials_not_ready",
        "database_not_found",
        "no_credential_to_rotate",
        "service_not_found",
        "upstream_failed"
      )
    })
      // A repeated rotation would disconnect all clients twice.
      .middleware(Creates),
    HttpApiEndpoint.post("restore", "/databases/:engine/:name/restore", {
      params,
      payload: DatabaseRestore,
      success: DatabaseRecord.pipe(HttpApiSchema.status(201)),
      error: failures(
        "backups_not_enabled",
        "bucket_name_taken",
        "ceiling_reached",
        "concurrent_change",
        "concurrent_deletion_state",
        "database_exists",
        "database_instance_too_large",
        "database_name_refused",
        "database_not_found",
        "database_too_large",
        "no_backup_yet",
        "outside_recovery_window",
        "restore_not_supported",
        "restore_too_small",
        "service_not_found",
        "tenant_not_found",
        "tier_move_in_progress",
        "tier_unreadable",
        "upstream_conflict",
        "upstream_failed",
        "upstream_refused"
      )
    }).middleware(Creates)
  )
  .middleware(WellFormed)
  .middleware(TenantScoped)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}
