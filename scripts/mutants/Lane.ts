import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { setPriority } from "node:os"
import { join } from "node:path"
import type { Failure, Scope } from "./Mutant.ts"
import type { Distances, Message } from "./runner.ts"

export interface Run {
  /** The green files, with the time that they took. */
  readonly green: ReadonlyMap<string, number>
  readonly failures: ReadonlyArray<Failure>
  /** Whether the time was over before all files had run. */
  readonly capped: boolean
  readonly distances: Distances
}

export interface Limits {
  readonly untilFailure: boolean
  /** The time for all files. */
  readonly cap: number
  /** The time after which one file hangs. */
  readonly hang: (file: string) => number
}

/** How long a test that runs when another one has failed may take to its end. */
const cancelTimeout = 20_000

/** A process that runs test files in a tree, again and again; one that hangs is killed and replaced. */
export class Lane {
  readonly root: string
  files: ReadonlyArray<string> = []
  readonly #env: NodeJS.ProcessEnv
  #child: ChildProcess | undefined

  constructor(root: string, scope: Scope, seed: number) {
    this.root = root
    const { PORTICO_TESTS: _, ...rest } = process.env
    const those = scope === "all" ? { PORTICO_TESTS: "all" } : { PORTICO_TEST_SEED: String(seed) }
    this.#env = { ...rest, ...those, NODE_ENV: "test" }
  }

  async start(): Promise<ChildProcess> {
    const child = fork(join(this.root, "scripts/mutants/runner.ts"), {
      cwd: this.root,
      env: this.#env,
      execPath: join(this.root, "node_modules/.bin/node"),
      detached: true,
      stdio: ["ignore", "ignore", "inherit", "ipc"]
    })
    if (child.pid !== undefined) setPriority(child.pid, 10)
    this.#child = child
    const [message]: Array<Message> = await once(child, "message")
    if (message?.is === "ready") this.files = message.files
    return child
  }

  async stop(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    process.kill(-child.pid, "SIGKILL")
    await once(child, "exit")
  }

  async run(files: ReadonlyArray<string>, { cap, hang, untilFailure }: Limits): Promise<Run> {
    const child = this.#child ?? (await this.start())
    const green = new Map<string, number>()
    const failures: Array<Failure> = []
    const began = performance.now()
    let [running, since] = ["", began]
    let distances: Distances = {}
    const fail = (how: Failure["how"], file: string, error: string) => failures.push({ how, file, test: "", error })
    const isDone = await new Promise<boolean>((resolve, reject) => {
      const listen = (message: Message) => {
        if (message.is === "started" || message.is === "failed") [running, since] = [message.file, performance.now()]
        if (message.is === "failed") failures.push(message)
        if (message.is === "green") green.set(message.file, message.ms)
        if (message.is !== "done") return
        if (message.error !== undefined) fail("unhandled", message.file || running, message.error)
        distances = message.distances
        over(true)
      }
      // It was ended from outside or had no memory: that says nothing of a mutant.
      const died = () => reject(new Error("A process that runs tests was ended. The same command goes on."))
      const look = () => {
        const [run, all] = [performance.now() - since, performance.now() - began]
        const isCancelled = untilFailure && failures.length > 0
        const isHanging = !isCancelled && run > hang(running)
        if (isHanging) fail("hang", running, "")
        if (isHanging || (isCancelled ? run > cancelTimeout : all > cap)) over(false)
      }
      const timer = setInterval(look, 500)
      const over = (isDone: boolean) => {
        clearInterval(timer)
        child.off("message", listen).off("exit", died)
        resolve(isDone)
      }
      child.on("message", listen).on("exit", died).send({ files, untilFailure })
    })
    if (!isDone) await this.stop()
    return { green, failures, capped: !isDone && failures.length === 0, distances }
  }
}
