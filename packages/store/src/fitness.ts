import { PgClient } from "@effect/sql-pg"
import { Duration, Effect, Option, Schedule, Schema, Stream } from "effect"
import { randomUUID } from "node:crypto"

/** The gateway cannot work with the database, for a reason that the operator can correct. */
export class UnfitDatabase extends Schema.TaggedError<UnfitDatabase>()("UnfitDatabase", { message: Schema.String }) {}

/** Why nothing can be written, such as `it is a standby`; undefined when writes are taken. */
export const readOnly = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const [found] = yield* sql<{ readonly standby: boolean; readonly read_only: boolean }>`
    SELECT pg_is_in_recovery() AS standby, current_setting('transaction_read_only') = 'on' AS read_only`
  if (found?.standby === true) return "it is a standby"
  return found?.read_only === true ? "its transactions are read-only" : undefined
})

/** A notification arrives within milliseconds of its commit. */
const echoTime = Duration.seconds(3)

/**
 * Whether a session stays the client's own from one transaction to the next: what one session notifies of, another one
 * that listens hears. A pooler that shares sessions between transactions accepts LISTEN and delivers nothing, and its
 * sessions do not have the statements that the client prepared.
 */
export const keepsSessions = Effect.gen(function* () {
  const pg = yield* PgClient.PgClient
  const channel = "portico_fitness"
  const payload = randomUUID()
  const notifications = yield* pg.listen(channel)
  yield* Effect.forkScoped(Effect.repeat(pg.notify(channel, payload), Schedule.spaced("1 second")))
  const own = Stream.filter(Stream.fromQueue(notifications), (_) => _.payload === payload)
  const heard = yield* Effect.timeoutOption(Stream.runHead(own), echoTime)
  return Option.isSome(heard)
}).pipe(Effect.scoped)

/** What is wrong with a pooler that does not keep sessions, and what to do about it. */
export const sharedSessions = {
  detail: "a pooler in front of it shares sessions between transactions, so that notifications do not arrive",
  fix: "Set PgBouncer's pool_mode to session for this database, or name PostgreSQL itself in DATABASE_URL"
}

/** Stops a start on a database that it could not work with, before anything is migrated. */
export const fit = Effect.gen(function* () {
  const reason = yield* readOnly
  if (reason !== undefined) {
    return yield* new UnfitDatabase({
      message: `PostgreSQL (DATABASE_URL): ${reason}, so nothing can be written. Name the primary in DATABASE_URL.`
    })
  }
  if (!(yield* keepsSessions)) {
    const { detail, fix } = sharedSessions
    return yield* new UnfitDatabase({ message: `PostgreSQL (DATABASE_URL): ${detail}. ${fix}.` })
  }
})
