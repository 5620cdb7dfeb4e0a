import { fixtures } from "@portico/simulator/Fixtures"
import { gatewaySettings } from "@portico/simulator/settings"
import { Effect, Schema } from "effect"
import { request } from "undici"
import { summaryOf } from "../numbers.ts"
import { gatewayProcess, simulatedCloud } from "../processes.ts"
import { databases, sqlAt } from "../proxy/database.ts"
import { cpuDuring } from "../proxy/machine.ts"
import { bearer, millis, send, unlimited } from "../requests.ts"
import { cell, type Part, ratio } from "../results.ts"

const sizes = { few: 10, many: 10_000 }
const warmUps = 3
const rounds = 15
/** Onboardings a round, one after the other. */
const perRound = 3
const goal = 1.1

const created = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Struct({ project: Schema.Struct({ id: Schema.String }) }))
)

/** A token of the gateway's own identity on the platform. */
const tokenAt = (cloud: string) =>
  Effect.promise(async () => {
    const user = { name: fixtures.control.name, password: fixtures.control.password, domain: { id: "default" } }
    const { body, headers } = await request(`${cloud}/identity/v3/auth/tokens`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        auth: {
          identity: { methods: ["password"], password: { user } },
          scope: { project: { name: "admin", domain: { id: "default" } } }
        }
      })
    })
    await body.dump()
    return String(headers["x-subject-token"])
  })

/** Tenants as onboardings leave them, in the table and on the platform, as far as admission looks at them. */
const filled = Effect.fnUntraced(function* (cloud: string, url: string, tenants: number) {
  const token = yield* tokenAt(cloud)
  const ids = yield* Effect.forEach(
    Array.from({ length: tenants }, (_, n) => n),
    (n) =>
      send("POST", `${cloud}/identity/v3/projects`, 201, {
        headers: { "x-auth-token": token },
        body: { project: { name: `bench-${n}`, domain_id: "default", tags: ["tier:discovery"] } }
      }).pipe(
        Effect.flatMap(created),
        Effect.map((_) => _.project.id)
      ),
    { concurrency: 8 }
  )
  const sql = yield* sqlAt(url)
  yield* sql`
      INSERT INTO tenants (project_id, slug, name, tier, stamp)
      SELECT id, 'bench-' || n, 'Bench ' || n, 'discovery', 'portico-attempt:bench-' || n
      FROM unnest(${ids}::text[]) WITH ORDINALITY AS made (id, n)`
  yield* sql`VACUUM ANALYZE tenants`
}, Effect.scoped)

/** A gateway of its own, before a cloud and a store with so many tenants. */
const stageOf = Effect.fnUntraced(function* (tenants: number, url: string) {
  const cloud = yield* simulatedCloud
  const { pid, up } = yield* gatewayProcess({ ...gatewaySettings(cloud), ...unlimited, DATABASE_URL: url })
  yield* filled(cloud, url, tenants)
  let count = 0
  const onboarding = Effect.suspend(() =>
    send("POST", `${up.operator}/v1/tenants`, 201, {
      headers: bearer(fixtures.idp.operatorToken),
      body: { name: `Measured ${count++}`, tier: "discovery" }
    })
  )
  return Effect.gen(function* () {
    const { micros, value } = yield* cpuDuring(
      pid,
      Effect.replicateEffect(Effect.andThen(onboarding, Effect.void).pipe(millis), perRound)
    )
    return { millis: summaryOf(value).median, cpu: micros / 1000 / perRound }
  })
})

/** Whether an onboarding costs more where many tenants have been onboarded. */
export const many = Effect.gen(function* () {
  const database = yield* databases
  const few = yield* stageOf(sizes.few, yield* database("bench_few"))
  const lots = yield* stageOf(sizes.many, yield* database("bench_many"))
  yield* Effect.replicateEffect(Effect.all([few, lots]), warmUps, { discard: true })
  const measured = yield* Effect.forEach(Array.from({ length: rounds }), (_, round) =>
    round % 2 === 0
      ? Effect.all({ few, lots })
      : Effect.map(Effect.all({ lots, few }), (both) => ({ few: both.few, lots: both.lots }))
  )
  const series = (of: (_: (typeof measured)[number]) => number) => measured.map(of)
  const [fewMillis, lotsMillis] = [series((_) => _.few.millis), series((_) => _.lots.millis)]
  const [fewCpu, lotsCpu] = [series((_) => _.few.cpu), series((_) => _.lots.cpu)]
  return {
    title: `Onboarding with ${sizes.many} tenants by ${sizes.few}, ${rounds} rounds of ${perRound}`,
    rows: [
      ["", `${sizes.few} tenants`, `${sizes.many} tenants`],
      ["ms", cell(summaryOf(fewMillis), 1), cell(summaryOf(lotsMillis), 1)],
      ["ms of the gateway's CPU", cell(summaryOf(fewCpu), 1), cell(summaryOf(lotsCpu), 1)]
    ],
    notes: ["The upstreams answer at once here, so that what admission takes is not hidden behind them."],
    goals: [
      { what: "time, many by few", measured: summaryOf(ratio(lotsMillis, fewMillis)), wanted: { atMost: goal } },
      { what: "CPU, many by few", measured: summaryOf(ratio(lotsCpu, fewCpu)), wanted: { atMost: goal } }
    ],
    numbers: { ...sizes, rounds: measured }
  } satisfies Part
})
