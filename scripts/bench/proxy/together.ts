import { Effect, FileSystem } from "effect"
import { join } from "node:path"
import { summaryOf } from "../numbers.ts"
import { names } from "./contenders.ts"
import { growthDuring } from "./machine.ts"
import { paths } from "./names.ts"
import { installed, outputOf, ProcessFailed } from "./processes.ts"
import type { Part } from "../results.ts"
import { headersOf, type Stage } from "./stage.ts"

const atOnce = 50
const mebibyte = 2 ** 20

/** Many long bodies at once, by how much the gateway grows: all of them down, then all of them up. */
export const together = Effect.fnUntraced(function* (stage: Stage) {
  const { directory, extent, portico } = stage
  const bytes = extent.bytes * 4
  const title = `${atOnce} streams of ${bytes / mebibyte} MiB at once`
  if ((yield* installed("curl")) === undefined) {
    return { title, rows: [], notes: ["Not measured: curl is not installed."], goals: [], numbers: {} } satisfies Part
  }
  const fs = yield* FileSystem.FileSystem
  const file = join(directory, "long-upload")
  yield* fs.writeFileString(file, "")
  yield* fs.truncate(file, bytes)

  const all = Effect.fnUntraced(function* (direction: "down" | "up") {
    const headers = Object.entries(headersOf(0)).map(([name, value]) => `-H${name}: ${value}`)
    const up = ["-Hexpect:", "-Hcontent-type: application/octet-stream"]
    const one = [...(direction === "up" ? [`-T${file}`] : []), "-o/dev/null", portico.url(paths.data(bytes))]
    const began = performance.now()
    const said = yield* outputOf({
      name: "curl",
      command: "curl",
      cpus: stage.cpus.load,
      args: [
        "-sS",
        "--no-progress-meter",
        "-Z",
        "--parallel-max",
        String(atOnce),
        "--parallel-immediate",
        "-w%{http_code} ",
        ...headers,
        ...(direction === "up" ? up : []),
        ...Array.from({ length: atOnce }, () => one).flat()
      ]
    })
    const statuses = said.trim().split(" ")
    const good = statuses.filter((_) => _ === (direction === "up" ? "204" : "200")).length
    if (good === atOnce) return (bytes * atOnce) / mebibyte / ((performance.now() - began) / 1000)
    return yield* new ProcessFailed({ program: `${atOnce} streams ${direction}`, what: "broke off", said })
  })
  const down = yield* growthDuring(portico.pid, all("down"))
  const up = yield* growthDuring(portico.pid, all("up"))
  return {
    title,
    rows: [
      ["", "MiB/s together", "grew, MiB"],
      ...Object.entries({ down, up }).map(([name, _]) => [name, _.value.toFixed(0), _.mib.toFixed(0)])
    ],
    notes: ["Grew: the peak of the resident memory meanwhile, less what was held before."],
    goals: [
      {
        what: `growth of ${names.portico}, MiB`,
        measured: summaryOf([Math.max(down.mib, up.mib)]),
        wanted: { atMost: 64 }
      }
    ],
    numbers: { bytes, down, up }
  } satisfies Part
})
