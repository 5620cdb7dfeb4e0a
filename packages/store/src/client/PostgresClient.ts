import { PgClient } from "@effect/sql-pg"
import { Config, type Duration, Effect, Predicate, Scope, Stream } from "effect"
import { SqlClient, type SqlConnection, SqlError } from "effect/sql"
import { confirmTime, inTime, unanswered, within } from "./inTime.ts"
import { takePlace } from "./SessionPlace.ts"
import { silenceOf } from "./Silence.ts"

export interface Options extends PgClient.PgPoolConfig {
  /** How long a statement may take, the wait for its session included. */
  readonly statementTime: Duration.Duration
}

/**
 * The client of `@effect/sql-pg`, with a bound on everything that waits for the server: a lone statement with the wait for
 * its session, the start of a transaction, each statement of it, its end, and the start and the end of a listener. A
 * statement that PostgreSQL has not answered in time is a `ConnectionError`, as one whose connection was lost: it may have
 * been done.
 *
 * As soon as a statement got no answer and its cancellation none either, or a login none, everything that asks for a session fails at
 * once, until the server answers again. Otherwise an operation that undoes what it did and releases what it held would
 * wait for each of these statements anew.
 */
export const make = Effect.fnUntraced(function* ({ statementTime, ...options }: Options) {
  const pg = yield* closedInTime(PgClient.make(options))
  const silence = yield* silenceOf(options)
  const bounded = inTime(statementTime, silence.begin)
  const reserved = Effect.tapError(pg.reserve, (error) =>
    isConnectTimeout(error) ? Effect.sync(silence.begin) : Effect.void
  )
  const session = silence.refused.pipe(Effect.andThen(takePlace), Effect.andThen(reserved))
  const held = Effect.map(
    Effect.flatMap(Effect.scope, (scope) => bounded(Scope.provide(session, scope))),
    (_) => boundedConnection(_, statementTime, silence.begin)
  )
  const client = yield* SqlClient.make({
    acquirer: held,
    borrower: (use) => bounded(Effect.scoped(Effect.flatMap(session, use))),
    transactionAcquirer: held,
    compiler: PgClient.makeCompiler(),
    driver: "pg",
    prepareTransactionControls: true,
    commit,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    spanAttributes: [["db.system.name", "postgresql"]]
  })
  const own: Omit<PgClient.PgClient, keyof SqlClient.SqlClient> = {
    [PgClient.TypeId]: PgClient.TypeId,
    config: pg.config,
    json: pg.json,
    listen: (channel) => closedInTime(Effect.andThen(silence.refused, pg.listen(channel)), bounded),
    notify: (channel, payload) => bounded(Effect.andThen(silence.refused, pg.notify(channel, payload)))
  }
  return Object.assign(client, own)
})

/** {@link make} as a layer, from settings. */
export const layerConfig = (options: Config.Wrap<Options>) =>
  PgClient.layerFrom(Effect.flatMap(Config.unwrap(options), make))

export const layer = (options: Options) => PgClient.layerFrom(make(options))

/**
 * Acquires a resource, and releases it with the scope; of a release that the server does not answer, nothing is awaited
 * any more after some time.
 */
const closedInTime = <A, E, R>(
  acquire: Effect.Effect<A, E, R>,
  bounded: <B, F, S>(work: Effect.Effect<B, F, S>) => Effect.Effect<B, F | SqlError.SqlError, S> = (work) => work
) =>
  Effect.flatMap(
    Effect.acquireRelease(Scope.make(), (scope, exit) => Effect.ignore(within(confirmTime)(Scope.close(scope, exit)))),
    (scope) => bounded(Scope.provide(acquire, scope))
  )

/**
 * A connection that belongs to one transaction. After a statement whose end nobody confirmed the connection is lost, and
 * the rollback is not tried: releasing it closes the session.
 */
const boundedConnection = (
  connection: SqlConnection.Connection,
  statementTime: Duration.Duration,
  unconfirmed: () => void
): SqlConnection.Connection => {
  let isLost = false
  const bounded = inTime(statementTime, () => {
    isLost = true
    unconfirmed()
  })
  const answered = <A>(work: Effect.Effect<A, SqlError.SqlError>) =>
    Effect.suspend(() => (isLost ? Effect.fail(unanswered("execute", "the session is lost")) : bounded(work)))
  return {
    execute: (...args) => answered(connection.execute(...args)),
    executeRaw: (...args) => answered(connection.executeRaw(...args)),
    executeValues: (...args) => answered(connection.executeValues(...args)),
    executeValuesUnprepared: (...args) => answered(connection.executeValuesUnprepared(...args)),
    executeUnprepared: (...args) => answered(connection.executeUnprepared(...args)),
    executeStream: () => Stream.die(new Error("a stream of rows has no bound: read pages"))
  }
}

/** That nobody answered a login. The driver has no other word for it. */
const isConnectTimeout = ({ reason }: SqlError.SqlError): boolean =>
  reason._tag === "ConnectionError" && reason.message === "PgConnection: Connection timed out"

/** PostgreSQL answers the COMMIT of an aborted transaction with ROLLBACK, and with no error. */
const commit = (connection: SqlConnection.Connection): Effect.Effect<void, SqlError.SqlError> =>
  Effect.flatMap(connection.executeRaw("COMMIT", []), (result) =>
    Predicate.hasProperty(result, "command") && result.command === "ROLLBACK" ? Effect.fail(rolledBack) : Effect.void
  )

const rolledBack = new SqlError.SqlError({
  reason: new SqlError.UnknownError({
    cause: new Error("COMMIT rolled back an aborted transaction"),
    message: "COMMIT rolled back an aborted transaction",
    operation: "commit"
  })
})
