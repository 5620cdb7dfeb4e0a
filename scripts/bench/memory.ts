import { gatewaySettings } from "@portico/simulator/settings"
import { Console, Effect, FileSystem, Schema } from "effect"
import { ChildProcess } from "effect/process"
import { join } from "node:path"
import { bundleOf } from "../packages/processes.ts"
import { summaryOf } from "./numbers.ts"
import { database, gatewayProcess, simulatedCloud } from "./processes.ts"
import { cpuDuring, cpuOf, memoryOf } from "./proxy/machine.ts"
import { generatorOn, sent } from "./proxy/load.ts"
import { root } from "./proxy/processes.ts"
import { millis, onboarded, unlimited } from "./requests.ts"
import { cell, concluded, type Goal, type Part, ratio, shown } from "./results.ts"

const rounds = 9
/** Of load on each, for what its flags cost a request. */
const seconds = 2
/** Goals in MiB, and in milliseconds of CPU: a machine that does nothing else starts it in this time. */
const goals = { mib: 160, millis: 1500 }

interface Variant {
  readonly name: string
  readonly main: string
  readonly flags: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
}

const names = {
  sources: "the sources",
  bundle: "bundled",
  image: "bundled, as in the image",
  semi16: "the same, young objects in 16 MiB"
} as const

class NoBundle extends Schema.TaggedError<NoBundle>()("NoBundle", { message: Schema.String }) {}

/** The bundle of `docker/Dockerfile`, below the repository, where it finds its libraries. */
const bundled = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  yield* fs.makeDirectory(join(root, ".portico"), { recursive: true })
  const directory = yield* fs.makeTempDirectoryScoped({ directory: join(root, ".portico"), prefix: "bench-memory-" })
  const files = yield* Effect.promise(() => bundleOf({ main: "packages/gateway/src/main.ts" }, root))
  for (const file of files) {
    if (file.type === "chunk") yield* fs.writeFileString(join(directory, file.fileName), file.code)
  }
  return directory
})

/** Fills the compile cache as the image's build does: the program loads its modules and misses its settings. */
const compiled = Effect.fnUntraced(function* (program: string, cache: string, flags: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const env = { NODE_COMPILE_CACHE: cache, NODE_COMPILE_CACHE_PORTABLE: "1" }
  yield* Effect.scoped(
    Effect.flatMap(
      ChildProcess.make(process.execPath, [...flags, program], { env, extendEnv: true }),
      (_) => _.exitCode
    )
  )
  if ((yield* fs.readDirectory(cache)).length > 0) return env
  return yield* new NoBundle({ message: `${program} left nothing in ${cache}` })
})

const variants = Effect.gen(function* () {
  const directory = yield* bundled
  const main = join(directory, "main.mjs")
  const image = ["--max-semi-space-size=8"]
  const cache = { ...(yield* compiled(main, join(directory, "compiled"), image)), MALLOC_ARENA_MAX: "2" }
  return [
    { name: names.sources, main: join(root, "packages/gateway/src/main.ts"), flags: [], env: {} },
    { name: names.bundle, main, flags: [], env: {} },
    { name: names.image, main, flags: image, env: cache },
    { name: names.semi16, main, flags: ["--max-semi-space-size=16"], env: cache }
  ] satisfies ReadonlyArray<Variant>
})

/** A start: time and CPU until it says where it listens, memory a second later, and a request's CPU under load. */
const measure = Effect.fnUntraced(function* (
  variant: Variant,
  settings: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>
) {
  const ready = gatewayProcess({ ...settings, ...variant.env }, variant.flags, variant.main)
  let pid = 0
  let customer = ""
  const took = yield* millis(
    Effect.map(ready, (started) => {
      pid = started.pid
      customer = started.up.customer
    })
  )
  const cpu = yield* cpuOf(pid)
  yield* Effect.sleep("1 second")
  const { now } = yield* memoryOf(pid)
  const generator = yield* generatorOn(undefined)
  const load = { url: `${customer}/v1/whoami`, method: "GET", headers } as const
  // As long as V8 takes to compile what the load needs.
  yield* sent(generator, { ...load, seconds })
  const { micros, value } = yield* cpuDuring(pid, sent(generator, { ...load, seconds }))
  const after = yield* memoryOf(pid)
  return { took, cpu: cpu / 1000, mib: now, request: micros / value.requests, loaded: after.now }
}, Effect.scoped)

/** The resident memory of a gateway and its start: as sources, bundled, and with the flags of the image. */
export const memoryBench = Effect.gen(function* () {
  const cloud = yield* simulatedCloud
  const settings = { ...gatewaySettings(cloud), ...unlimited, DATABASE_URL: yield* database }
  const headers = yield* Effect.scoped(
    Effect.gen(function* () {
      const { up } = yield* gatewayProcess(settings)
      return (yield* onboarded(cloud, up.operator, "Bench")).headers
    })
  )
  const all = (yield* variants).map((variant) => ({
    variant,
    values: Array<Effect.Success<ReturnType<typeof measure>>>()
  }))
  for (let round = 0; round < rounds; round++) {
    for (const { values, variant } of round % 2 === 0 ? all : all.toReversed()) {
      values.push(yield* measure(variant, settings, headers))
    }
    yield* Console.log(`round ${round + 1} of ${rounds}`)
  }
  const of = (name: string, read: (_: Effect.Success<ReturnType<typeof measure>>) => number) =>
    all.find((_) => _.variant.name === name)?.values.map(read) ?? []
  const wanted: ReadonlyArray<Goal> = [
    { what: "resident memory, MiB", measured: summaryOf(of(names.image, (_) => _.mib)), wanted: { atMost: goals.mib } },
    {
      what: "CPU of a start, ms",
      measured: summaryOf(of(names.image, (_) => _.cpu)),
      wanted: { atMost: goals.millis }
    },
    {
      what: "CPU of a request, by the sources'",
      measured: summaryOf(
        ratio(
          of(names.image, (_) => _.request),
          of(names.sources, (_) => _.request)
        )
      ),
      wanted: { atMost: 1.05 }
    }
  ]
  const part = {
    title: `The start of a gateway, ${rounds} rounds`,
    rows: [
      ["", "ready, ms", "of CPU", "MiB", "us of CPU a whoami", "MiB under load"],
      ...all.map(({ values, variant }) => [
        variant.name,
        cell(summaryOf(values.map((_) => _.took)), 0),
        cell(summaryOf(values.map((_) => _.cpu)), 0),
        cell(summaryOf(values.map((_) => _.mib)), 0),
        cell(summaryOf(values.map((_) => _.request)), 0),
        cell(summaryOf(values.map((_) => _.loaded)), 0)
      ])
    ],
    notes: [],
    goals: wanted,
    numbers: Object.fromEntries(all.map(({ values, variant }) => [variant.name, values]))
  } satisfies Part
  yield* concluded("memory", "Memory and start", [yield* shown("start", Effect.succeed(part))], {})
})
