import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { AnswersSecret } from "./Access.ts"
import { BackupSchedule, defaultRetentionDays, RetentionDays } from "./BackupSchedule.ts"
import { described, LongRunning, meanings, titled } from "./describe.ts"
import { DatabaseCredentials, DatabaseRotation } from "./DatabaseCredentials.ts"
import { ceilingCodes, failures, upstreamCodes } from "./Failures.ts"
import { tenantRoutes } from "./groups.ts"
import { Creates } from "./Idempotency.ts"
import { pageList, pageQuery } from "./Page.ts"
import { PointInTime } from "./PointInTime.ts"
import { Unstored } from "./Unstored.ts"

export const Engine = meanings("The kind of database.", {
  postgres: "PostgreSQL, with replicas, backups and restores.",
  kafka: "Apache Kafka: one node that is controller and broker, without backups."
}).annotate({ identifier: "DatabaseEngine" })
export type Engine = typeof Engine.Type

/** Ceilings of one database (contract, Limits). Sizes are in GiB. */
export const databaseLimits = { size_gb: 250, replicas: 3, total_gb: 300 } as const

/** The longest name: the Kubernetes operators derive longer names from it, which have limits of their own. */
export const nameLengths: Readonly<Record<Engine, number>> = { postgres: 50, kafka: 40 }

/**
 * The longest name of a restored database. CloudNativePG restores it in a pod whose host name is the database's name with
 * `-1-full-recovery`, and a host name has 63 characters (RFC 1123).
 */
export const restoredNameLength = 47

/** RFC 1035, because Kubernetes Services are named after it. */
const label = /^[a-z]([a-z0-9-]*[a-z0-9])?$/

/** Whether a database of the engine can have this name. */
export const isDatabaseName = (engine: Engine, name: string): boolean =>
  name.length <= nameLengths[engine] && label.test(name)

const nameOf = (longest: number) =>
  Schema.String.check(
    Schema.isMaxLength(longest),
    Schema.isPattern(label, {
      expected: "a DNS label of RFC 1035: lower-case letters, digits and hyphens, a letter first, no hyphen last"
    })
  )

/** The maximum of {@link nameLengths}; an engine may allow less. */
export const DatabaseName = nameOf(nameLengths.postgres)

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
  engine: Engine.annotateKey({ description: "It never changes." }),
  name: DatabaseName.annotateKey({
    description:
      "The name of the database, which never changes and can be used once for each engine of a tenant. A DNS label " +
      "of RFC 1035: lower-case letters, digits and hyphens, a letter first, no hyphen last; at most " +
      `${nameLengths.postgres} characters for \`postgres\` and ${nameLengths.kafka} for \`kafka\`.`
  }),
  version: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(32)).annotateKey({
    description:
      "For `postgres` a major version, such as `17`; for `kafka` a full version, such as `4.3.1`. The platform runs " +
      "some of them, and the refusal of another one (422 `database_version_refused`) lists them."
  }),
  size_gb: SizeGb.annotateKey({
    description:
      `The storage of each instance, in GiB, 1 to ${databaseLimits.size_gb}. \`size_gb\` times \`replicas\` is ` +
      `${databaseLimits.total_gb} GiB at most. It can grow later, and never shrinks.`
  }),
  replicas: Schema.optionalKey(Replicas).annotateKey({
    description:
      `The number of instances, the primary included, 1 to ${databaseLimits.replicas}. Default 1, and always 1 for ` +
      "`kafka`. With more than one, a commit waits until another instance has it (synchronous replication); with " +
      "exactly two, it waits only while the other one is there."
  }),
  backup: Schema.optionalKey(
    Schema.Struct({
      enabled: Schema.Boolean.annotateKey({
        description: "Whether the database has backups. False is the same as no `backup` at all."
      }),
      schedule: Schema.optionalKey(BackupSchedule).annotateKey({
        description:
          "The times of base backups after the first one, which begins at once. Default: once a day between " +
          "01:00 and 05:00 UTC, at a minute that follows from the name."
      }),
      retention_days: Schema.optionalKey(RetentionDays).annotateKey({
        description: `How far back a moment can be restored, in days, 1 to 365. Default ${defaultRetentionDays}.`
      })
    })
  ).annotateKey({
    description: "Backups, for `postgres` alone. They cannot be switched on, off or changed later. Default: no backups."
  })
}).annotate({ identifier: "DatabaseCreate", description: "A new database." })
export type DatabaseCreate = typeof DatabaseCreate.Type

