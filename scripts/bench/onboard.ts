import { fixtures } from "@portico/simulator/Fixtures"
import { gatewaySettings } from "@portico/simulator/settings"
import { Effect } from "effect"
import { many } from "./onboard/many.ts"
import { cells, summaryOf } from "./numbers.ts"
import { database, gateway, simulatedCloud } from "./processes.ts"
import { bearer, millis, send, slowDown, unlimited } from "./requests.ts"
import { concluded, type Part, shown } from "./results.ts"

/** Every upstream answers after so many milliseconds. */
const delay = 50
/** The upstream calls that an onboarding makes one after the other: written next to its steps, counted by a test. */
const depth = 7
const parallel = 16
/** Each round onboards 18 tenants, and the simulated external network has addresses for 250 routers. */
const warmUps = 2
const rounds = 10
/** What an onboarding may cost: this many times what its upstream calls take. */
const goal = 1.3

/** The peer: as many requests one after the other as an onboarding has to make, and nothing else. */
const chain = (cloud: string) =>
  Effect.forEach(
    Array.from({ length: depth }),
    () => send("GET", `${cloud}/idp/.well-known/openid-configuration`, 200),
    { discard: true }
  )

const onboardAt = (operator: string) => {
  let count = 0
  return Effect.suspend(() =>
    send("POST", `${operator}/v1/tenants`, 201, {
      headers: bearer(fixtures.idp.operatorToken),
      body: { name: `Bench ${++count}`, tier: "standard" }
    })
  )
}

/**
 * In each round the peer and one onboarding, twice, and then many at once, so
 * that a busy machine disturbs all alike.
 */
const measure = Effect.fnUntraced(function* (cloud: string, operator: string) {
  const peer = millis(chain(cloud))
  const one = millis(onboardAt(operator))
  const pair = Effect.all({ peer, one })
  const many = Effect.map(
    millis(
      Effect.all(
        Array.from({ length: parallel }, () => one),
        { concurrency: "unbounded" }
      )
    ),
    (took) => (parallel / took) * 1000
  )
  const round = Effect.all({ pairs: Effect.replicateEffect(pair, 2), many })
  yield* Effect.replicateEffect(round, warmUps, { discard: true })
  return yield* Effect.replicateEffect(round, rounds)
})

export const onboardBench = Effect.gen(function* () {
  const cloud = yield* simulatedCloud
  const { operator } = yield* gateway({
    ...gatewaySettings(cloud),
    ...unlimited,
    DATABASE_URL: yield* database
  })
  yield* slowDown(cloud, delay)
  const measured = yield* measure(cloud, operator)
  const pairs = measured.flatMap((_) => _.pairs)

  const series = {
    peer_ms: summaryOf(pairs.map((_) => _.peer)),
    one_ms: summaryOf(pairs.map((_) => _.one)),
    one_by_delay: summaryOf(pairs.map((_) => _.one / (depth * delay))),
    one_by_peer: summaryOf(pairs.map((_) => _.one / _.peer)),
    completed_per_second: summaryOf(measured.map((_) => _.many))
  }
  const part = {
    title: `Onboarding, every upstream answering in ${delay} ms, ${rounds} rounds of two and of ${parallel}`,
    rows: [
      ["", "median", "middle half", "least - most"],
      [`${depth} bare requests, ms`, ...cells(series.peer_ms, 1)],
      ["one onboarding, ms", ...cells(series.one_ms, 1)],
      [`  by ${depth} x ${delay} ms`, ...cells(series.one_by_delay, 3)],
      ["  by the bare requests", ...cells(series.one_by_peer, 3)],
      [`${parallel} in parallel, completed a second`, ...cells(series.completed_per_second, 1)]
    ],
    notes: [],
    goals: [{ what: `one, by ${depth} x ${delay} ms`, measured: series.one_by_delay, wanted: { atMost: goal } }],
    numbers: { delay_ms: delay, depth, rounds, parallel, ...series }
  } satisfies Part
  yield* concluded(
    "onboard",
    "Onboarding",
    [yield* shown("onboard", Effect.succeed(part)), yield* shown("many", many)],
    {}
  )
})
