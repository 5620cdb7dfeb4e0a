/** Durations of operators and of their workloads, in milliseconds. Real durations are longer and vary. */
export const timing = {
  /** From a change until an operator sees it. */
  react: 1_000,
  /** Until an operator retries what the API server refused. */
  retry: 60_000,
  /** A job that creates or copies a database. */
  initdb: 3_000,
  join: 3_000,
  /** A job that recovers a database from an archive. */
  recovery: 5_000,
  /** The first pause of a job whose pod failed; each further one is twice as long. */
  backOff: 10_000,
  /** The interval of WAL archiving (`archive_timeout`). */
  archive: 300_000,
  /** From the start of a base backup until it runs, and until it is complete. */
  backupStarts: 1_000,
  backupTakes: 4_000,
  /** Until a backup looks again for a cluster or a ready instance. */
  backupRetry: 30_000,
  /** Until a schedule looks again while its own backup runs. */
  scheduleRetry: 60_000,
  /** From the start of a broker's container until the broker is ready. */
  broker: 5_000,
  /** How long the Kafka operator waits for a broker. */
  brokerTimeout: 300_000,
  /** The interval between passes of the Kafka operator after a failure. */
  kafkaPeriod: 120_000,
  /** The retention of events after their last occurrence. */
  eventLife: 3_600_000
} as const

/** Pods that a job may lose before it fails (`backoffLimit`). */
export const backoffLimit = 6
