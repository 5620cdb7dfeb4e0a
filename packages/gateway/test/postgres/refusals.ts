import { Effect } from "effect"
import { join } from "node:path"
import { programOf } from "../processes/bundles.ts"
import { repository, spawned } from "../processes/children.ts"
import { settings } from "../processes/harness.ts"

/** What a gateway says that does not start, and its exit code. */
export const refusalOf = Effect.fnUntraced(function* (url: string) {
  const child = yield* spawned({
    command: [process.execPath, yield* programOf("gateway")],
    settings: { ...(yield* settings), DATABASE_URL: url }
  })
  const code = yield* Effect.timeout(child.ended, "40 seconds")
  return [
    code,
    child
      .stderr()
      .split("\n")
      .filter((_) => _.startsWith("portico:"))
  ] as const
})

/** What the doctor finds out about the database. */
export const findingOf = Effect.fnUntraced(function* (url: string) {
  const child = yield* spawned({
    command: [process.execPath, join(repository, "packages/gateway/src/doctor.ts"), "--json", "--require", "database"],
    settings: { ...(yield* settings), DATABASE_URL: url }
  })
  const code = yield* child.ended
  const found: ReadonlyArray<{ readonly check: string; readonly state: string; readonly detail: string }> = JSON.parse(
    child.stdout()
  )
  const { detail = "", state = "" } = found.find((_) => _.check === "database") ?? {}
  return { code, state, detail: detail.replace(/\d+\.\d+/, "X") }
})
