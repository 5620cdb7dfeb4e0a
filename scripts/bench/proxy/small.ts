import { Effect, FileSystem } from "effect"
import { join } from "node:path"
import { summaryOf } from "../numbers.ts"
import { askedOf, type Contender } from "./contenders.ts"
import { connections, type Load, sent } from "./load.ts"
import { cpuDuring } from "./machine.ts"
import { paths } from "./names.ts"
import { cell, type Goal, type Part, ratio } from "./results.ts"
import { inRounds, seriesOf } from "./rounds.ts"
import { headersOf, type Stage } from "./stage.ts"

type Kind = "GET" | "POST"

const loadOf = Effect.fnUntraced(function* (kind: Kind, { directory }: Stage) {
  if (kind === "GET") return { path: paths.show, method: kind, headers: headersOf(0) }
  const fs = yield* FileSystem.FileSystem
  const bodyFile = join(directory, "body.json")
  yield* fs.writeFileString(bodyFile, bodyOf(1024))
  const headers = { ...headersOf(0), "content-type": "application/json" }
  return { path: paths.create, method: kind, headers, bodyFile }
})

/** A server to create, filled up to so many bytes. */
const bodyOf = (bytes: number): string => {
  const networks = [{ uuid: "ff608d40-75e9-48cb-b745-77bb55b5eaf2" }]
  const server = { name: "web-1", imageRef: "70a599e0-31e7-49b7-b260-868f441e862b", flavorRef: "2", networks }
  const filled = (data: string) => JSON.stringify({ server: { ...server, user_data: data } })
  return filled("A".repeat(bytes - filled("").length))
}

/** One round of a contender. The CPU time tells what a request costs also on a machine that others keep busy. */
const loaded = (stage: Stage, contender: Contender, load: Load) =>
  Effect.map(cpuDuring(contender.pid, askedOf(contender, sent(stage.generator, load))), ({ micros, value }) => ({
    ...value,
    cpu: micros / value.requests
  }))

type Sample = Effect.Success<ReturnType<typeof loaded>>

/** Small requests over kept connections: how many a second, how long they take, what they cost. */
export const smallRequests = (kind: Kind) =>
  Effect.fnUntraced(function* (stage: Stage) {
    const { generator, origin, peers, portico } = stage
    const { rounds, seconds } = stage.extent
    const { path, ...load } = yield* loadOf(kind, stage)
    const measured = yield* inRounds([origin, portico, ...peers], rounds, (contender, warmUp) =>
      loaded(stage, contender, { ...load, url: contender.url(path), seconds: warmUp ? 3 : seconds })
    )
    const ours = seriesOf(measured, portico.name)
    const by = (other: ReadonlyArray<Sample>, of: keyof Sample) =>
      summaryOf(
        ratio(
          ours.map((_) => _[of]),
          other.map((_) => _[of])
        )
      )
    const compared = measured.map(({ contender, values }) => ({
      name: contender.name,
      per_second: summaryOf(values.map((_) => _.perSecond)),
      p50_ms: summaryOf(values.map((_) => _.p50)),
      p99_ms: summaryOf(values.map((_) => _.p99)),
      cpu_micros_a_request: summaryOf(values.map((_) => _.cpu)),
      portico_per_second_by_it: by(values, "perSecond"),
      portico_p99_by_it: by(values, "p99"),
      portico_cpu_by_it: by(values, "cpu")
    }))

    const goals = compared.flatMap((_): ReadonlyArray<Goal> => {
      const throughput = { what: `${kind} throughput by ${_.name}`, measured: _.portico_per_second_by_it }
      if (_.name === "bare undici") return [{ ...throughput, wanted: { atLeast: 0.8 }, moonshot: true }]
      if (_.name !== "@fastify/http-proxy") return []
      const p99 = { what: `${kind} p99 by ${_.name}`, measured: _.portico_p99_by_it }
      return [
        { ...throughput, wanted: { atLeast: 1 } },
        { ...p99, wanted: { atMost: 1.5 } }
      ]
    })
    const what = kind === "GET" ? "GET, small JSON" : "POST, 1 KiB of JSON"
    return {
      title: `${what}, ${connections} connections, ${rounds} rounds of ${seconds} s`,
      rows: [
        ["", "requests/s", "p50, ms", "p99, ms", "CPU, us a request"],
        ...compared.map((_) => [
          _.name,
          cell(_.per_second, 0),
          cell(_.p50_ms, 2),
          cell(_.p99_ms, 2),
          cell(_.cpu_micros_a_request, 0)
        ]),
        ["", "", "", "", ""],
        ...compared
          .filter((_) => _.name !== portico.name)
          .map((_) => [
            `Portico by ${_.name}`,
            cell(_.portico_per_second_by_it, 2),
            "",
            cell(_.portico_p99_by_it, 2),
            cell(_.portico_cpu_by_it, 2)
          ])
      ],
      notes: [
        `Load by ${generator.name}. The origin itself shares its CPU with the generator, as it does behind a contender.`
      ],
      goals,
      numbers: { contenders: compared }
    } satisfies Part
  })
