import { Effect, FileSystem } from "effect"
import { join } from "node:path"
import type { Home } from "./Home.ts"

/** PostgreSQL's PID file for the server that runs on the data. */
export const pidFileOf = (home: Home) => join(home.data, "postmaster.pid")

/** The process that serves the data, and whether it accepts connections. Undefined without a PID file. */
export const postmaster = Effect.fnUntraced(function* (home: Home) {
  const fs = yield* FileSystem.FileSystem
  return yield* fs.readFileString(pidFileOf(home)).pipe(
    Effect.map((text) => {
      const lines = text.split("\n").map((line) => line.trim())
      return { pid: Number(lines[0]), ready: lines[7] === "ready" }
    }),
    Effect.orElseSucceed(() => undefined)
  )
})
