import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { setPriority } from "node:os"
import { join } from "node:path"
import type { Failure, Scope } from "./Mutant.ts"
import type { Message, Request } from "./runner.ts"
import type { Tree } from "./tree.ts"

export interface Run {
  /** The files that ran to their end, with the time that they took. */
  readonly ended: ReadonlyMap<string, number>
  readonly failures: ReadonlyArray<Failure>
  /** Whether the time was over before all files had run. */
  readonly capped: boolean
}

/** How long a test that runs when another one has failed may take to its end. */
const cancelTimeout = 20_000

export interface Limits {
  readonly untilFailure: boolean
  /** The time for all files. */
  readonly cap: number
  /** The time after which one file hangs. */
  readonly hang: (file: string) => number
}

/** A process that runs test files in a tree, again and again; one that hangs is killed and replaced. */
export class Lane {
  readonly tree: Tree
  readonly #environment: NodeJS.ProcessEnv
  #child: ChildProcess | undefined
  files: ReadonlyArray<string> = []

  constructor(tree: Tree, scope: Scope, seed: number) {
    this.tree = tree
    const { PORTICO_TESTS: _, ...rest } = process.env
    const those = scope === "all" ? { PORTICO_TESTS: "all" } : { PORTICO_TEST_SEED: String(seed) }
    this.#environment = { ...rest, ...those, NODE_ENV: "test" }
  }

  async start(): Promise<void> {
    const child = fork(join(this.tree.root, "scripts/mutants/runner.ts"), {
      cwd: this.tree.root,
      env: this.#environment,
      execPath: join(this.tree.root, "node_modules/.bin/node"),
      detached: true,
      stdio: ["ignore", "ignore", "inherit", "ipc"]
    })
    if (child.pid !== undefined) setPriority(child.pid, 10)
    this.#child = child
    const [message]: Array<Message> = await once(child, "message")
    if (message !== undefined && "files" in message) this.files = message.files
  }

  async stop(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child?.pid === undefined || child.exitCode !== null) return
    const ended = once(child, "exit")
    process.kill(-child.pid, "SIGKILL")
    await ended
  }

  async distances(): Promise<Readonly<Record<string, Readonly<Record<string, number>>>>> {
    this.#send({ distances: true })
    const [message]: Array<Message> = await once(this.#child ?? process, "message")
    return message !== undefined && "distances" in message ? message.distances : {}
  }

  async run(files: ReadonlyArray<string>, { cap, hang, untilFailure }: Limits): Promise<Run> {
    if (this.#child === undefined) await this.start()
    const child = this.#child
    if (child === undefined) throw new Error("the process that runs tests has not started")
    const ended = new Map<string, number>()
    const failures: Array<Failure> = []
    let running = { file: "", since: performance.now() }
    const began = performance.now()
    const isDone = await new Promise<boolean>((resolve) => {
      const listen = (message: Message) => {
        if ("started" in message) running = { file: message.started, since: performance.now() }
        if ("failed" in message) {
          failures.push(message.failed)
          running = { file: message.failed.file, since: performance.now() }
        }
        if ("ended" in message && failures.every((_) => _.file !== message.ended)) ended.set(message.ended, message.ms)
        if ("done" in message && message.failure !== undefined) failures.push(message.failure)
        if ("done" in message) over(true)
      }
      const look = () => {
        const [run, all] = [performance.now() - running.since, performance.now() - began]
        if (failures.length > 0 && untilFailure) return run > cancelTimeout ? over(false) : undefined
        if (run > hang(running.file)) failures.push({ how: "hang", file: running.file, test: "", error: "" })
        if (all > cap || run > hang(running.file)) over(false)
      }
      const died = () => {
        failures.push({ how: "unhandled", file: running.file, test: "", error: "the process that runs tests ended" })
        over(false)
      }
      const timer = setInterval(look, 500)
      const over = (isDone: boolean) => {
        clearInterval(timer)
        child.off("message", listen).off("exit", died)
        resolve(isDone)
      }
      child.on("message", listen).on("exit", died)
      this.#send({ run: files, untilFailure })
    })
    if (!isDone) await this.stop()
    return { ended, failures, capped: !isDone && failures.length === 0 }
  }

  #send(request: Request): void {
    this.#child?.send(request)
  }
}
