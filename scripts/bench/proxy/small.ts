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

/** A load, and the peers that it is compared with. */
interface Small {
  readonly name: string
  readonly title: string
  readonly path: string
  /** JSON to post; without it the load is a GET. */
  readonly body?: string
  /** Whether the goals are about it. */
  readonly aims: boolean
  readonly note?: string
}

const kibibyte = 1024

/** Filled up to a KiB by what `made` puts somewhere. */
const filled = (made: (filling: string) => unknown): string => {
  const text = (filling: string) => JSON.stringify(made(filling))
  return text("A".repeat(kibibyte - text("").length))
}

const get: Small = { name: "GET", title: "GET, small JSON", path: paths.show, aims: true }

const post: Small = {
  name: "POST",
  title: "POST, 1 KiB of JSON",
  path: paths.metadata,
  body: filled((note) => ({ metadata: { note } })),
  aims: true
}

const networks = [{ uuid: "ff608d40-75e9-48cb-b745-77bb55b5eaf2" }]
const create: Small = {
  name: "billed POST",
  title: "POST of what is billed, 1 KiB of JSON",
  path: paths.create,
  body: filled((user_data) => ({
    server: { name: "web-1", imageRef: "70a599e0-31e7-49b7-b260-868f441e862b", flavorRef: "2", networks, user_data }
  })),
  aims: false,
  note: "Portico reads both bodies here and writes an event to PostgreSQL for each request; its peers only forward."
}

const loadOf = Effect.fnUntraced(function* ({ body, name, path }: Small, { directory }: Stage) {
  if (body === undefined) return { path, method: "GET", headers: headersOf(0) } as const
  const fs = yield* FileSystem.FileSystem
  const bodyFile = join(directory, `${name}.json`)
  yield* fs.writeFileString(bodyFile, body)
  return { path, method: "POST", headers: { ...headersOf(0), "content-type": "application/json" }, bodyFile } as const
})

/** One round of a contender. The CPU time tells what a request costs also on a machine that others keep busy. */
const loaded = (stage: Stage, contender: Contender, load: Load) =>
  Effect.map(cpuDuring(contender.pid, askedOf(contender, sent(stage.generator, load))), ({ micros, value }) => ({
    ...value,
    cpu: micros / value.requests
  }))

type Sample = Effect.Success<ReturnType<typeof loaded>>

/** Small requests over kept connections: how many a second, how long they take, what they cost. */
const smallRequests = (small: Small) =>
  Effect.fnUntraced(function* (stage: Stage) {
    const { generator, origin, peers, portico } = stage
    const { rounds, seconds } = stage.extent
    const { path, ...load } = yield* loadOf(small, stage)
    const measured = yield* inRounds([origin, portico, ...peers], rounds, (contender, warmUp) =>
      loaded(stage, contender, { ...load, url: contender.url(path), seconds: warmUp ? Math.max(seconds, 3) : seconds })
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
      if (!small.aims) return []
      const throughput = { what: `${small.name} throughput by ${_.name}`, measured: _.portico_per_second_by_it }
      if (_.name === "bare undici") return [{ ...throughput, wanted: { atLeast: 0.8 }, moonshot: true }]
      if (_.name !== "@fastify/http-proxy") return []
      const p99 = { what: `${small.name} p99 by ${_.name}`, measured: _.portico_p99_by_it }
      return [
        { ...throughput, wanted: { atLeast: 1 } },
        { ...p99, wanted: { atMost: 1.5 } }
      ]
    })
    return {
      title: `${small.title}, ${connections} connections, ${rounds} rounds of ${seconds} s`,
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
        `Load by ${generator.name}. The origin itself shares its CPU with the generator, as it does behind a contender.`,
        ...(small.note === undefined ? [] : [small.note])
      ],
      goals,
      numbers: { contenders: compared }
    } satisfies Part
  })

export const gets = smallRequests(get)
export const posts = smallRequests(post)
export const billedPosts = smallRequests(create)
