import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { execFile } from "node:child_process"
import { createServer } from "node:http"
import { Cast } from "../../../gateway/test/harness/Cast.ts"
import { TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import { commandLine } from "../harness/commandLine.ts"
import { portico } from "../harness/programs.ts"
import { OutputFailed } from "../../src/Screen.ts"

/** A shell runs `portico` as it is; what it writes, and how it ended. */
const shell = (script: string, more: Readonly<Record<string, string>> = {}) =>
  Effect.callback<{ readonly stdout: string; readonly stderr: string }>((resume) => {
    const env = { PATH: "/usr/bin:/bin", NODE: process.execPath, BIN: portico, ...more }
    execFile("bash", ["--norc", "-c", `portico() { "$NODE" "$BIN" "$@"; }; ${script}`], { env }, (_, stdout, stderr) =>
      resume(Effect.succeed({ stdout, stderr }))
    )
  })

/** Every way in which commands print. */
const printing = [
  "--help",
  "--version",
  "completion bash",
  "credentials list --output table",
  "credentials list --output json",
  "doctor --output table",
  "doctor --output json",
  "agents list",
  "api /v1/whoami"
]

layer(Cast.layer.pipe(Layer.provideMerge(TestGateway.layer)), { excludeTestServices: true })("a process", (it) => {
  it.effect("ends quietly when its reader closes, and reports a full disk", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const { acme } = yield* Cast
      const env = { HOME: "/nonexistent", PORTICO_URL: url.customer, PORTICO_TOKEN: acme.tokens[1] }
      const full = "The output could not be written: no space is left on the device."
      for (const line of printing) {
        const script =
          `portico ${line} >/dev/null 2>&1; echo "$?"; ` +
          `exec 3> >(exec true); wait "$!"; portico ${line} >&3; echo "$?"; ` +
          `portico ${line} 2>&1 >/dev/full; echo "$?"`
        const { stderr, stdout } = yield* shell(script, env)
        assert.deepStrictEqual([stdout, stderr], [`0\n141\n${full}\n5\n`, ""], line)
      }
    })
  )

  it.effect("exits as the program that it runs, also on a signal", () =>
    Effect.gen(function* () {
      const env = { PORTICO_URL: "http://127.0.0.1:1", PORTICO_TOKEN: "a-token" }
      const pipe = yield* shell('portico exec -- yes | head -n 1; echo "${PIPESTATUS[0]}"', env)
      assert.deepStrictEqual(pipe, { stdout: "y\n141\n", stderr: "" })
      const killed = yield* shell('portico exec -- sh -c "kill -9 \\$\\$"; echo "$?"', env)
      assert.deepStrictEqual(killed, { stdout: "137\n", stderr: "" })
      const own = yield* shell('portico exec -- sh -c "exit 7"; echo "$?"', env)
      assert.deepStrictEqual(own, { stdout: "7\n", stderr: "" })
    })
  )
})

describe("a process", () => {
  it.effect("ends quietly when the reader of passed-on bytes closes", () =>
    Effect.gen(function* () {
      const server = yield* Effect.acquireRelease(
        Effect.callback<ReturnType<typeof createServer>>((resume) => {
          const server = createServer((_, response) => {
            response.setHeader("content-type", "application/octet-stream").end(Buffer.alloc(4_000_000, 1))
          })
          server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
        }),
        (_) => Effect.sync(() => _.close())
      )
      const { port = 0 } = Object(server.address())
      const env = { PORTICO_URL: `http://127.0.0.1:${port}`, PORTICO_TOKEN: "a-token" }
      const head = yield* shell('portico api /v1/image | head -c 10 | wc -c; echo "${PIPESTATUS[0]}"', env)
      assert.deepStrictEqual(head, { stdout: "10\n141\n", stderr: "" })
      const full = yield* shell("portico api /v1/image >/dev/full", env)
      assert.deepStrictEqual(full, {
        stdout: "",
        stderr: "The output could not be written: no space is left on the device.\n"
      })
    }).pipe(Effect.scoped)
  )

  it.effect("keeps running when its output cannot be written", () =>
    Effect.gen(function* () {
      const { stdout } = yield* shell('portico whoami 2>/dev/full; echo "$?"; portico --version 2>&- | wc -l')
      assert.strictEqual(stdout.replaceAll(" ", ""), "3\n1\n")
    })
  )

  it.effect("reports a nonsensical answer, and prints nothing of it to the terminal", () =>
    Effect.gen(function* () {
      const hostile = "\u001b]52;c;eA==\u0007\u202e"
      const server = yield* Effect.acquireRelease(
        Effect.callback<ReturnType<typeof createServer>>((resume) => {
          const body = JSON.stringify({ currency: hostile, total: hostile, tenant: {}, roles: [] })
          const server = createServer((_, response) => response.setHeader("content-type", "application/json").end(body))
          server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
        }),
        (_) => Effect.sync(() => _.close())
      )
      const { port = 0 } = Object(server.address())
      const env = { PORTICO_URL: `http://127.0.0.1:${port}`, PORTICO_TOKEN: "a-token" }
      for (const command of ["costs", "quotas", "status", "signups"]) {
        const { exit, stderr, stdout } = yield* commandLine([command], { env, columns: 80 })
        assert.strictEqual(exit, 5, command)
        assert.match(stderr, /^The answer of the platform is not one that this command knows: /)
        assert.notMatch(stderr, /\n\s+at /)
        // oxlint-disable-next-line no-control-regex -- they are what is looked for
        assert.notMatch(stdout + stderr, /[\u001b\u0007\u202e]/)
      }
    })
  )

  it.effect("reports a mistyped command line on stderr, with where its help is", () =>
    Effect.gen(function* () {
      const unknown = yield* commandLine(["nosuch"])
      assert.deepStrictEqual([unknown.exit, unknown.stdout], [2, ""])
      assert.strictEqual(unknown.stderr, `Unknown subcommand "nosuch" for "portico".\nSee 'portico --help'.\n`)
      const limit = yield* commandLine(["credentials", "list", "--limit", "0"])
      assert.strictEqual(limit.exit, 2)
      assert.match(
        limit.stderr,
        /^Invalid value for flag --limit: "0"\. Expected: 1 or more\.\nSee 'portico cred[^\n]*\n$/
      )
    })
  )

  it.effect("has its global flags in the help of the root alone, within the window", () =>
    Effect.gen(function* () {
      const columns = 60
      const [root, group] = yield* Effect.all([
        commandLine(["--help"], { columns }),
        commandLine(["credentials", "--help"], { columns })
      ])
      assert.include(root.stdout, "--fields names")
      assert.notMatch(root.stdout, /--wizard|--completions|--log-level/)
      assert.deepStrictEqual(
        root.stdout.split("\n").filter((_) => _.length > columns),
        []
      )
      assert.notInclude(group.stdout, "--fields")
      assert.include(group.stdout, "'portico --help' for global flags")
    })
  )

  it.effect("fails at any write, not only the first", () =>
    Effect.gen(function* () {
      const failing = (code: string) => ({ beforeWrite: () => Effect.fail(new OutputFailed({ code })) })
      assert.deepStrictEqual(yield* commandLine(["--version"], failing("EPIPE")), { exit: 141, stdout: "", stderr: "" })
      const io = yield* commandLine(["--version"], failing("EIO"))
      assert.deepStrictEqual(io, {
        exit: 5,
        stdout: "",
        stderr: "The output could not be written: the device has an error.\n"
      })
    })
  )
})
