import { fixtures } from "@portico/simulator/Fixtures"
import { gatewaySettings } from "@portico/simulator/settings"
import { Effect } from "effect"
import { sqlAt } from "../proxy/database.ts"
import { summaryOf } from "../numbers.ts"
import { database, gateway, simulatedCloud } from "../processes.ts"
import { bearer, millis, send, slowDown, unlimited } from "../requests.ts"
import { cell, type Part, ratio } from "../results.ts"

/** Every upstream answers after so many milliseconds. */
const delay = 50
const parallel = 8
const warmUps = 1
const rounds = 7
/** The simulated external network has addresses for 250 routers. */
const perRound = 2 * (1 + parallel)
/** An approval makes one login more than an onboarding, after all the rest. */
const goal = 1.2

/** As many signups as are approved, queued. */
const queue = Effect.fnUntraced(function* (url: string, signups: number) {
  const sql = yield* sqlAt(url)
  yield* sql`
      INSERT INTO signups (signup_id, email, org_name, org_key)
      SELECT 'bench-' || n, 'founder' || n || '@bench.example', 'Approved ' || n, 'approved ' || n
      FROM generate_series(0, ${signups - 1}::int) n`
}, Effect.scoped)

/** Onboardings and approvals in turn, one at a time and then many at once. */
export const approvals = Effect.gen(function* () {
  const cloud = yield* simulatedCloud
  const url = yield* database
  const { operator } = yield* gateway({ ...gatewaySettings(cloud), ...unlimited, DATABASE_URL: url })
  yield* queue(url, ((warmUps + rounds) * perRound) / 2)
  yield* slowDown(cloud, delay)
  const headers = bearer(fixtures.idp.operatorToken)
  let names = 0
  let queued = 0
  const onboarding = Effect.suspend(() =>
    send("POST", `${operator}/v1/tenants`, 201, { headers, body: { name: `Onboarded ${names++}`, tier: "discovery" } })
  )
  const approval = Effect.suspend(() =>
    send("POST", `${operator}/v1/signups/bench-${queued++}/approve`, 200, { headers, body: { tier: "discovery" } })
  )
  const many = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    millis(
      Effect.all(
        Array.from({ length: parallel }, () => effect),
        { concurrency: "unbounded", discard: true }
      )
    )
  const round = Effect.all({
    onboarding: millis(onboarding),
    approval: millis(approval),
    onboardings: many(onboarding),
    approvals: many(approval)
  })
  yield* Effect.replicateEffect(round, warmUps, { discard: true })
  const measured = yield* Effect.replicateEffect(round, rounds)

  const series = (read: (round: (typeof measured)[number]) => number) => measured.map(read)
  const [one, approved] = [series((_) => _.onboarding), series((_) => _.approval)]
  const [all, allApproved] = [series((_) => _.onboardings), series((_) => _.approvals)]
  const alone = summaryOf(ratio(approved, one))
  const together = summaryOf(ratio(allApproved, all))
  return {
    title: `An approval by an onboarding, every upstream answering in ${delay} ms, ${rounds} rounds of one and of ${parallel}`,
    rows: [
      ["", "onboarding, ms", "approval, ms"],
      ["one", cell(summaryOf(one), 0), cell(summaryOf(approved), 0)],
      [`${parallel} at once`, cell(summaryOf(all), 0), cell(summaryOf(allApproved), 0)]
    ],
    notes: [],
    goals: [
      { what: "an approval", measured: alone, wanted: { atMost: goal } },
      { what: `${parallel} approvals at once`, measured: together, wanted: { atMost: goal } }
    ],
    numbers: {
      delay_ms: delay,
      onboarding_ms: summaryOf(one),
      approval_ms: summaryOf(approved),
      onboardings_ms: summaryOf(all),
      approvals_ms: summaryOf(allApproved)
    }
  } satisfies Part
})
