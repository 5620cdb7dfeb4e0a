import { NodeFileSystem } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { addresses } from "@portico/simulator/settings"
import { Effect, FileSystem } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:net"
import { fileURLToPath } from "node:url"

const bin = fileURLToPath(import.meta.resolve("@portico/simulator/bin"))

/** A process of the command line, which is killed at the end of the test. */
const started = (...args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(process.execPath, [bin, ...args], { stdio: ["ignore", "pipe", "pipe"] })
      const said = { out: "", err: "" }
      child.stdout.on("data", (chunk: Buffer) => (said.out += chunk.toString()))
      child.stderr.on("data", (chunk: Buffer) => (said.err += chunk.toString()))
      const closed = once(child, "close").then(([code]) => ({ ...said, code: Number(code) }))
      return { child, closed, said }
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  )

const ended = (...args: ReadonlyArray<string>) =>
  Effect.flatMap(started(...args), ({ closed }) => Effect.promise(() => closed)).pipe(Effect.scoped)

const seeds = {
  calls: [{ service: "keystone", method: "POST", path: "/v3/projects", body: { project: { name: "acme" } } }]
}

it.live("one line of JSON has all addresses; a seed fills a new cloud, and the file stores it", () =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const folder = yield* files.makeTempDirectoryScoped()
    yield* files.writeFileString(`${folder}/seed.json`, JSON.stringify(seeds))
    const options = ["--port", "0", "--seed", `${folder}/seed.json`, "--state", `${folder}/data/cloud.json`]

    // The second start would be refused the project that the first one made, if it filled the cloud again.
    for (const turn of ["first", "second"]) {
      const { child, closed, said } = yield* started(...options)
      yield* Effect.promise(() => Promise.race([once(child.stdout, "data"), closed]))
      assert.strictEqual(said.out.split("\n").length, 2, `${turn} ${said.out} ${said.err}`)
      const { control, services, url } = JSON.parse(said.out)
      assert.deepStrictEqual(services, addresses(url), turn)
      const state = yield* Effect.promise(() => fetch(`${control}/state`).then((_) => _.json()))
      const names = state["keystone.projects"].map((_: { name: string }) => _.name)
      assert.deepStrictEqual(names, ["admin", "acme"], turn)
      child.kill("SIGTERM")
      yield* Effect.promise(() => closed)
    }
  }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
)

it.live("a failed start exits with a message and a code", () =>
  Effect.gen(function* () {
    const server = createServer()
    yield* Effect.promise(() => new Promise<void>((done) => server.listen(0, "127.0.0.1", done)))
    yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const [help, unknown, wrong, taken, seed] = yield* Effect.all(
      [
        ended("--help"),
        ended("--prot", "1"),
        ended("--port", "70000"),
        ended("--port", `${port}`),
        ended("--port", "0", "--seed", "/nowhere.json")
      ],
      { concurrency: 2 }
    )
    assert.deepStrictEqual([help?.code, help?.err], [0, ""])
    for (const flag of ["--port", "--host", "--state", "--seed", "--json"]) assert.include(help?.out, flag)
    assert.strictEqual(unknown?.code, 2)
    assert.include(unknown?.err, "Unrecognized flag: --prot")
    assert.strictEqual(wrong?.code, 2)
    assert.include(wrong?.err, "between 0 and 65535")
    assert.strictEqual(taken?.code, 1)
    assert.include(taken?.err, `The simulated cloud cannot listen on 127.0.0.1:${port}: `)
    assert.deepStrictEqual(
      [seed?.code, seed?.err],
      [1, "The seed /nowhere.json cannot be used: there is no such file\n"]
    )
  }).pipe(Effect.scoped)
)
