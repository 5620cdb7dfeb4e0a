import { Duration, Effect, Schema } from "effect"
import { performance } from "node:perf_hooks"
import { Client } from "undici"
import { summaryOf } from "../numbers.ts"
import { countsOf } from "./identity.ts"
import { cell, type Part, ratio } from "../results.ts"
import { headersOf, type Stage } from "./stage.ts"

class NotCold extends Schema.TaggedError<NotCold>()("NotCold", { message: Schema.String }) {}

const few = 1_000
const warmUps = 100

/** A gateway with so many credentials, and which of their tokens was asked for last. */
const resolverOf = Effect.fnUntraced(function* (credentials: number, tenants: number, stage: Stage) {
  const name = `Portico with ${credentials} credentials`
  const [filling, gateway] = yield* Effect.timed(stage.gateway(name, { tenants, credentials }))
  const client = yield* Effect.acquireRelease(
    Effect.sync(() => new Client(new URL(gateway.url("/")).origin)),
    (_) => Effect.promise(() => _.destroy())
  )
  // Spread over the whole table, and none twice.
  const stride = Math.floor(credentials / (warmUps + stage.extent.rounds * stage.extent.resolutions))
  let next = 0
  /** How many milliseconds it takes to answer a token that this process has never seen. */
  const resolution = async () => {
    const token = next++ * stride
    const begun = performance.now()
    const { body, statusCode } = await client.request({ path: "/v1/whoami", method: "GET", headers: headersOf(token) })
    const text = await body.text()
    const took = performance.now() - begun
    if (statusCode !== 200) throw new Error(`${name} answered ${statusCode} for token ${token}: ${text}`)
    return took
  }
  return { credentials, filling: Duration.toSeconds(filling), resolution }
})

/** One after the other, in turn; answers the milliseconds of each. */
const inTurn = (resolutions: number, one: () => Promise<number>, other: () => Promise<number>) =>
  Effect.promise(async () => {
    const ones: Array<number> = []
    const others: Array<number> = []
    for (let count = 0; count < resolutions; count++) {
      ones.push(await one())
      others.push(await other())
    }
    return { one: summaryOf(ones).median, other: summaryOf(others).median }
  })

/** Does a large store make the first request of a token slow? */
export const largeStore = Effect.fnUntraced(function* (stage: Stage) {
  const { extent, identity } = stage
  const { resolutions, rounds } = extent
  const small = yield* resolverOf(few, few, stage)
  const large = yield* resolverOf(extent.credentials, extent.credentials / 10, stage)
  yield* inTurn(warmUps, small.resolution, large.resolution)
  const before = yield* countsOf(identity)
  const medians = yield* Effect.replicateEffect(inTurn(resolutions, small.resolution, large.resolution), rounds)
  const after = yield* countsOf(identity)

  const introspections = after.introspections - before.introspections
  if (introspections !== 2 * rounds * resolutions) {
    const message = `Only ${introspections} of ${2 * rounds * resolutions} resolutions asked the identity provider.`
    return yield* new NotCold({ message })
  }
  const ones = medians.map((_) => _.one)
  const others = medians.map((_) => _.other)
  const compared = summaryOf(ratio(others, ones))
  const result = { few_ms: summaryOf(ones), many_ms: summaryOf(others), many_by_few: compared }
  return {
    title: `First request of a token (introspected, looked up, answered), medians of ${resolutions}, ${rounds} rounds`,
    rows: [
      ["", "ms"],
      [`${few} credentials of ${few} tenants`, cell(result.few_ms, 3)],
      [`${extent.credentials} credentials of ${extent.credentials / 10} tenants`, cell(result.many_ms, 3)]
    ],
    notes: [`Every one was introspected. The larger store was filled in ${large.filling.toFixed(0)} s.`],
    goals: [{ what: `${extent.credentials} credentials by ${few}`, measured: compared, wanted: { atMost: 1.2 } }],
    numbers: { ...result, credentials: extent.credentials, filling_seconds: large.filling }
  } satisfies Part
}, Effect.scoped)
