import { Console, Effect, Fiber, FileSystem } from "effect"
import { join } from "node:path"
import { root } from "../bench/proxy/processes.ts"
import { Evidence } from "./evidence.ts"
import { cloudWorld, factsOf } from "./facts.ts"
import { disturbances, disturbed } from "./faults/disturbances.ts"
import { clearCalls, upstreamFaults } from "./faults/upstreams.ts"
import { checks } from "./invariants/all.ts"
import { holds } from "./invariants/check.ts"
import { loaded, populated } from "./load/load.ts"
import type { Options } from "./options.ts"
import { SeededRandom } from "./random.ts"
import { page, summary, type Told } from "./report/page.ts"
import { sampling, settled, watchingCeilings } from "./samples.ts"
import { staged } from "./stage/stage.ts"

/** A process that lived for less is still warming up, and its growth says nothing. */
const leastMinutesForFlatness = 10

/** How often a process's heap is looked at in the part of the run that judges it. */
const looks = 15

/**
 * Everything at once for so many minutes, and what has to be true afterwards.
 *
 * The first tenth is undisturbed. In the last two fifths the first replica is not ended any more, so that what it holds
 * can be compared over a long time; everything else goes on.
 */
export const soak = Effect.fnUntraced(function* (options: Options) {
  const fs = yield* FileSystem.FileSystem
  const { minutes, seed } = options
  const directory = join(root, ".portico/soak", `seed-${seed}`)
  yield* Effect.ignore(fs.remove(directory, { recursive: true }))
  yield* fs.makeDirectory(directory, { recursive: true })
  const evidence = new Evidence()
  yield* Console.log(`Soak: ${minutes} minutes, seed ${seed}; everything is kept in ${directory}`)

  const stage = yield* staged(evidence, seed, directory)
  yield* Effect.forkScoped(sampling(stage, evidence))
  yield* Effect.forkScoped(watchingCeilings(stage, evidence))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep("20 seconds"), clearCalls(stage.cloud.url))))
  const before = yield* cloudWorld(stage)
  const population = yield* populated(stage, evidence, options.tenants)
  const load = yield* Effect.forkScoped(loaded(population))
  const total = minutes * 60_000
  yield* Effect.sleep(total * 0.1)

  const randomOf = (name: string) => SeededRandom.of(seed, name)
  const upstreams = yield* Effect.forkScoped(upstreamFaults(stage.cloud.url, evidence, randomOf("upstreams")))
  const all = disturbances(stage, evidence, randomOf("disturbances"))
  yield* Effect.timeoutOption(disturbed(all, randomOf("order"), options.without, evidence), total * 0.5)
  yield* Console.log("The first replica is started for the last time")
  const [first] = stage.replicas
  // A disturbance that was cut short may have left one away.
  for (const replica of stage.replicas) {
    yield* replica.stop
    yield* replica.start
  }
  const rest = { ...stage, replicas: [stage.replicas[1]!] }
  const others = yield* Effect.forkScoped(
    disturbed(
      disturbances({ ...stage, ...rest }, evidence, randomOf("others")),
      randomOf("rest"),
      options.without,
      evidence
    )
  )
  for (let look = 0; look < looks; look++) {
    yield* Effect.sleep((total * 0.4) / looks)
    yield* settled(first!, evidence)
  }
  yield* Fiber.interrupt(others)
  yield* Fiber.interrupt(upstreams)
  yield* Fiber.interrupt(load)
  stage.receiver.heal()
  for (const replica of stage.replicas) if (replica.pid() === undefined) yield* replica.start
  const seconds = evidence.now() / 1000
  yield* Console.log(`The load is over after ${seconds.toFixed(0)} s; waiting until nothing is under way`)

  const facts = yield* factsOf(stage, population, before, 240)
  for (const replica of stage.replicas) yield* replica.stop
  yield* Effect.sleep("500 millis")

  const judged = checks.map((check) => check(evidence, facts))
  const findings = judged.filter((_) => _.check !== "flat" || minutes >= leastMinutesForFlatness)
  const notes = judged
    .filter((_) => !findings.includes(_))
    .map(
      (_) => `Not judged below ${leastMinutesForFlatness} minutes: ${_.check}: ${_.violations.join("; ") || "holds"}`
    )
  const told: Told = { options, evidence, findings, seconds, notes }
  yield* fs.writeFileString(join(directory, "report.html"), page(told))
  yield* fs.writeFileString(join(directory, "summary.txt"), `${summary(told)}\n`)
  yield* fs.writeFileString(
    join(directory, "evidence.json"),
    JSON.stringify({ ...evidence, things: [...evidence.things.values()] })
  )
  yield* Console.log(`\n${summary(told)}\n\nThe report is ${join(directory, "report.html")}`)
  return findings.every(holds)
}, Effect.scoped)
