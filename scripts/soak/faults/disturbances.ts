import { Effect, FileSystem } from "effect"
import type { Evidence } from "../evidence.ts"
import type { SeededRandom } from "../random.ts"
import type { Replica } from "../stage/replica.ts"
import type { Stage } from "../stage/stage.ts"

/** Something that is done to the whole system; ends when it is over. */
export type Disturbing = Effect.Effect<void, unknown, FileSystem.FileSystem>

/** Each kind of disturbance by its name, which `--without` leaves out. */
export const disturbances = (
  stage: Omit<Stage, "replicas"> & { readonly replicas: ReadonlyArray<Replica> },
  evidence: Evidence,
  random: SeededRandom
): Readonly<Record<string, Disturbing>> => {
  const { certificate, clockFile, database, hasClock, replicas } = stage
  const during = <E, R>(kind: string, what: string, effect: Effect.Effect<unknown, E, R>) =>
    Effect.suspend(() => {
      const done = evidence.disturb(kind, what)
      return Effect.ensuring(Effect.asVoid(effect), Effect.sync(done))
    })
  const one = () => random.pick(replicas)

  const kill = Effect.suspend(() => {
    const replica = one()
    const away = random.int(100, 3_000)
    return during("kill -9", replica.process(), Effect.andThen(replica.kill, Effect.delay(replica.start, away)))
  })

  const upgrade = during(
    "upgrade",
    "both replicas, one by one",
    Effect.forEach(replicas, (_) => Effect.andThen(_.stop, _.start), { discard: true })
  )

  const restart = during("postgres restart", "regular", database.restart)
  const crash = during("postgres crash", "kill -9 of the server", database.crash)

  const disk: Disturbing = database.isLimited
    ? Effect.gen(function* () {
        const done = evidence.disturb("full disk", "the file system of the database")
        yield* database.fill
        yield* Effect.sleep(random.int(3_000, 8_000))
        const how = yield* database.free
        done()
        evidence.disturb("full disk freed", how)()
      })
    : Effect.void

  const clock: Disturbing = hasClock
    ? Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const step = random.pick([-90, -20, 20, 90])
        const done = evidence.disturb("clock step", `replica b by ${step} s`)
        yield* fs.writeFileString(clockFile, `${step < 0 ? "" : "+"}${step}\n`)
        yield* Effect.sleep(random.int(5_000, 12_000))
        yield* fs.writeFileString(clockFile, "+0\n")
        yield* Effect.sleep("1500 millis")
        done()
      })
    : Effect.void

  const notify = during(
    "lost NOTIFY",
    "the sessions that listen",
    database.sql`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND query ILIKE 'LISTEN%' AND pid <> pg_backend_pid()`
  )

  const sessions = during(
    "lost sessions",
    "all of the gateways'",
    database.sql`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'portico'`
  )

  const renewal = during("TLS renewal", "both planes", Effect.andThen(certificate.renewed, Effect.sleep("11 seconds")))

  return {
    kill,
    notify,
    renewal,
    restart,
    upgrade,
    disk,
    sessions,
    clock,
    crash
  }
}

/** The least time between two disturbances: so long after its return, what a process holds is in the database. */
const pause = 10_000

/**
 * One disturbance after the other, in an order that is drawn anew each time all were there. Upstream faults go on
 * meanwhile. A process is killed only while the database has been there for a while: what it holds of answered calls is
 * in the log by then, so that nothing may be missing later.
 */
export const disturbed = Effect.fnUntraced(function* (
  all: Readonly<Record<string, Disturbing>>,
  random: SeededRandom,
  without: ReadonlySet<string>,
  evidence: Evidence
) {
  const names = Object.keys(all).filter((_) => !without.has(_))
  if (names.length === 0) return
  while (true) {
    const rest = [...names]
    while (rest.length > 0) {
      const [name = ""] = rest.splice(random.int(0, rest.length - 1), 1)
      yield* Effect.sleep(pause + random.int(0, 6_000))
      // Whole, also when the time is over: half a disturbance is a disk that stays full.
      const exit = yield* Effect.exit(Effect.uninterruptible(all[name] ?? Effect.void))
      if (exit._tag === "Failure") evidence.complaints.push(`the disturbance ${name} broke: ${String(exit.cause)}`)
    }
  }
})
