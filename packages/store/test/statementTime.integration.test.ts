import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { processTable } from "@portico/testing/processTable"
import { Cause, Duration, Effect, Exit, Fiber, FileSystem, Latch, Layer, Logger, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { StatementTime } from "../src/client/inTime.ts"
import * as PostgresClient from "../src/client/PostgresClient.ts"
import { SessionPlace } from "../src/client/SessionPlace.ts"
import { EmbeddedPostgres } from "../src/EmbeddedPostgres.ts"
import { PgClient } from "@effect/sql-pg"

const statementTime = Duration.seconds(1)

/** A server of its own, because it is frozen. */
const servers = Layer.unwrap(
  Effect.map(
    Effect.flatMap(FileSystem.FileSystem, (_) => _.makeTempDirectoryScoped({ prefix: "portico-frozen-test-" })),
    (dataDir) => EmbeddedPostgres.layer({ dataDir, durable: false })
  )
)

const client = (maxConnections: number) =>
  Layer.fresh(
    Layer.unwrap(
      Effect.map(EmbeddedPostgres, ({ url }) => PostgresClient.layer({ url, maxConnections, statementTime }))
    )
  )

const postmaster = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ pid: number }>`SELECT split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int AS pid`
  return row?.pid ?? 0
})

const signalled = (pid: number, signal: NodeJS.Signals) =>
  Effect.sync(() => {
    for (const one of processTable()) {
      if (one.pid === pid || one.parent === pid) process.kill(one.pid, signal)
    }
  })

/** PostgreSQL stands still meanwhile, as on a volume that stalls; its sockets stay open. */
const frozen = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(postmaster, (pid) =>
    Effect.acquireUseRelease(
      signalled(pid, "SIGSTOP"),
      () => effect,
      () => signalled(pid, "SIGCONT")
    )
  )

const messageOf = (exit: Exit.Exit<unknown, unknown>): string =>
  Exit.isSuccess(exit) ? "success" : Cause.pretty(exit.cause)

const locked = <A, E, R>(table: string, effect: Effect.Effect<A, E, R>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { url } = yield* EmbeddedPostgres
      const other = yield* Layer.build(Layer.fresh(PgClient.layer({ url })))
      const holding = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql.withTransaction(Effect.andThen(sql`LOCK TABLE ${sql(table)}`, effect))
      })
      yield* Effect.provide(holding, other)
    })
  )

const sleeping = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep'`
  return rows.length > 0
})

const waitingAtServer = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'`
  return rows.length
})

