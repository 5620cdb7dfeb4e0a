import { assert, describe, it } from "@effect/vitest"
import { Server } from "@portico/simulator/Server"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, Layer } from "effect"
import { execFile, spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const languages = [
  { name: "Python", folder: "failure-test-python", command: ["python3", "-B", "-m", "unittest"], version: "--version" },
  { name: "Go", folder: "failure-test-go", command: ["go", "test", "-count=1", "./..."], version: "version" }
] as const

const folderOf = (name: string) => fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url))

const run = (command: ReadonlyArray<string>, folder: string, env: Readonly<Record<string, string>>) =>
  Effect.callback<{ readonly code: number | string; readonly said: string }>((resume) => {
    const [program = "", ...args] = command
    execFile(
      program,
      args,
      { cwd: folderOf(folder), env: { ...process.env, CGO_ENABLED: "0", GOTOOLCHAIN: "local", ...env } },
      (error, stdout, stderr) => resume(Effect.succeed({ code: error?.code ?? 0, said: `${stdout}${stderr}` }))
    )
  })

describe("the failure tests in other languages", () => {
  for (const { command, folder, name, version } of languages) {
    const isThere = spawnSync(command[0], [version]).status === 0
    if (!isThere) console.warn(`SKIPPED: ${command[0]} is not on this machine, so examples/${folder} is not run.`)

    it.live.skipIf(!isThere)(
      `${name}: examples/${folder}`,
      () =>
        Effect.gen(function* () {
          const { url } = yield* Server
          const { code, said } = yield* run(command, folder, { CLOUD_URL: url })
          assert.strictEqual(code, 0, said)
          const calls = yield* (yield* SimulatedCloud).calls
          assert.isAbove(calls.filter((_) => _.service === "neutron").length, 2, said)
        }).pipe(Effect.provide(Server.layer({ port: 0 }).pipe(Layer.provideMerge(SimulatedCloud.layerMemory)))),
      // Go compiles its standard library first, where it has not done so before.
      600_000
    )
  }
})
