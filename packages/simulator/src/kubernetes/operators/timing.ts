/** How long operators and what they run take, in milliseconds. Real ones take longer, and never the same twice. */
export const timing = {
  /** From a change until an operator has seen it. */
  react: 1_000,
  /** Until an operator tries again what the API server refused it. */
  retry: 60_000,
  /** A job that makes a database, or the copy of one. */
  initdb: 3_000,
  join: 3_000,
  /** A job that takes a database out of an archive. */
  recovery: 5_000,
  /** The first pause of a job whose pod failed; each further one is twice as long. */
  backOff: 10_000,
  /** The log of a database goes to its archive as often as that (`archive_timeout`). */
  archive: 300_000,
  /** From the start of a base backup until it runs, and until it is complete. */
  backupStarts: 1_000,
  backupTakes: 4_000,
  /** Until a backup looks again for a cluster, or for an instance that is ready. */
  backupRetry: 30_000,
  /** Until a schedule looks again while a backup of its own is running. */
  scheduleRetry: 60_000,
  /** From the start of a broker's container until the broker takes part. */
  broker: 5_000,
  /** How long the Kafka operator waits for a broker. */
  brokerPatience: 300_000,
  /** How long the Kafka operator leaves a cluster alone that it could not reconcile. */
  kafkaPeriod: 120_000,
  /** Events are forgotten that long after they were last seen. */
  eventLife: 3_600_000
} as const

/** Pods that a job may lose before it gives up (`backoffLimit`). */
export const backoffLimit = 6
