import { Duration, Effect, FileSystem } from "effect"
import { join } from "node:path"
import { summaryOf } from "../numbers.ts"
import { askedOf } from "./contenders.ts"
import { countsOf } from "./identity.ts"
import { connections, sent } from "./load.ts"
import { paths, tokenOf } from "./names.ts"
import { cell, type Part, ratio } from "../results.ts"
import { inRounds, seriesOf } from "./rounds.ts"
import { got, headersOf, type Stage, tenants, tokens } from "./stage.ts"

/** As the generator is told them: one token, or all in turn. */
const one = { name: "one token", count: 1 }
const many = { name: `${tokens} tokens of ${tenants} tenants`, count: tokens }

/**
 * Many callers against one. What Portico keeps of a token it keeps for a
 * minute, so the rounds have to be over within that time of the warm-up.
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

  const begun = yield* countsOf(identity)
  const [warming] = yield* Effect.timed(
    Effect.forEach(Array.from({ length: tokens }).keys(), (token) => got(url, token), {
      concurrency: 32,
      discard: true
    })
  )
  const warm = yield* countsOf(identity)
  const measured = yield* inRounds([one, many], extent.rounds, ({ count }, warmUp) =>
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
  )
  const ended = yield* countsOf(identity)

  const rates = (name: string) => seriesOf(measured, name).map((_) => _.perSecond)
  const single = summaryOf(rates(one.name))
  const all = summaryOf(rates(many.name))
  const compared = summaryOf(ratio(rates(many.name), rates(one.name)))
  const warmUp = {
    seconds: Duration.toSeconds(warming),
    introspections: warm.introspections - begun.introspections,
    logins: warm.logins - begun.logins
  }
  const during = { introspections: ended.introspections - warm.introspections, logins: ended.logins - warm.logins }
  return {
    title: `GET, many tokens, ${connections} connections, ${extent.rounds} rounds of ${seconds} s`,
    rows: [
      ["", "requests/s"],
      [one.name, cell(single, 0)],
      [many.name, cell(all, 0)]
    ],
    notes: [
      `Warmed first with one request of each token: ${warmUp.introspections} introspections and ${warmUp.logins} logins ` +
        `in ${warmUp.seconds.toFixed(1)} s. In the rounds there were ${during.introspections} and ${during.logins}.`
    ],
    goals: [{ what: `${many.name} by ${one.name}`, measured: compared, wanted: { atLeast: 0.9 } }],
    numbers: { one_per_second: single, many_per_second: all, many_by_one: compared, warm_up: warmUp, during }
  } satisfies Part
})
