import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { statSync } from "node:fs"
import { join } from "node:path"
import { isWhole, pasted, tiersAreHeld, tokensWork } from "./demo.ts"
import { emptyDirectory, endsWhole, npmStart, up } from "./started.ts"

it.live("npm start is up, with correct output and files; Ctrl-C ends all of it", () =>
  Effect.gen(function* () {
    const dataDir = yield* emptyDirectory
    const first = yield* npmStart(dataDir)
    const { banner, dev } = yield* up(first, dataDir)

    yield* isWhole(dev)
    assert.strictEqual(statSync(join(dataDir, "dev.json")).mode & 0o777, 0o600)
    yield* tokensWork(dev)
    yield* tiersAreHeld(dev)
    assert.include(banner, `agents (MCP)     ${dev.agent_url}\n`)
    assert.deepStrictEqual(
      pasted(banner).map(([, status]) => status),
      [200, 200, 201]
    )
    yield* endsWhole(first, first.signal("SIGINT", "group"))
  }).pipe(Effect.scoped)
)
