import { Effect, FileSystem } from "effect"
import { join } from "node:path"
import { summaryOf } from "../numbers.ts"
import { askedOf, type Contender, names } from "./contenders.ts"
import { connections, type Load, sent } from "./load.ts"
import { cpuDuring } from "./machine.ts"
import { paths } from "./names.ts"
import { cell, type Goal, type Part, ratio } from "../results.ts"
import { inRounds, type Series, seriesOf } from "./rounds.ts"
import { headersOf, type Stage } from "./stage.ts"

/** A load, and the peers that it is compared with. */
interface Small {
  readonly name: string
  readonly title: string
  readonly path: string
  /** JSON to post; without it the load is a GET. */
  readonly body?: string
  /** Portico by each of these, at least. */
  readonly goals: ReadonlyArray<{ readonly by: string; readonly atLeast: number }>
  /** Whether only the peer with a goal takes part. */
  readonly alone?: boolean
  readonly note?: string
}

const kibibyte = 1024

/** Filled up to a KiB by what `made` puts somewhere. */
const filled = (made: (filling: string) => unknown): string => {
  const text = (filling: string) => JSON.stringify(made(filling))
  return text("A".repeat(kibibyte - text("").length))
}

const get: Small = {
  name: "GET",
  title: "GET, small JSON",
  path: paths.show,
  goals: [
    { by: names.fastify, atLeast: 1.25 },
    { by: names.bare, atLeast: 0.85 }
  ]
}

const post: Small = {
  name: "POST",
  title: "POST, 1 KiB of JSON",
  path: paths.metadata,
  body: filled((note) => ({ metadata: { note } })),
  goals: [{ by: names.fastify, atLeast: 1 }],
  note: "Portico writes an audit record to PostgreSQL for each request before it answers; its peers only forward."
}

const networks = [{ uuid: "ff608d40-75e9-48cb-b745-77bb55b5eaf2" }]
const create: Small = {
  name: "billed POST",
  title: "POST of what is billed, 1 KiB of JSON",
  path: paths.create,
  body: filled((user_data) => ({
    server: { name: "web-1", imageRef: "70a599e0-31e7-49b7-b260-868f441e862b", flavorRef: "2", networks, user_data }
  })),
  goals: [{ by: names.fastify, atLeast: 0.8 }],
  alone: true,
  note: "Portico reads both bodies here, and writes an event too; its peers only forward."
}

const loadOf = Effect.fnUntraced(function* ({ body, name, path }: Small, { directory }: Stage) {
  if (body === undefined) return { path, method: "GET", headers: headersOf(0) } as const
  const fs = yield* FileSystem.FileSystem
  const bodyFile = join(directory, `${name}.json`)
  yield* fs.writeFileString(bodyFile, body)
  return { path, method: "POST", headers: { ...headersOf(0), "content-type": "application/json" }, bodyFile } as const
})

/** Seconds of load before the first round. As long as V8 takes to compile the largest of the contenders. */
const warming = 8
/** The same in requests, for a machine that others keep busy, and how often at most it is tried. */
const warmRequests = 30_000
const warmings = 5

/** A load that goes on until the contender has answered enough requests to be compiled. */
export const warmed = <A extends { readonly requests: number }, E, R>(once: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    let last = yield* once
    for (let times = 1, requests = last.requests; requests < warmRequests && times < warmings; times++) {
      last = yield* once
      requests += last.requests
    }
    return last
  })

/** One round of a contender. The CPU time tells what a request costs also on a machine that others keep busy. */
const loaded = (stage: Stage, contender: Contender, load: Load) =>
  Effect.map(cpuDuring(contender.pid, askedOf(contender, sent(stage.generator, load))), ({ micros, value }) => ({
    ...value,
    cpu: micros / value.requests
  }))

type Sample = Effect.Success<ReturnType<typeof loaded>>

/** All that was measured of each contender, and Portico by it, round by round. */
const compared = (all: ReadonlyArray<Series<Contender, Sample>>, ours: ReadonlyArray<Sample>) =>
  all.map(({ contender, values }) => {
    const series = (of: keyof Sample) => summaryOf(values.map((_) => _[of]))
    const byIt = (of: keyof Sample) =>
      summaryOf(
        ratio(
          ours.map((_) => _[of]),
          values.map((_) => _[of])
        )
      )
    return {
      name: contender.name,
      per_second: series("perSecond"),
      p50_ms: series("p50"),
      p99_ms: series("p99"),
      cpu_micros_a_request: series("cpu"),
      portico_per_second_by_it: byIt("perSecond"),
      portico_p99_by_it: byIt("p99"),
      portico_cpu_by_it: byIt("cpu")
    }
  })

type Compared = ReturnType<typeof compared>[number]

/** The latencies of a closed loop are no goal: each contender has as many requests under way as it takes. */
const goalsOf = ({ goals, name }: Small, _: Compared): ReadonlyArray<Goal> =>
  goals
    .filter(({ by }) => by === _.name)
    .map(({ atLeast }) => ({
      what: `${name} throughput by ${_.name}`,
      measured: _.portico_per_second_by_it,
      wanted: { atLeast }
    }))

const rowsOf = (all: ReadonlyArray<Compared>): Part["rows"] => [
  ["", "requests/s", "p50, ms", "p99, ms", "CPU, us a request"],
  ...all.map((_) => [
    _.name,
    cell(_.per_second, 0),
    cell(_.p50_ms, 2),
    cell(_.p99_ms, 2),
    cell(_.cpu_micros_a_request, 0)
  ]),
  ["", "", "", "", ""],
  ...all
    .filter((_) => _.name !== names.portico)
    .map((_) => [
      `Portico by ${_.name}`,
      cell(_.portico_per_second_by_it, 2),
      "",
      cell(_.portico_p99_by_it, 2),
      cell(_.portico_cpu_by_it, 2)
    ])
]

/** Small requests over kept connections: how many a second, how long they take, what they cost. */
const smallRequests = (small: Small) =>
  Effect.fnUntraced(function* (stage: Stage) {
    const { generator, origin, peers, portico } = stage
    const { rounds, seconds } = stage.extent
    const { path, ...load } = yield* loadOf(small, stage)
    const others = small.alone === true ? peers.filter((_) => _.name === names.fastify) : [origin, ...peers]
    const measured = yield* inRounds([portico, ...others], rounds, (contender, warmUp) =>
      warmUp
        ? warmed(loaded(stage, contender, { ...load, url: contender.url(path), seconds: warming }))
        : loaded(stage, contender, { ...load, url: contender.url(path), seconds })
    )
    const contenders = compared(measured, seriesOf(measured, names.portico))
    return {
      title: `${small.title}, ${connections} connections, ${rounds} rounds of ${seconds} s`,
      rows: rowsOf(contenders),
      notes: [
        `Load by ${generator.name}. The origin itself shares its CPU with the generator, as it does behind a contender.`,
        ...(small.note === undefined ? [] : [small.note])
      ],
      goals: contenders.flatMap((_) => goalsOf(small, _)),
      numbers: { contenders }
    } satisfies Part
  })

export const gets = smallRequests(get)
export const posts = smallRequests(post)
export const billedPosts = smallRequests(create)
