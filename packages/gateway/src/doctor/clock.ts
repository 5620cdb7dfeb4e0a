import { client } from "@portico/store/Database"
import { Clock, Config, Duration, Effect, Layer, Option } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { SqlClient } from "effect/sql"
import { type Check, failed, ok, skipped, warning } from "./Check.ts"

/** A clock that is off by more makes tokens and signatures invalid, sooner or later. */
const tolerated = Duration.toMillis("30 seconds")
const harmful = Duration.toMillis("5 minutes")

/** An answer that takes longer says too little of the time. */
const patience = Duration.seconds(4)

/** Whose clock is read: the name, and by which setting it is found. */
const servers = [
  ["Keystone", "IAAS_IDENTITY_URL"],
  ["Ceph RGW", "RGW_URL"],
  ["Zitadel", "AUTH_URL"]
] as const

/** How far the own clock is ahead of a remote one, in milliseconds; in the middle of the call. */
const aheadOf = <E, R>(remote: Effect.Effect<number | undefined, E, R>) =>
  Effect.gen(function* () {
    const began = yield* Clock.currentTimeMillis
    const there = yield* Effect.timeoutOption(remote, patience).pipe(
      Effect.map(Option.getOrUndefined),
      Effect.catchCause(() => Effect.undefined)
    )
    const ended = yield* Clock.currentTimeMillis
    return there === undefined || Number.isNaN(there) ? undefined : (began + ended) / 2 - there
  })

/** Any answer has the header, a refusal too. It has whole seconds. */
const dateOf = Effect.fnUntraced(function* (setting: string) {
  const { href } = yield* Config.URL(setting)
  const { headers } = yield* (yield* HttpClient.HttpClient).execute(HttpClientRequest.get(href))
  const date = headers["date"]
  return date === undefined ? undefined : Date.parse(date) + 500
})

const databaseTime = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ readonly now: number }>`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`
).pipe(
  Effect.map((rows) => rows[0]?.now),
  Effect.provide(Layer.fresh(client))
)

const far = (ahead: number): string =>
  `${Duration.format(Duration.seconds(Math.round(Math.abs(ahead) / 1000)))} ${ahead > 0 ? "ahead of" : "behind"}`

/** Compares this machine's clock with those that judge its tokens and signatures. */
export const clock: Check<HttpClient.HttpClient> = {
  name: "clock",
  run: Effect.gen(function* () {
    const sources = [
      ...servers.map(([name, setting]) => ({ name, read: aheadOf(dateOf(setting)) })),
      { name: "PostgreSQL", read: aheadOf(databaseTime) }
    ]
    const read = yield* Effect.forEach(
      sources,
      ({ name, read }) => Effect.map(read, (ahead) => (ahead === undefined ? [] : [{ name, ahead }])),
      { concurrency: "unbounded" }
    )
    const found = read.flat()
    if (found.length === 0) return [skipped("nothing answers with the time")]
    const off = found.filter(({ ahead }) => Math.abs(ahead) > tolerated)
    if (off.length === 0) return [ok(`it agrees with ${found.map(({ name }) => name).join(", ")}`)]
    const detail = `it is ${off.map(({ ahead, name }) => `${far(ahead)} ${name}`).join(", ")}`
    const fix =
      off.length === found.length
        ? "Synchronise this machine's clock (NTP)"
        : `It agrees with the others: synchronise the clock of ${off.map(({ name }) => name).join(", ")}`
    const isHarmful = off.some(({ ahead }) => Math.abs(ahead) > harmful)
    return [isHarmful ? failed(detail, fix) : warning(detail, fix)]
  })
}
