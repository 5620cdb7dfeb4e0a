import { Console, Effect, FileSystem, Schema } from "effect"
import { parseArgs } from "node:util"
import { coldToken } from "./proxy/coldToken.ts"
import { latencies } from "./proxy/latency.ts"
import { words } from "./proxy/machine.ts"
import { concluded, directory, type Part, shown } from "./results.ts"
import { billedPosts, gets, posts } from "./proxy/small.ts"
import { quick, staged, whole } from "./proxy/stage.ts"
import { largeStore } from "./proxy/store.ts"
import { streams } from "./proxy/streams.ts"
import { together } from "./proxy/together.ts"
import { threads } from "./proxy/threads.ts"
import { manyTokens } from "./proxy/tokens.ts"

/** In this order: the memory of a stream before a load has filled it, and the cold token before all tokens are warm. */
const parts = {
  stream: streams,
  together,
  get: gets,
  latency: latencies,
  threads,
  post: posts,
  billed: billedPosts,
  cold: coldToken,
  tokens: manyTokens,
  store: largeStore
} as const

const names = Object.keys(parts).filter((_): _ is keyof typeof parts => _ in parts)

class Usage extends Schema.TaggedError<Usage>()("Usage", { message: Schema.String }) {}

const optionsOf = (args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { values } = yield* Effect.try({
      try: () =>
        parseArgs({
          args: [...args],
          options: {
            quick: { type: "boolean" },
            profile: { type: "boolean" },
            only: { type: "string" },
            seconds: { type: "string" }
          }
        }),
      catch: (error) => new Usage({ message: error instanceof Error ? error.message : String(error) })
    })
    const only = values.only?.split(",") ?? names
    const unknown = only.find((_) => !names.some((name) => name === _))
    if (unknown !== undefined) {
      return yield* new Usage({ message: `There is no part ${unknown}. --only takes some of ${names.join(",")}` })
    }
    const extent = values.quick === true ? quick : whole
    const seconds = values.seconds === undefined ? extent.seconds : Number(values.seconds)
    if (!(seconds > 0)) return yield* new Usage({ message: "--seconds takes a positive number" })
    return {
      extent: { ...extent, seconds },
      profile: values.profile === true,
      wanted: names.filter((_) => only.includes(_))
    }
  })

/**
 * Portico's customer plane against a bare reverse proxy on undici,
 * `@fastify/http-proxy` and nginx, before the same origin.
 *
 * `--quick` measures less, for trying; `--only get,post` only those parts;
 * `--seconds 2` makes each load so long; `--profile` leaves a CPU profile of Portico beside the numbers.
 */
export const proxyBench = Effect.gen(function* () {
  const { extent, profile, wanted } = yield* optionsOf(process.argv.slice(3))
  const fs = yield* FileSystem.FileSystem
  yield* fs.makeDirectory(directory, { recursive: true })
  const flags = profile ? ["--cpu-prof", `--cpu-prof-dir=${directory}`, "--cpu-prof-name=portico.cpuprofile"] : []
  const stage = yield* staged(extent, flags)
  yield* Console.log(words(stage.cpus))

  const measured: Array<{ readonly name: string; readonly part: Part }> = []
  for (const name of wanted) {
    const part: Part = yield* parts[name](stage)
    measured.push(yield* shown(name, Effect.succeed(part)))
  }

  yield* concluded("proxy", "Portico by its peers, round by round", measured, { machine: words(stage.cpus), extent })
})
