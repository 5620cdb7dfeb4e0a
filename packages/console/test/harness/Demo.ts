import type { DevFile } from "../../../gateway/src/start/DevFile.ts"
import { Effect } from "effect"
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll } from "vitest"
import { programOf } from "../../../gateway/test/processes/bundles.ts"

const root = fileURLToPath(new URL("../../../..", import.meta.url))

/** The console is built beside its sources, and a program in one piece does not know where these are. */
const consoleDirectory = join(root, "packages/console")
let built: Promise<unknown> | undefined
const build = () => (built ??= promisify(execFile)(process.execPath, [join(consoleDirectory, "build/build.ts")]))

/** A free port: a console that is started again has to be where it was. */
const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.on("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/** Of the gateway, beside those of the demo. */
type Settings = Readonly<Record<string, string>>

/** `npm start`, as a person who tries the product has it: the simulated cloud, the planes and their consoles. */
export class Demo {
  readonly dev: DevFile
  readonly #directory: string
  readonly #environment: Settings
  #process: ChildProcess

  private constructor(directory: string, environment: Settings, process: ChildProcess) {
    this.#directory = directory
    this.#environment = environment
    this.#process = process
    this.dev = JSON.parse(readFileSync(join(directory, "dev.json"), "utf8"))
  }

  static async start(settings: Settings = {}): Promise<Demo> {
    const directory = mkdtempSync(join(tmpdir(), "portico-console-"))
    chmodSync(directory, 0o711)
    const names = ["CUSTOMER_PORT", "OPERATOR_PORT", "AGENT_PORT", "CLOUD_PORT", "CLOUD_S3_PORT"]
    const ports = Object.fromEntries(await Promise.all(names.map(async (name) => [name, String(await freePort())])))
    const environment = { ...ports, ...settings }
    return new Demo(directory, environment, await up(directory, environment))
  }

  console(plane: "customer" | "operator" = "customer"): string {
    return `${plane === "customer" ? this.dev.customer_url : this.dev.operator_url}/console`
  }

  /** The simulated cloud fails as the rule says, until {@link heals}. */
  async fails(rule: object): Promise<void> {
    const answer = await fetch(`${this.dev.cloud_url}/faults`, { method: "POST", body: JSON.stringify(rule) })
    if (answer.status !== 201) throw new Error(await answer.text())
  }

  /** A record of the DNS outside the cloud. */
  async publishes(record: {
    readonly name: string
    readonly type: string
    readonly records: ReadonlyArray<string>
  }): Promise<void> {
    const answer = await fetch(`${this.dev.cloud_url}/dns`, { method: "PUT", body: JSON.stringify(record) })
    if (answer.status !== 204) throw new Error(await answer.text())
  }

  async heals(): Promise<void> {
    await fetch(`${this.dev.cloud_url}/faults`, { method: "DELETE" })
  }

  /** The gateway dies, and with it everything that was not written down. */
  async kill(): Promise<void> {
    await ended(this.#process, "SIGKILL")
  }

  /** At the same addresses. */
  async startAgain(): Promise<void> {
    this.#process = await up(this.#directory, this.#environment)
  }

  async stop(): Promise<void> {
    await ended(this.#process, "SIGTERM")
    rmSync(this.#directory, { recursive: true, force: true })
  }
}

const up = async (directory: string, settings: Settings): Promise<ChildProcess> => {
  const [program] = await Promise.all([Effect.runPromise(programOf("start")), build()])
  const environment = { CONSOLE_DIR: join(consoleDirectory, "dist"), ...settings, PORTICO_DATA_DIR: directory }
  return new Promise((resolve, reject) => {
    const child = spawn(join(root, "node_modules/.bin/node"), [program], {
      cwd: root,
      env: { ...process.env, ...environment },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let said = ""
    const listen = (chunk: Buffer) => {
      said += chunk.toString()
      if (said.includes("Ctrl-C stops all of it") && existsSync(join(directory, "dev.json"))) resolve(child)
    }
    child.stdout.on("data", listen)
    child.stderr.on("data", listen)
    child.once("exit", (code) => reject(new Error(`The demo ended with ${code}: ${said}`)))
  })
}

const ended = (child: ChildProcess, signal: NodeJS.Signals): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once("exit", () => resolve())
    child.kill(signal)
  })

/** The demo of this file, which is stopped after its stories. */
export const demoOf = (settings?: () => Promise<Settings>): (() => Promise<Demo>) => {
  let started: Promise<Demo> | undefined
  afterAll(async () => {
    const demo = await started?.catch(() => undefined)
    await demo?.stop()
  })
  return () => (started ??= Promise.resolve(settings?.()).then((_) => Demo.start(_)))
}
