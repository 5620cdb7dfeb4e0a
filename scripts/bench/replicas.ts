import { gatewaySettings } from "@portico/simulator/settings"
import { Clock, Effect, Schema } from "effect"
import { request } from "undici"
import { summaryOf } from "./numbers.ts"
import { database, gatewayProcess, simulatedCloud } from "./processes.ts"
import { bearer, onboarded, send, unlimited } from "./requests.ts"
import { cell, concluded, type Part, shown } from "./results.ts"

const replicas = 8
const warmUps = 3
const revocations = 40
/** Milliseconds until all replicas but one in a hundred refuse. */
const goal = 250

const mintedOf = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Struct({ credential_id: Schema.String, pat: Schema.String }))
)

const statusOf = (url: string, headers: Record<string, string>) =>
  Effect.promise(async () => {
    const { body, statusCode } = await request(`${url}/v1/whoami`, { headers })
    await body.dump()
    return statusCode
  })

/**
 * How long other replicas take a credential for valid after the answer of its revocation. All are asked as fast as they
 * answer, which is the full load of this machine.
 */
export const replicasBench = Effect.gen(function* () {
  const cloud = yield* simulatedCloud
  const settings = { ...gatewaySettings(cloud), ...unlimited, DATABASE_URL: yield* database, DATABASE_CONNECTIONS: "5" }
  const first = (yield* gatewayProcess(settings)).up
  const others = yield* Effect.replicateEffect(
    Effect.map(gatewayProcess(settings), (_) => _.up.customer),
    replicas - 1
  )
  const { headers } = yield* onboarded(cloud, first.operator, "Bench")

  const revocation = Effect.gen(function* () {
    const { credential_id, pat } = yield* Effect.flatMap(
      send("POST", `${first.customer}/v1/credentials`, 201, {
        headers,
        body: { kind: "api-key", tier: 0, label: "bench" }
      }),
      mintedOf
    )
    // Every replica has it in its cache.
    for (const url of others) {
      const status = yield* statusOf(url, bearer(pat))
      if (status !== 200) return yield* Effect.die(new Error(`a new credential is answered ${status}`))
    }
    let asked = 0
    let answered = Number.NaN
    const refusedBy = (url: string) =>
      Effect.gen(function* () {
        while ((yield* statusOf(url, bearer(pat))) === 200) asked++
        return yield* Clock.currentTimeMillis
      })
    const [, ...ends] = yield* Effect.all(
      [
        Effect.gen(function* () {
          yield* Effect.sleep("200 millis")
          yield* send("DELETE", `${first.customer}/v1/credentials/${credential_id}`, 200, { headers })
          answered = yield* Clock.currentTimeMillis
          return answered
        }),
        ...others.map(refusedBy)
      ],
      { concurrency: "unbounded" }
    )
    return { millis: ends.map((_) => Math.max(0, _ - answered)), asked }
  })

  yield* Effect.replicateEffect(revocation, warmUps, { discard: true })
  const measured = yield* Effect.replicateEffect(revocation, revocations)
  const all = measured.flatMap((_) => _.millis).toSorted((a, b) => a - b)
  const p99 = all[Math.ceil(0.99 * all.length) - 1] ?? Number.NaN
  const part = {
    title: `A revocation as ${replicas - 1} other replicas see it, ${revocations} times`,
    rows: [
      ["", "ms"],
      ["after the answer, median (least - most)", cell(summaryOf(all), 0)],
      ["p99", String(p99)],
      ["requests meanwhile", String(measured.reduce((sum, _) => sum + _.asked, 0))]
    ],
    notes: ["A replica that refuses before the answer counts as 0."],
    goals: [{ what: "p99, ms", measured: summaryOf([p99]), wanted: { atMost: goal } }],
    numbers: { replicas, all }
  } satisfies Part
  yield* concluded("replicas", "Revocation across replicas", [yield* shown("replicas", Effect.succeed(part))], {})
})
