import { Effect } from "effect"
import { summaryOf } from "../numbers.ts"
import { askedOf, type Contender, names } from "./contenders.ts"
import { sent } from "./load.ts"
import { cpuDuring } from "./machine.ts"
import { paths } from "./names.ts"
import { cell, type Part, ratio } from "../results.ts"
import { inRounds, seriesOf } from "./rounds.ts"
import { warmed } from "./small.ts"
import { headersOf, type Stage, tenants, tokens } from "./stage.ts"

const two = "Portico with two threads"

/** Small reads through a gateway with two threads beside one with a single one, both on the same CPU. */
export const threads = Effect.fnUntraced(function* (stage: Stage) {
  const { extent, generator, portico } = stage
  const other = yield* stage.gateway(two, { tenants, credentials: tokens + 1 }, { PORTICO_PROCESSES: "2" })
  const round = (contender: Contender, warmUp: boolean) => {
    const load = { url: contender.url(paths.show), method: "GET", headers: headersOf(0) } as const
    const once = (seconds: number) =>
      Effect.map(
        cpuDuring(contender.pid, askedOf(contender, sent(generator, { ...load, seconds }))),
        ({ micros, value }) => ({ ...value, cpu: micros / value.requests })
      )
    return warmUp ? warmed(once(8)) : once(extent.seconds)
  }
  const all = yield* inRounds([portico, other], extent.rounds, round)
  const [one, both] = [names.portico, two].map((_) => seriesOf(all, _))
  const cpu = summaryOf(
    ratio(
      (both ?? []).map((_) => _.cpu),
      (one ?? []).map((_) => _.cpu)
    )
  )
  return {
    title: `GET, one thread and two on one CPU, ${extent.rounds} rounds of ${extent.seconds} s`,
    rows: [
      ["", "requests/s", "CPU, us a request"],
      ...all.map(({ contender, values }) => [
        contender.name,
        cell(summaryOf(values.map((_) => _.perSecond)), 0),
        cell(summaryOf(values.map((_) => _.cpu)), 0)
      ])
    ],
    notes: [],
    goals: [{ what: "CPU a request of two threads by one", measured: cpu, wanted: { atMost: 1.05 } }],
    numbers: { cpu }
  } satisfies Part
})
