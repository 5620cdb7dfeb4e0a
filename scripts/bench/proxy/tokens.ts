import { Duration, Effect, FileSystem } from "effect"
import { join } from "node:path"
import { summaryOf } from "../numbers.ts"
import { askedOf } from "./contenders.ts"
import { countsOf } from "./identity.ts"
import { connections, sent } from "./load.ts"
import { paths, tokenOf } from "./names.ts"
import { cpuDuring } from "./machine.ts"
import { cell, type Part, ratio } from "../results.ts"
import { inRounds, seriesOf } from "./rounds.ts"
import { got, headersOf, type Stage, tenants, tokens } from "./stage.ts"

/** As the generator is told them: one token, or all in turn. */
const one = { name: "one token", count: 1 }
const many = { name: `${tokens} tokens of ${tenants} tenants`, count: tokens }

/** Rounds that are over well within the minute for which Portico keeps what it knows of a token. */
const together = 3
/** Seconds after which everything about a token is asked again. */
const kept = 61

/** Everything that {@link manyTokens} counts of the identity provider, and what the gateway spent. */
interface Warming {
  readonly seconds: number
  readonly introspections: number
  readonly logins: number
  /** Microseconds of CPU for the first request of a token. */
  readonly cpu: number
}

/**
 * Many callers against one. What Portico keeps of a token it keeps for a
 * minute, so all tokens are introspected anew after every few rounds, and none
 * during a round.
 */
export const manyTokens = Effect.fnUntraced(function* (stage: Stage) {
  const { directory, extent, generator, identity, portico } = stage
  const fs = yield* FileSystem.FileSystem
  const url = portico.url(paths.show)
  const seconds = Math.min(extent.seconds, 3)
  const file = (count: number) => join(directory, `tokens-${count}`)
  for (const { count } of [one, many]) {
    yield* fs.writeFileString(file(count), Array.from({ length: count }, (_, _number) => tokenOf(_number)).join("\n"))
  }

  const warmed = Effect.gen(function* () {
    const before = yield* countsOf(identity)
    const each = Effect.forEach(Array.from({ length: tokens }).keys(), (token) => got(url, token), {
      concurrency: 32,
      discard: true
    })
    const { micros, value } = yield* cpuDuring(portico.pid, Effect.timed(each))
    const after = yield* countsOf(identity)
    return {
      seconds: Duration.toSeconds(value[0]),
      introspections: after.introspections - before.introspections,
      logins: after.logins - before.logins,
      cpu: micros / tokens
    } satisfies Warming
  })

  const round = ({ count }: typeof one, warmUp: boolean) =>
    Effect.map(
      cpuDuring(
        portico.pid,
        askedOf(
          portico,
          sent(generator, {
            url,
            method: "GET",
            headers: headersOf(0),
            seconds: warmUp ? 1 : seconds,
            tokensFile: file(count)
          })
        )
      ),
      ({ micros, value }) => ({ perSecond: value.perSecond, cpu: micros / value.requests })
    )

  const samples = { one: Array<Sample>(), many: Array<Sample>() }
  const warmings: Array<Warming> = []
  let introspections = 0
  let logins = 0
  while (samples.one.length < extent.rounds) {
    // Also at first: some tokens are known from before, and would be asked for again in a round.
    yield* Effect.sleep(Duration.seconds(kept))
    warmings.push(yield* warmed)
    const before = yield* countsOf(identity)
    const rounds = Math.min(together, extent.rounds - samples.one.length)
    const measured = yield* inRounds([one, many], rounds, round)
    const after = yield* countsOf(identity)
    introspections += after.introspections - before.introspections
    logins += after.logins - before.logins
    samples.one.push(...seriesOf(measured, one.name))
    samples.many.push(...seriesOf(measured, many.name))
  }

  const of = (what: keyof Sample) => {
    const [ones, others] = [samples.one.map((_) => _[what]), samples.many.map((_) => _[what])]
    return { one: summaryOf(ones), many: summaryOf(others), compared: summaryOf(ratio(others, ones)) }
  }
  const [rates, cpu] = [of("perSecond"), of("cpu")]
  const first = summaryOf(warmings.map((_) => _.cpu))
  return {
    title: `GET, many tokens, ${connections} connections, ${extent.rounds} rounds of ${seconds} s`,
    rows: [
      ["", "requests/s", "CPU, us a request"],
      [one.name, cell(rates.one, 0), cell(cpu.one, 0)],
      [many.name, cell(rates.many, 0), cell(cpu.many, 0)],
      [`${many.name} by ${one.name}`, cell(rates.compared, 2), cell(cpu.compared, 2)]
    ],
    notes: [
      `All tokens were introspected anew before every ${together} rounds; the first request of each took ` +
        `${cell(first, 0)} microseconds of CPU. In the rounds there were ${introspections} introspections and ${logins} logins.`
    ],
    goals: [
      { what: `${many.name} by ${one.name}`, measured: rates.compared, wanted: { atLeast: 0.9 } },
      { what: "introspections in the rounds", measured: summaryOf([introspections]), wanted: { atMost: 0 } }
    ],
    numbers: { rates, cpu, warmings, during: { introspections, logins } }
  } satisfies Part
})

interface Sample {
  readonly perSecond: number
  readonly cpu: number
}
