import { Client, type ClientOptions } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { eventually } from "../../../gateway/test/processes/children.ts"
import { portico } from "../harness/programs.ts"

/** What a client gives the programs that it starts, and nothing of the one who runs the tests. */
const environment = (env: Readonly<Record<string, string>>) => ({
  HOME: "/nonexistent",
  PATH: process.env["PATH"] ?? "",
  PORTICO_TOKEN_STORE: "file",
  // The superuser may make the home directory, and would keep the compiled program in it.
  NODE_DISABLE_COMPILE_CACHE: "1",
  ...env
})

/** A client of the official SDK, at a `portico mcp` in a process of its own. */
export const stdioClient = Effect.fnUntraced(function* (
  env: Readonly<Record<string, string>>,
  args: ReadonlyArray<string> = [],
  options: ClientOptions = {}
) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [portico, "mcp", ...args],
    env: environment(env),
    stderr: "pipe"
  })
  const said = { stderr: "" }
  transport.stderr?.on("data", (_) => void (said.stderr += String(_)))
  const client = new Client({ name: "story", version: "1.0.0" }, options)
  yield* Effect.addFinalizer(() => Effect.promise(() => client.close()))
  return { client, transport, stderr: () => said.stderr, connected: Effect.promise(() => client.connect(transport)) }
})

const isAlive = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null

/** A `portico mcp` that a story talks to line by line. */
export const rawBridge = Effect.fnUntraced(function* (
  env: Readonly<Record<string, string>>,
  args: ReadonlyArray<string> = []
) {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, [portico, "mcp", ...args], { env: environment(env), stdio: "pipe" })),
    (child) => Effect.sync(() => void (isAlive(child) && child.kill("SIGKILL")))
  )
  const lines: Array<string> = []
  const said = { stderr: "" }
  createInterface({ input: child.stdout }).on("line", (_) => void lines.push(_))
  child.stderr.on("data", (_) => void (said.stderr += String(_)))
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once("close", (code, signal) => resolve(code ?? signal))
  )
  const messages = () => lines.map((_) => JSON.parse(_))
  return {
    child,
    lines: () => lines,
    messages,
    stderr: () => said.stderr,
    say: (message: object | string) =>
      Effect.sync(() => void child.stdin.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`)),
    /** Bytes that need not be text. */
    write: (bytes: Uint8Array) => Effect.sync(() => void child.stdin.write(bytes)),
    /** The answer to a request, once it is there. */
    answer: (id: number | string) =>
      eventually(
        Effect.suspend(() => {
          const found = messages().find((_) => _.id === id && _.method === undefined)
          return found === undefined ? Effect.fail(`no answer to ${id}: ${said.stderr}`) : Effect.succeed(found)
        })
      ),
    close: Effect.sync(() => void child.stdin.end()),
    ended: Effect.promise(() => ended)
  }
})