layer(Layer.provideMerge(servers, Layer.merge(NodeServices.layer, Logger.layer([]))), { excludeTestServices: true })(
  "a PostgreSQL that does not answer",
  (it) => {
    it.effect("ends statements, transactions and waits in their time, and works as soon as it answers", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`SELECT 1`
        const calls = [
          sql`SELECT 1`,
          sql.withTransaction(sql`SELECT 1`),
          Effect.uninterruptible(sql`SELECT 1`),
          ...Array.from({ length: 5 }, () => sql`SELECT 1`)
        ]
        yield* frozen(
          Effect.gen(function* () {
            const ended = yield* Effect.forEach(calls, Effect.exit, { concurrency: "unbounded" })
            for (const exit of ended) assert.include(messageOf(exit), "PostgreSQL has not answered within 1s")
            // Nothing waits again for what is known not to answer, and that is known before the driver gives up.
            for (const _ of [1, 2, 3]) {
              assert.include(messageOf(yield* Effect.exit(sql`SELECT 1`)), "PostgreSQL does not answer")
            }
          })
        )
        yield* Effect.retry(sql`SELECT 1`, { schedule: Schedule.spaced("20 millis") })
      }).pipe(Effect.provide(client(4)))
    )

    it.effect("is detected by a client that has no session yet", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const pid = yield* Effect.provide(postmaster, client(1))
        const patient = Effect.exit(Effect.provideService(sql`SELECT 1`, StatementTime, Duration.minutes(1)))
        yield* signalled(pid, "SIGSTOP")
        yield* Effect.ensuring(
          Effect.gen(function* () {
            assert.include(messageOf(yield* patient), "Connection timed out")
            assert.include(messageOf(yield* patient), "PostgreSQL does not answer")
          }),
          signalled(pid, "SIGCONT")
        )
        yield* Effect.retry(sql`SELECT 1`, { schedule: Schedule.spaced("20 millis") })
      }).pipe(Effect.provide(client(3)))
    )

    it.effect("ends a commit with an unknown outcome, and does not reuse its session", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE IF NOT EXISTS written (value int)`
        const pid = yield* postmaster
        const writing = sql.withTransaction(
          Effect.andThen(sql`INSERT INTO written VALUES (1)`, signalled(pid, "SIGSTOP"))
        )
        // It goes on again only when the writing has ended.
        const exit = yield* Effect.ensuring(Effect.exit(writing), signalled(pid, "SIGCONT"))
        assert.include(messageOf(exit), "PostgreSQL has not answered")
        const counts = Effect.retry(sql<{ count: number }>`SELECT count(*)::int AS count FROM written`, {
          schedule: Schedule.spaced("20 millis")
        })
        assert.oneOf((yield* counts)[0]?.count, [0, 1])
        const alive = yield* Effect.forEach([1, 2, 3, 4, 5], (_) => sql<{ n: number }>`SELECT ${_}::int AS n`, {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(
          alive.map(([row]) => row?.n),
          [1, 2, 3, 4, 5]
        )
      }).pipe(Effect.provide(client(3)))
    )

    it.effect("does not keep a process from exiting", () =>
      Effect.gen(function* () {
        const scope = yield* Effect.scope
        const closing = Effect.scoped(
          Effect.gen(function* () {
            const services = yield* Layer.build(client(4))
            yield* Effect.provide(
              Effect.gen(function* () {
                const pg = yield* PgClient.PgClient
                yield* pg.listen("changes")
                const pid = yield* postmaster
                yield* Effect.forkIn(
                  Effect.provideService(Effect.exit(pg`SELECT pg_sleep(3600)`), StatementTime, Duration.hours(1)),
                  scope
                )
                yield* Effect.repeat(sleeping, { until: (_) => _ })
                yield* signalled(pid, "SIGSTOP")
                yield* Effect.addFinalizer(() => Effect.void)
                return pid
              }),
              services
            )
          })
        )
        const pid = yield* Effect.provide(postmaster, client(1))
        const exit = yield* Effect.ensuring(Effect.exit(closing), signalled(pid, "SIGCONT"))
        assert.strictEqual(messageOf(exit), "success")
      })
    )
  }
)

layer(Layer.provideMerge(servers, Layer.merge(NodeServices.layer, Logger.layer([]))), { excludeTestServices: true })(
  "a statement that waits for a lock",
  (it) => {
    it.effect("is ended at the server too, and its session is reused", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE busy (value int)`
        const [before] = yield* sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`
        yield* locked(
          "busy",
          Effect.gen(function* () {
            const alone = yield* Effect.exit(sql`SELECT * FROM busy`)
            assert.include(messageOf(alone), "PostgreSQL has not answered")
            const inTransaction = yield* Effect.exit(sql.withTransaction(sql`SELECT * FROM busy`))
            assert.include(messageOf(inTransaction), "PostgreSQL has not answered")
            assert.strictEqual(yield* waitingAtServer, 0)
          })
        )
        const [after] = yield* sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`
        assert.strictEqual(after?.pid, before?.pid)
      }).pipe(Effect.provide(client(1)))
    )

    it.effect("may take as long as its job's time limit", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const slow = Effect.exit(sql`SELECT pg_sleep(1.5)`)
        assert.isTrue(Exit.isFailure(yield* slow))
        assert.isTrue(Exit.isSuccess(yield* Effect.provideService(slow, StatementTime, Duration.minutes(1))))
      }).pipe(Effect.provide(client(1)))
    )

    it.effect("waits for a slot before it takes a session, and returns it when it ends", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        let taken = 0
        const one = Effect.provideService(sql`SELECT 1`, SessionPlace, (go) => {
          taken += 1
          go()
          return () => void (taken -= 1)
        })
        yield* one
        assert.strictEqual(taken, 0)
        const none = yield* Effect.exit(
          Effect.provideService(sql`SELECT 1`, SessionPlace, (_, refuse) => {
            refuse()
            return () => {}
          })
        )
        assert.include(messageOf(none), "no session of PostgreSQL became free in time")
        const asked = yield* Latch.make()
        const waiting = yield* Effect.forkChild(
          Effect.provideService(sql`SELECT 1`, SessionPlace, () => {
            asked.openUnsafe()
            return () => void (taken = -1)
          })
        )
        yield* asked.await
        yield* Fiber.interrupt(waiting)
        assert.strictEqual(taken, -1)
      }).pipe(Effect.provide(client(1)))
    )
  }
)
