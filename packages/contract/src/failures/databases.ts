import type { Resource } from "./Resource.ts"

/** Failures of managed databases. */
export const databases = {
  NotFound: {
    /** The caller's own databases; an impossible name gets the same 404. */
    database: {
      code: "database_not_found",
      detail: (name: string) => `Database '${name}' not found`,
      example: ["log"],
      cause: "The tenant has no managed database of this engine and name, or there can be none.",
      fix: "Look the databases up under GET /v1/databases."
    },
    databaseCredentials: {
      code: "database_credentials_not_ready",
      detail: "credentials not ready",
      cause: "The operator is still making the database, or the password that a rotation asked for.",
      fix: "Try again in a moment; GET /v1/databases/{engine}/{name} says how far it is."
    },
    /** A Kafka broker has no authentication, and so no password to rotate. */
    databaseRotation: {
      code: "no_credential_to_rotate",
      detail: "no such credential to rotate",
      cause: "The database has no password: a kafka broker does not authenticate its clients.",
      fix: "Nothing has to be rotated."
    }
  },
  Conflict: {
    databaseExists: {
      code: "database_exists",
      detail: (engine: string, name: string) =>
        `Database '${engine}/${name}' exists already, and nothing was changed; if an earlier create of it was answered ` +
        "with a failure, it did take effect",
      example: ["postgres", "orders"],
      cause:
        "The tenant's namespace has a database of this engine and name; an earlier create whose answer was lost may " +
        "have made it, or a Kubernetes client.",
      fix: "Look at it under GET /v1/databases/{engine}/{name}, or choose another name."
    },
    databaseStorageNotGrown: {
      code: "database_storage_not_grown",
      detail: (asked: number, held: number) =>
        `size_gb ${asked} is refused: each instance has ${held} GiB, and storage only grows`,
      example: [10, 20],
      cause: "The storage of a database only grows, and `size_gb` is not more than each instance has.",
      fix: "Ask for more, or leave `size_gb` out. For less, restore or copy into a new database."
    },
    databaseReplicasUnchanged: {
      code: "database_replicas_unchanged",
      detail: (replicas: number) => `The database has ${replicas} replicas already`,
      example: [3],
      cause: "The database has as many replicas as asked for.",
      fix: "Ask for another number, or leave `replicas` out."
    },
    noBackupYet: {
      code: "no_backup_yet",
      detail: (name: string) =>
        `Database '${name}' has no completed backup yet, so there is nothing to restore; its detail shows when there is one`,
      example: ["orders"],
      cause: "The database to restore from makes backups, but none of them is complete yet.",
      fix: "Wait until last_successful_at of the database's detail is set, and send the request again."
    },
    /** The archive goes on, so that a later request may succeed. Both ends as RFC 3339 in UTC. */
    recoveryPointNotArchived: {
      code: "recovery_point_not_archived",
      detail: (point: string, earliest: string, latest: string) =>
        `to_point_in_time ${point} cannot be restored yet: the recovery window is from ${earliest} to ${latest}. ` +
        "Leave to_point_in_time out for the newest state",
      example: ["2026-01-04T00:00:00.000Z", "2026-01-02T00:00:00.000Z", "2026-01-03T00:00:00.000Z"],
      cause: "The point in time lies in the future, or after the end of the archive.",
      fix: "Take a point up to latest_recovery_point of the database's detail, or ask again when that is later."
    }
  },
  Unprocessable: {
    /** The window only moves on. Both ends as RFC 3339 in UTC. */
    outsideRecoveryWindow: {
      code: "outside_recovery_window",
      detail: (point: string, earliest: string, latest: string) =>
        `to_point_in_time ${point} cannot be restored: the recovery window is from ${earliest} to ${latest}. ` +
        "Leave to_point_in_time out for the newest state",
      example: ["2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z", "2026-01-03T00:00:00.000Z"],
      cause: "The point in time lies before the end of the oldest backup.",
      fix: "Take a point between earliest_recovery_point and latest_recovery_point of the database's detail."
    },
    restoreTooSmall: {
      code: "restore_too_small",
      detail: (requested: number, held: number) =>
        `size_gb ${requested} is less than the source's ${held} GiB, whose data would not fit`,
      example: [10, 20],
      cause: "The restored database would be smaller than the one that its data comes from.",
      fix: "Leave size_gb out, or ask for at least the size of the source."
    },
    backupsNotEnabled: {
      code: "backups_not_enabled",
      detail: (name: string) =>
        `Database '${name}' was created without backups, so there is nothing to restore it from`,
      example: ["orders"],
      cause: "The database to restore from has no backups: they are a choice at its creation.",
      fix: "Create databases with backup.enabled, which cannot be switched on later."
    },
    kafkaRestore: {
      code: "restore_not_supported",
      detail: "A kafka instance has no backups and cannot be restored; only postgres can",
      cause: "The instance to restore from is kafka.",
      fix: "Restore postgres only; mirror kafka topics to another instance."
    },
    databaseName: {
      code: "database_name_refused",
      detail: (engine: string, longest: number) =>
        `The name of a ${engine} database is a DNS label of RFC 1035 with at most ${longest} characters`,
      example: ["kafka", 40],
      cause:
        "No database of this engine can have the name: the operator derives further names from it, which have " +
        "limits of their own.",
      fix: "Choose a name that `detail` allows."
    },
    databaseVersion: {
      code: "database_version_refused",
      detail: (engine: string, versions: ReadonlyArray<string>) =>
        `version of a ${engine} database must be one of ${versions.join(", ")}`,
      example: ["postgres", ["16", "17"]],
      cause: "The platform does not run this version of the engine.",
      fix: "Choose one that `detail` lists."
    },
    databaseInstanceTooLarge: {
      code: "database_instance_too_large",
      detail: (asked: number, limit: number) => `size_gb ${asked} is refused: one instance has at most ${limit} GiB`,
      example: [251, 250],
      cause: "Each instance of the database would have more storage than one instance may.",
      fix: "Ask for a smaller `size_gb`. Nothing was changed."
    },
    databaseTooLarge: {
      code: "database_too_large",
      detail: (size: number, replicas: number, limit: number) =>
        `size_gb ${size} times replicas ${replicas} is ${size * replicas} GiB; one database has at most ${limit} GiB`,
      example: [101, 3, 300],
      cause: "All instances of the database together would have more storage than one database may.",
      fix: "Ask for a smaller `size_gb`, or for fewer replicas. Nothing was changed."
    },
    kafkaReplicas: {
      code: "kafka_replicas_refused",
      detail: "A kafka database has one replica: replicas can be given for postgres alone",
      cause: "`replicas` was given for a kafka database, which has one.",
      fix: "Leave `replicas` out."
    },
    kafkaBackup: {
      code: "kafka_backup_refused",
      detail: "A kafka database has no backups: backup can be enabled for postgres alone",
      cause: "`backup.enabled` was true for a kafka database.",
      fix: "Leave `backup` out."
    }
  }
} as const satisfies Resource
