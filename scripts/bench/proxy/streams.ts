import { Effect, FileSystem } from "effect"
import { join } from "node:path"
import { summaryOf } from "../numbers.ts"
import { askedOf, type Contender, names } from "./contenders.ts"
import { growthDuring } from "./machine.ts"
import { paths } from "./names.ts"
import { installed, outputOf, ProcessFailed } from "./processes.ts"
import { cell, type Goal, type Part, ratio } from "../results.ts"
import { inRounds, seriesOf } from "./rounds.ts"
import { headersOf, type Stage } from "./stage.ts"

const mebibyte = 2 ** 20

type Direction = "down" | "up"

/** One stream by curl; answers MiB a second. */
const streamed = Effect.fnUntraced(function* (direction: Direction, contender: Contender, file: string, stage: Stage) {
  const { bytes } = stage.extent
  const said = yield* outputOf({
    name: "curl",
    command: "curl",
    cpus: stage.cpus.load,
    args: [
      "-sS",
      "-o/dev/null",
      "-w%{http_code} %{time_total} %{size_download} %{size_upload}",
      ...Object.entries(headersOf(0)).flatMap(([name, value]) => [`-H${name}: ${value}`]),
      // Without the pause in which curl waits for a 100.
      ...(direction === "up" ? ["-Hexpect:", "-Hcontent-type: application/octet-stream"] : []),
      ...(direction === "up" ? [`-T${file}`] : []),
      contender.url(paths.data(bytes))
    ]
  })
  const [status, seconds = Number.NaN, down, up] = said.split(" ").map(Number)
  const right = direction === "down" ? status === 200 && down === bytes : status === 204 && up === bytes
  if (right) return bytes / mebibyte / seconds
  return yield* new ProcessFailed({ program: `${direction} through ${contender.name}`, what: "broke off", said })
})

/** What one round of a contender is: both ways, one after the other, each with what the process grew by. */
const bothWays = (contender: Contender, file: string, stage: Stage) =>
  Effect.gen(function* () {
    const down = yield* growthDuring(contender.pid, streamed("down", contender, file, stage))
    const up = yield* growthDuring(contender.pid, streamed("up", contender, file, stage))
    return { down: down.value, up: up.value, downGrowth: down.mib, upGrowth: up.mib }
  })

/** Long bodies, one at a time. */
export const streams = Effect.fnUntraced(function* (stage: Stage) {
  const { directory, extent, origin, peers, portico } = stage
  const title = `${extent.bytes / mebibyte} MiB, one stream at a time, ${extent.rounds} rounds`
  if ((yield* installed("curl")) === undefined) {
    return { title, rows: [], notes: ["Not measured: curl is not installed."], goals: [], numbers: {} } satisfies Part
  }
  const fs = yield* FileSystem.FileSystem
  const file = join(directory, "upload")
  yield* fs.writeFileString(file, "")
  // All holes: it is read at the speed of memory, and takes no room.
  yield* fs.truncate(file, extent.bytes)

  const measured = yield* inRounds([origin, portico, ...peers], extent.rounds, (_) =>
    askedOf(_, bothWays(_, file, stage))
  )
  const ours = seriesOf(measured, portico.name)
  const compared = measured.map(({ contender, values }) => {
    const series = (of: "down" | "up" | "downGrowth" | "upGrowth") => summaryOf(values.map((_) => _[of]))
    const by = (of: Direction) =>
      summaryOf(
        ratio(
          ours.map((_) => _[of]),
          values.map((_) => _[of])
        )
      )
    return {
      name: contender.name,
      down_mib_per_second: series("down"),
      up_mib_per_second: series("up"),
      down_growth_mib: series("downGrowth"),
      up_growth_mib: series("upGrowth"),
      portico_down_by_it: by("down"),
      portico_up_by_it: by("up")
    }
  })
  const goals = compared
    .filter((_) => _.name === names.bare)
    .flatMap((_): ReadonlyArray<Goal> => [
      { what: `stream down by ${_.name}`, measured: _.portico_down_by_it, wanted: { atLeast: 1 } },
      { what: `stream up by ${_.name}`, measured: _.portico_up_by_it, wanted: { atLeast: 1 } }
    ])
  const head = ["", "down, MiB/s", "up, MiB/s", "Portico's down by it", "up by it", "grew, down, MiB", "grew, up, MiB"]
  return {
    title,
    rows: [
      head,
      ...compared.map((_) => [
        _.name,
        cell(_.down_mib_per_second, 0),
        cell(_.up_mib_per_second, 0),
        ...(_.name === portico.name ? ["", ""] : [cell(_.portico_down_by_it, 2), cell(_.portico_up_by_it, 2)]),
        cell(_.down_growth_mib, 0),
        cell(_.up_growth_mib, 0)
      ])
    ],
    notes: ["Grew: the peak of a process's resident memory during a stream, less what it held before."],
    goals,
    numbers: { bytes: extent.bytes, contenders: compared }
  } satisfies Part
})
