import { gatewaySettings } from "@portico/simulator/settings"
import { Clock, Effect } from "effect"
import { request } from "undici"
import { summaryOf } from "./numbers.ts"
import { database, gatewayProcess, simulatedCloud } from "./processes.ts"
import { onboarded, send, unlimited } from "./requests.ts"
import { cell, concluded, type Part, ratio, shown } from "./results.ts"

const rounds = 9
const seconds = 2
/** Clients of the service that fails, and of the one that is measured. */
const clients = { failing: 16, measured: 4 }
const goal = 1.1

const slow = { delay_ms: 2_000 }
const states = { quiet: [], dead: ["reset"], slow: [slow], flapping: ["reset", undefined] } as const
type State = keyof typeof states
const names: ReadonlyArray<State> = ["quiet", "dead", "slow", "flapping"]

const call = (url: string, headers: Record<string, string>) =>
  Effect.promise(async () => {
    const { body, statusCode } = await request(url, { headers })
    await body.dump()
    return statusCode
  })

/** The latency of calls to one service of the platform, while tenants call another one that fails. */
export const faultsBench = Effect.gen(function* () {
  const cloud = yield* simulatedCloud
  const { up } = yield* gatewayProcess({
    ...gatewaySettings(cloud),
    ...unlimited,
    DATABASE_URL: yield* database
  })
  const { headers } = yield* onboarded(cloud, up.operator, "Bench")
  const failing = `${up.customer}/v1/iaas/compute/servers`
  const measured = `${up.customer}/v1/iaas/network/networks`

  const fault = (as: unknown) =>
    send("POST", `${cloud}/cloud/faults`, 201, {
      body: { service: "nova", method: "GET", path: "**", times: "always", when: "before", as }
    })
  const clear = send("DELETE", `${cloud}/cloud/faults`, 204)

  /** The service fails in this way, in turn with the next one. */
  const failingAs = Effect.fnUntraced(function* (state: State) {
    const ways = states[state]
    for (let turn = 0; ways.length > 0; turn++) {
      yield* clear
      const way = ways[turn % ways.length]
      if (way !== undefined) yield* fault(way)
      if (ways.length === 1) return yield* Effect.never
      yield* Effect.sleep("250 millis")
    }
    return yield* Effect.never
  })

  const latencies = Effect.fnUntraced(function* (until: number) {
    const taken: Array<number> = []
    while ((yield* Clock.currentTimeMillis) < until) {
      const before = performance.now()
      const status = yield* call(measured, headers)
      if (status !== 200) return yield* Effect.die(new Error(`networks are answered ${status}`))
      taken.push(performance.now() - before)
      // As often in every state: what is compared is not how much the others leave.
      yield* Effect.sleep("5 millis")
    }
    return taken
  })

  const round = Effect.fnUntraced(function* (state: State) {
    const until = (yield* Clock.currentTimeMillis) + seconds * 1000
    const others = Effect.forever(Effect.andThen(call(failing, headers), Effect.sleep("20 millis")))
    const pressure = Effect.all([failingAs(state), ...Array.from({ length: clients.failing }, () => others)], {
      concurrency: "unbounded"
    })
    const measuring = Effect.replicateEffect(latencies(until), clients.measured, { concurrency: "unbounded" })
    const all = (yield* Effect.raceFirst(measuring, pressure)).flat().toSorted((a, b) => a - b)
    yield* clear
    return all[Math.ceil(0.99 * all.length) - 1] ?? Number.NaN
  })

  yield* Effect.forEach(names, round, { discard: true })
  const series: Record<State, Array<number>> = { quiet: [], dead: [], slow: [], flapping: [] }
  for (let n = 0; n < rounds; n++) {
    for (const state of [...names.slice(n % names.length), ...names.slice(0, n % names.length)]) {
      series[state].push(yield* round(state))
    }
  }
  const part = {
    title: `Calls to a service beside one that fails, ${rounds} rounds of ${seconds} s`,
    rows: [["the other service is", "p99, ms"], ...names.map((_) => [_, cell(summaryOf(series[_]), 1)])],
    notes: [],
    goals: (["dead", "slow", "flapping"] as const).map((_) => ({
      what: `p99, ${_} by quiet`,
      measured: summaryOf(ratio(series[_], series.quiet)),
      wanted: { atMost: goal }
    })),
    numbers: series
  } satisfies Part
  yield* concluded("faults", "Beside a service that fails", [yield* shown("faults", Effect.succeed(part))], {})
})
