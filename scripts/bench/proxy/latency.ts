import { Effect, Schema } from "effect"
import { summaryOf } from "../numbers.ts"
import { cell, type Part, ratio } from "../results.ts"
import { askedOf, type Contender, names } from "./contenders.ts"
import { sent } from "./load.ts"
import { cpuDuring } from "./machine.ts"
import { paths } from "./names.ts"
import { onNode, outputOf, ProcessFailed } from "./processes.ts"
import { inRounds, seriesOf } from "./rounds.ts"
import { headersOf, type Stage } from "./stage.ts"

/** The share of what `@fastify/http-proxy` answers at most. */
const share = 0.7
/** More than are busy at that rate. */
const connections = 64
const warming = 8

const Line = Schema.fromJsonString(
  Schema.Struct({
    requests: Schema.Finite,
    p50_ms: Schema.Finite,
    p99_ms: Schema.Finite,
    p999_ms: Schema.Finite,
    failed: Schema.Finite
  })
)

/** Requests at a fixed rate; their latencies from the moment at which each was to be sent. */
const paced = Effect.fnUntraced(function* (
  { cpus, portico }: Stage,
  contender: Contender,
  rate: number,
  seconds: number
) {
  const url = contender.url(paths.show)
  const options = { url, headers: headersOf(0), rate, seconds, connections }
  const program = onNode("scripts/bench/proxy/programs/openLoop.ts", [JSON.stringify(options)])
  const said = yield* outputOf({ name: `the open loop to ${contender.name}`, cpus: cpus.load, ...program })
  const line = yield* Schema.decodeUnknownEffect(Line)(said.trim().split("\n").at(-1))
  if (line.failed === 0) return line
  const what = `saw ${line.failed} requests fail at ${rate.toFixed(0)} a second`
  return yield* new ProcessFailed({ program: "the open loop", what, said: `${said}\n${portico.said()}` })
})

/**
 * Latencies at a load that both proxies can answer, in an open loop: a
 * contender that falls behind is not spared the requests that it delays.
 */
export const latencies = Effect.fnUntraced(function* (stage: Stage) {
  const { extent, generator, peers, portico } = stage
  const contenders = [portico, ...peers.filter((_) => _.name === names.fastify || _.name === names.bare)]
  const rates = yield* inRounds(
    peers.filter((_) => _.name === names.fastify),
    3,
    (contender, warmUp) =>
      Effect.map(
        askedOf(
          contender,
          sent(generator, {
            url: contender.url(paths.show),
            method: "GET",
            headers: headersOf(0),
            seconds: warmUp ? warming : extent.seconds
          })
        ),
        (_) => _.perSecond
      )
  )
  const rate = share * summaryOf(seriesOf(rates, names.fastify)).median

  const measured = yield* inRounds(contenders, extent.rounds, (contender, warmUp) =>
    Effect.map(
      cpuDuring(contender.pid, askedOf(contender, paced(stage, contender, rate, warmUp ? warming : extent.seconds))),
      ({ micros, value }) => ({
        p50: value.p50_ms,
        p99: value.p99_ms,
        p999: value.p999_ms,
        cpu: micros / value.requests
      })
    )
  )
  type Column = "p50" | "p99" | "p999" | "cpu"
  const of = (name: string, what: Column) => seriesOf(measured, name).map((_) => _[what])
  const byFastify = (what: Column) => summaryOf(ratio(of(names.portico, what), of(names.fastify, what)))
  const [p99, p999] = [byFastify("p99"), byFastify("p999")]
  const columns = ["p50", "p99", "p999", "cpu"] as const
  return {
    title: `GET at ${rate.toFixed(0)} a second, 0.7 of what ${names.fastify} answers, ${extent.rounds} rounds of ${extent.seconds} s`,
    rows: [
      ["", "p50, ms", "p99, ms", "p99.9, ms", "CPU, us a request"],
      ...measured.map(({ contender: { name } }) => [
        name,
        ...columns.map((_) => cell(summaryOf(of(name, _)), _ === "cpu" ? 0 : 2))
      ]),
      [`${names.portico} by ${names.fastify}`, ...columns.map((_) => cell(byFastify(_), 2))]
    ],
    notes: ["An open loop, measured from the moment at which each request was to be sent."],
    goals: [
      { what: `p99 by ${names.fastify} in an open loop`, measured: p99, wanted: { atMost: 1.1 } },
      { what: `p99.9 by ${names.fastify} in an open loop`, measured: p999, wanted: { atMost: 1.1 } }
    ],
    numbers: {
      rate,
      contenders: measured.map(({ contender: { name } }) => ({
        name,
        ...Object.fromEntries(columns.map((_) => [_, summaryOf(of(name, _))]))
      })),
      p99_by_fastify: p99,
      p999_by_fastify: p999
    }
  } satisfies Part
})