const oneOf: { readonly size_gb?: unknown; readonly replicas?: unknown } = {}

export const DatabaseResize = Schema.Struct({
  size_gb: Schema.optionalKey(SizeGb).annotateKey({
    description: `The new storage of each instance, in GiB, more than now and at most ${databaseLimits.size_gb}. Default: unchanged.`
  }),
  replicas: Schema.optionalKey(Replicas).annotateKey({
    description:
      `The new number of instances, the primary included, 1 to ${databaseLimits.replicas}, other than now. ` +
      "Only for `postgres`. Default: unchanged."
  })
})
  .annotate({ description: "A change of a database's size: `size_gb`, `replicas`, or both." })
  .check(
    Schema.makeFilter((change: typeof oneOf) => change.size_gb !== undefined || change.replicas !== undefined, {
      expected: "size_gb, replicas, or both"
    })
  )
  .annotate({ identifier: "DatabaseResize" })
export type DatabaseResize = typeof DatabaseResize.Type

export const DatabaseRestore = Schema.Struct({
  name: nameOf(restoredNameLength).annotateKey({
    description:
      "The name of the new database, which must be free. The source stays as it is. A DNS label of RFC 1035 of at " +
      `most ${restoredNameLength} characters.`
  }),
  to_point_in_time: Schema.optionalKey(PointInTime).annotateKey({
    description:
      "The moment to restore, within the source's recovery window (`earliest_recovery_point` to " +
      "`latest_recovery_point`). Default: the newest state in the archive. Leave it out for a source that was not " +
      "written to since that moment: the restore would never end."
  }),
  size_gb: Schema.optionalKey(SizeGb).annotateKey({
    description:
      `The storage of each instance, in GiB, at least the source's and at most ${databaseLimits.size_gb}. ` +
      "Default: the source's."
  }),
  replicas: Schema.optionalKey(Replicas).annotateKey({
    description: `The number of instances, the primary included, 1 to ${databaseLimits.replicas}. Default: the source's.`
  })
}).annotate({ identifier: "DatabaseRestore", description: "A new database from the backups of another one." })
export type DatabaseRestore = typeof DatabaseRestore.Type

export const DatabaseStatus = meanings("How far the database is. The operator is the program that runs it.", {
  pending: "The operator has not reported yet. Wait.",
  provisioning: "The operator makes the database for the first time. Clients cannot use it yet. Wait.",
  ready: "Everything is there as it was last requested.",
  updating: "The database works, and the last change is being applied. Wait.",
  degraded:
    "The database works, and a part of it is missing: an instance, or for a moment the primary. The operator " +
    "repairs it.",
  failing: "The operator cannot continue by itself; `reason` says why.",
  deleting: "The database is being removed. The removal is complete when a read answers 404."
}).annotate({ identifier: "DatabaseStatus" })
export type DatabaseStatus = typeof DatabaseStatus.Type

const backup = {
  enabled: Schema.Boolean.annotateKey({ description: "Always true: a database without backups has no such block." }),
  schedule: Schema.String.annotateKey({
    description:
      "The times of base backups: six fields, seconds first, in UTC (second minute hour day-of-month month weekday)."
  }),
  retention_days: Schema.Int.annotateKey({ description: "How far back a moment can be restored, in days." })
}

