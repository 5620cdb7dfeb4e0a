import { Console, Effect, Schema } from "effect"
import { summaryOf } from "./numbers.ts"
import { askedOf, type Contender, originOn, portico } from "./proxy/contenders.ts"
import { databases, fill } from "./proxy/database.ts"
import { identityOn } from "./proxy/identity.ts"
import { generatorOn, sent } from "./proxy/load.ts"
import { cpuDuring, dividedCpus, words } from "./proxy/machine.ts"
import { paths } from "./proxy/names.ts"
import { freePort, installed, running } from "./proxy/processes.ts"
import { inRounds, seriesOf } from "./proxy/rounds.ts"
import { got, headersOf } from "./proxy/stage.ts"
import { cell, concluded, type Goal, type Part, ratio, shown } from "./results.ts"

const rounds = 5
const seconds = 4
/** As long as V8 takes to compile a gateway. */
const warming = 8

const names = {
  without: "without a limit",
  memory: "counted in memory",
  redis: "counted in Redis"
} as const

class NotCounted extends Schema.TaggedError<NotCounted>()("NotCounted", { message: Schema.String }) {}

/** Undefined where Redis is not installed. */
const redis = Effect.fnUntraced(function* (cpus: string | undefined) {
  const command = yield* installed("redis-server")
  if (command === undefined) return undefined
  const port = yield* freePort
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", "/"]
  const { up } = yield* running({ name: "redis-server", command, args, cpus }, (said) =>
    said.includes("Ready to accept connections") ? `redis://127.0.0.1:${port}` : undefined
  )
  return up
})

/** Whether it counts is seen by its headers: what is measured otherwise is something else. */
const counts = Effect.fnUntraced(function* (contender: Contender, wanted: boolean) {
  const { status } = yield* got(contender.url(paths.show), 0)
  const { headers } = yield* Effect.promise(() => fetch(contender.url(paths.show), { headers: headersOf(0) }))
  if (status === 200 && headers.has("ratelimit-remaining") === wanted) return
  return yield* new NotCounted({ message: `${contender.name}: ${status}, counted is ${!wanted}\n${contender.said()}` })
})

/** Three gateways before one origin, which differ in how they count. */
const staged = Effect.gen(function* () {
  const cpus = yield* dividedCpus
  const database = yield* databases
  const origin = yield* originOn(cpus.load)
  const identity = yield* identityOn(cpus.load)
  const store = yield* redis(cpus.load)
  const variants: ReadonlyArray<readonly [string, Readonly<Record<string, string>>]> = [
    [names.without, { RATE_LIMIT: "false" }],
    [names.memory, {}],
    ...(store === undefined ? [] : ([[names.redis, { REDIS_URL: store }]] as const))
  ]
  const contenders = yield* Effect.forEach(variants, ([name, settings], index) =>
    Effect.gen(function* () {
      const url = yield* database(`bench_limits_${index}`)
      const at = { origin: origin.up, identity, database: url, cpus: cpus.contenders }
      const started = yield* portico({ name, ...at, settings })
      yield* fill(url, 10, 10)
      yield* counts(started, name !== names.without)
      return started
    })
  )
  return { cpus, contenders, generator: yield* generatorOn(cpus.load) }
})

/**
 * What it costs to count calls: a small proxied GET, by gateways that do not
 * count, count in memory, and count in Redis.
 */
export const limitsBench = Effect.gen(function* () {
  const { contenders, cpus, generator } = yield* staged
  yield* Console.log(words(cpus))
  const all = yield* inRounds(contenders, rounds, (contender, warmUp) => {
    const load = { url: contender.url(paths.show), method: "GET", headers: headersOf(0) } as const
    const whole = sent(generator, { ...load, seconds: warmUp ? warming : seconds })
    return Effect.map(cpuDuring(contender.pid, askedOf(contender, whole)), ({ micros, value }) => ({
      ...value,
      cpu: micros / value.requests
    }))
  })
  const part = yield* shown("get", Effect.succeed(partOf(all)))
  yield* concluded("limits", "Counting by not counting, round by round", [part], { machine: words(cpus) })
})

type Measured = Effect.Success<ReturnType<typeof inRounds<Contender, Sample, never, never>>>

interface Sample {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly cpu: number
}

const partOf = (all: Measured): Part => {
  const plain = seriesOf(all, names.without)
  const by = (name: string, of: keyof Sample) =>
    ratio(
      seriesOf(all, name).map((_) => _[of]),
      plain.map((_) => _[of])
    )
  const series = (of: keyof Sample, values: ReadonlyArray<Sample>) => summaryOf(values.map((_) => _[of]))
  const goals: ReadonlyArray<Goal> = [
    {
      what: "requests a second, counted in memory by not counted",
      measured: summaryOf(by(names.memory, "perSecond")),
      wanted: { atLeast: 0.95 }
    }
  ]
  return {
    title: "GET, small JSON, through the proxy",
    rows: [
      ["", "requests/s", "us of CPU each", "p50 ms", "p99 ms"],
      ...all.map(({ contender, values }) => [
        contender.name,
        cell(series("perSecond", values), 0),
        cell(series("cpu", values), 1),
        cell(series("p50", values), 2),
        cell(series("p99", values), 2)
      ])
    ],
    notes: [
      "A median (least - most) of the rounds.",
      ...(all.some((_) => _.contender.name === names.redis) ? [] : ["redis-server is not installed, so not measured."])
    ],
    goals,
    numbers: Object.fromEntries(all.map(({ contender, values }) => [contender.name, values]))
  }
}