const record = {
  engine: Engine.annotateKey({ description: "It never changes." }),
  name: Schema.String.annotateKey({ description: "The name, unique for each engine of the tenant. It never changes." }),
  version: Schema.String.annotateKey({
    description: "The version of the engine: the major one for `postgres`, the full one for `kafka`."
  }),
  size_gb: Schema.Int.annotateKey({ description: "The requested storage of each instance, in GiB." }),
  replicas: Schema.Int.annotateKey({ description: "The requested number of instances, the primary included." }),
  status: DatabaseStatus.annotateKey({
    description: "It is about the database as it was last requested: right after a change it is never `ready`."
  }),
  reason: Schema.NullOr(Schema.String).annotateKey({
    description: "The operator's message on why the database is not ready. Null while it is ready."
  }),
  created_at: Schema.String.annotateKey({ description: "When the database was created. RFC 3339, UTC." }),
  backup: Schema.NullOr(
    Schema.Struct(backup).annotate({ identifier: "DatabaseBackup", description: "The backups of a database." })
  ).annotateKey({ description: "The schedule and retention of backups. Null for a database without backups." }),
  restored_from: Schema.NullOr(Schema.String).annotateKey({
    description: "The name of the database from whose backups this one was restored. Null for any other database."
  })
}

export const DatabaseRecord = Schema.Struct(record).annotate({
  identifier: "Database",
  description: "A managed database. All engines have the same fields."
})
export type DatabaseRecord = typeof DatabaseRecord.Type

export const DatabaseEvent = Schema.Struct({
  at: Schema.String.annotateKey({ description: "When it last happened. RFC 3339, UTC." }),
  type: Schema.String.annotateKey({
    description: "Kubernetes' type of the event: `Normal`, or `Warning` for an event that may need attention."
  }),
  reason: Schema.String.annotateKey({
    description: "The kind of event in one word of Kubernetes', such as `Created`."
  }),
  message: Schema.String.annotateKey({ description: "The message of the event, for people to read." }),
  object: Schema.String.annotateKey({
    description: "The Kubernetes object that the event is about, as kind and name: `Cluster/orders`."
  }),
  count: Schema.Int.annotateKey({ description: "How often it happened." })
}).annotate({
  identifier: "DatabaseEvent",
  description: "An event that the cluster recorded about a database or its volumes."
})
export type DatabaseEvent = typeof DatabaseEvent.Type

export const DatabaseBackupDetail = Schema.Struct({
  ...backup,
  earliest_recovery_point: Schema.NullOr(Schema.String).annotateKey({
    description:
      "The beginning of the recovery window, which is the first whole second after the end of the oldest base backup. " +
      "RFC 3339, UTC. Null before the first base backup is complete."
  }),
  latest_recovery_point: Schema.NullOr(Schema.String).annotateKey({
    description:
      "The end of the recovery window: five minutes ago, by when every change has reached the archive. RFC 3339, " +
      "UTC. Null before the first base backup is complete, and while changes do not reach the archive, for example " +
      "because the tenant's object storage is full."
  }),
  last_successful_at: Schema.NullOr(Schema.String).annotateKey({
    description:
      "The end of the newest complete base backup, scheduled or not. RFC 3339, UTC. Null before the first one."
  })
}).annotate({
  identifier: "DatabaseBackupDetail",
  description: "The backups of a database, and the moments to which it can be restored."
})
export type DatabaseBackupDetail = typeof DatabaseBackupDetail.Type

export const DatabaseDetail = Schema.Struct({
  ...record,
  backup: Schema.NullOr(DatabaseBackupDetail).annotateKey({
    description: "The schedule and retention of backups, and the recovery window. Null for a database without backups."
  }),
  ready: Schema.Boolean.annotateKey({ description: "Whether `status` is `ready`." }),
  endpoint: Schema.NullOr(
    Schema.Struct({
      host: Schema.String.annotateKey({ description: "The host name, which resolves within the cluster alone." }),
      port: Schema.Int.annotateKey({ description: "The TCP port." })
    })
  ).annotateKey({
    description:
      "Where clients in the cluster reach the database. Null until it has first had a primary (`postgres`) or a " +
      "ready broker (`kafka`)."
  }),
  events: Schema.Array(DatabaseEvent).annotateKey({
    description: "The last events of the database and its volumes, newest first, 20 at most."
  })
}).annotate({
  identifier: "DatabaseDetail",
  description: "A managed database with its endpoint, its last events and its recovery window."
})
export type DatabaseDetail = typeof DatabaseDetail.Type

/** Both are free text: a value that cannot be a database's gets the same 404 as an unknown one. */
const params = {
  engine: Schema.String.annotateKey({ description: "The engine of the database: `postgres` or `kafka`." }),
  name: Schema.String.annotateKey({ description: "The name of the database." })
}

/** Of operations that end when the database is as requested. */
const untilReady = { read: "databases.show", field: "status", done: ["ready"], failed: ["failing"] }

const listQuery = {
  engine: Schema.optionalKey(Engine).annotateKey({ description: "Only databases of this engine." }),
  status: Schema.optionalKey(DatabaseStatus).annotateKey({ description: "Only databases with this status." }),
  name: Schema.optionalKey(DatabaseName).annotateKey({
    description: "Only databases with exactly this name, at most one of each engine."
  }),
  ...pageQuery
}
/** The filters of a list of databases; a missing one keeps all. */
export type DatabaseFilters = { readonly [Name in "engine" | "status" | "name"]?: DatabaseRecord[Name] }

/** The failures of a database's size, and of the room for it. */
const ofSizes = [
  ...ceilingCodes,
  ...upstreamCodes,
  "concurrent_deletion_state",
  "database_instance_too_large",
  "database_too_large",
  "service_not_found"
] as const

/** The failures of a new database. */
const ofNew = [
  ...ofSizes,
  "bucket_name_taken",
  "database_exists",
  "database_name_refused",
  "tier_move_in_progress"
] as const

export class Databases extends HttpApiGroup.make("databases")
  .add(
    HttpApiEndpoint.get("list", "/databases", {
      query: listQuery,
      success: pageList("DatabaseList", {
        databases: Schema.Array(DatabaseRecord).annotateKey({
          description: "The page, oldest database first."
        })
      }),
      error: failures("service_not_found", "upstream_failed")
    }).annotateMerge(
      described(
        "List databases",
        "Returns one page of the tenant's managed databases, of both engines. A database that a Kubernetes " +
          "client created in the namespace is not in the list, although it counts " +
          "against the ceilings."
      )
    ),
    HttpApiEndpoint.post("create", "/databases", {
      payload: DatabaseCreate,
      success: DatabaseRecord.pipe(HttpApiSchema.status(201)),
      error: failures(...ofNew, "database_version_refused", "kafka_backup_refused", "kafka_replicas_refused")
    })
      .annotateMerge(
        described(
          "Create a database",
          "Makes a PostgreSQL or Kafka database in the tenant's own Kubernetes namespace, and the namespace with " +
            "the first one. The response comes at once, with `status` `pending`; follow it with `GET " +
            "/v1/databases/{engine}/{name}` until it is `ready`.\n\n" +
            `- One instance has at most ${databaseLimits.size_gb} GiB, and all instances of the database together at most ` +
            `${databaseLimits.total_gb} GiB (422 with the arithmetic).\n` +
            "- All databases of the tenant together have at most the storage of its tier (100, 400 or 1500 GiB) and " +
            "eight volumes, one for each instance (409 `ceiling_reached` with the numbers). Everything else that has " +
            "volumes in the namespace counts too.\n" +
            "- Backups go to a bucket of the tenant, which the first database with backups makes. It counts against " +
            "the ceilings of object storage.\n\n" +
            "The gateway checks everything before it creates anything. Without an `Idempotency-Key`, a repetition " +
            "of a request that took effect is a 409 (`database_exists`)."
        )
      )
      .annotate(LongRunning, untilReady)
      .middleware(Creates),
    HttpApiEndpoint.get("show", "/databases/:engine/:name", {
      params,
      success: DatabaseDetail,
      error: failures("database_not_found", "service_not_found", "upstream_failed")
    }).annotateMerge(
      described(
        "Show a database",
        "Returns a database with its status, its address within the cluster, its last events and its recovery " +
          "window. Call it again to follow a change: `ready` always means the database as it was last requested."
      )
    ),
    HttpApiEndpoint.patch("resize", "/databases/:engine/:name", {
      params,
      payload: DatabaseResize,
      success: DatabaseRecord,
      error: failures(
        ...ofSizes,
        "database_not_found",
        "database_replicas_unchanged",
        "database_storage_not_grown",
        "kafka_replicas_refused",
        "tenant_suspended"
      )
    })
      .annotateMerge(
        described(
          "Resize a database",
          "Grows the storage of each instance, changes the number of instances, or both, in place; both happen or " +
            "none. The response comes at once, usually with `status` `updating`. Storage only grows: less or the " +
            "same is a 409, and so is the number of instances that the database already has. `replicas` is for " +
            "`postgres` alone (422). Limits and ceilings are those of a creation; a change that does not grow " +
            "passes them, also in a suspended tenant, which cannot grow anything (403). Fewer instances lose their " +
            "volumes and no data of the database."
        )
      )
      .annotate(LongRunning, untilReady),
    HttpApiEndpoint.delete("remove", "/databases/:engine/:name", {
      params,
      success: DatabaseRecord,
      error: failures(...upstreamCodes, "concurrent_change", "database_not_found", "service_not_found")
    })
      .annotateMerge(
        described(
          "Delete a database",
          "Deletes a database with all its data, and ends its backups. There is no way back through this API: the " +
            "backups that exist stay in the tenant's archive bucket, from which only an operator can restore them. " +
            "The response has `status` `deleting`; a read answers 404 once the database is removed. Its volumes " +
            "follow a few seconds later. A delete that was cut short may be repeated."
        )
      )
      .annotate(LongRunning, { ...untilReady, done: [], gone: true }),
    HttpApiEndpoint.get("credentials", "/databases/:engine/:name/credentials", {
      params,
      success: Unstored(DatabaseCredentials),
      error: failures("database_credentials_not_ready", "database_not_found", "service_not_found", "upstream_failed")
    })
      .annotateMerge(
        described(
          "Show how to connect to a database",
          "Returns, for `postgres`, the owner's user name and password with a connection URI; for `kafka`, the " +
            "bootstrap address, because a broker has no logins. Databases are reached from the tenant's own " +
            "Kubernetes namespace, not from the internet. It is a 404 (`database_credentials_not_ready`) until the " +
            "database has first had a primary or a ready broker, and for the seconds of a rotation. Every call " +
            "leaves an audit record."
        )
      )
      .annotate(AnswersSecret, "stored"),
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
      .annotateMerge(
        described(
          "Rotate a database's password",
          "Gives the owner of a `postgres` database a new password within seconds. The password is not in this " +
            "response: read it with `GET /v1/databases/{engine}/{name}/credentials`, which is a 404 until it is " +
            "set. The old password ends at once: open sessions stay, and new ones need the new password. `kafka` " +
            "has no password to rotate (404 `no_credential_to_rotate`). Each repetition makes yet another password, " +
            "except while a rotation runs."
        )
      )
      // A repeated rotation would disconnect all clients twice.
      .middleware(Creates),
    HttpApiEndpoint.post("restore", "/databases/:engine/:name/restore", {
      params,
      payload: DatabaseRestore,
      success: DatabaseRecord.pipe(HttpApiSchema.status(201)),
      error: failures(
        ...ofNew,
        "backups_not_enabled",
        "database_not_found",
        "no_backup_yet",
        "outside_recovery_window",
        "recovery_point_not_archived",
        "restore_not_supported",
        "restore_too_small"
      )
    })
      .annotateMerge(
        described(
          "Restore a database into a new one",
          "Makes a new `postgres` database from the backups of the one in the path, which stays as it is: nothing " +
            "is restored in place. The new database runs the source's version, makes backups by the same schedule " +
            "and retention, and has a password of its own. The response comes at once, with `status` `pending`; it " +
            "is `ready` when the archive has been read. The source needs backups (422) of which one is complete (409 " +
            "`no_backup_yet`), and the moment must lie in its recovery window (422 `outside_recovery_window` before it, 409 " +
            "`recovery_point_not_archived` after it). Limits and ceilings are those of a creation."
        )
      )
      .annotate(LongRunning, untilReady)
      .middleware(Creates)
  )
  .annotateMerge(
    titled(
      "Databases",
      "Managed PostgreSQL and Apache Kafka. The platform runs a database in the tenant's own namespace of its " +
        "Kubernetes cluster: it makes the instances and their volumes, replaces an instance that fails, and makes " +
        "backups. An instance is one server with a volume of its own. A tenant sees its own databases; on a cloud " +
        "without a cluster every operation is a 404 (`service_not_found`)."
    )
  )
  .pipe(tenantRoutes) {}
