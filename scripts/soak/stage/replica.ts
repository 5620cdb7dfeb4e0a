import { programOf } from "../../../packages/gateway/test/processes/bundles.ts"
import { type Child, firstLine, spawned } from "../../../packages/gateway/test/processes/children.ts"
import { Effect, Exit, FileSystem, Scope } from "effect"
import { join } from "node:path"
import type { Evidence, ProcessLife } from "../evidence.ts"

/** The addresses of a replica, which stay the same over its restarts. */
export interface Ports {
  readonly customer: number
  readonly operator: number
  readonly agent: number
}

interface Running {
  readonly child: Child
  readonly scope: Scope.Closeable
  readonly life: ProcessLife
}

/** A replica of the gateway: one process after another at the same addresses. */
export const replica = Effect.fnUntraced(function* (
  name: string,
  options: {
    readonly evidence: Evidence
    readonly ports: Ports
    readonly settings: Readonly<Record<string, string>>
    /** Where the logs of its processes are kept. */
    readonly logs: string
    readonly flags?: ReadonlyArray<string>
  }
) {
  const { evidence, logs, ports, settings } = options
  const fs = yield* FileSystem.FileSystem
  const program = yield* programOf("gateway")
  let starts = 0
  let running: Running | undefined

  const noteEnd = ({ child, life }: Running) =>
    Effect.gen(function* () {
      const how = yield* child.ended
      life.endedAt = evidence.now()
      life.how = String(how)
      const log = child.stderr()
      yield* Effect.ignore(fs.writeFileString(join(logs, `${life.name}.log`), log))
      evidence.complaints.push(...complaintsIn(log).map((line) => `${life.name}: ${line}`))
    })

  const start = Effect.gen(function* () {
    starts += 1
    const life: ProcessLife = {
      name: `${name}${starts}`,
      startedAt: evidence.now(),
      readyAt: undefined,
      endedAt: undefined,
      expected: false,
      how: undefined
    }
    const scope = yield* Scope.make()
    const child = yield* spawned({
      command: [process.execPath, "--inspect=127.0.0.1:0", ...(options.flags ?? []), program],
      settings: {
        ...settings,
        NODE_ENV: "production",
        CUSTOMER_PORT: String(ports.customer),
        OPERATOR_PORT: String(ports.operator),
        AGENT_PORT: String(ports.agent)
      }
    }).pipe(Scope.provide(scope))
    const started = { child, scope, life }
    running = started
    evidence.processes.push(life)
    yield* Effect.forkDetach(noteEnd(started))
    yield* firstLine(child)
    life.readyAt = evidence.now()
  })

  const end = Effect.fnUntraced(function* (signal: NodeJS.Signals) {
    if (running === undefined) return
    const { child, life, scope } = running
    life.expected = true
    yield* child.signal(signal)
    yield* Effect.timeoutOrElse(child.ended, {
      duration: "40 seconds",
      orElse: () => {
        life.expected = false
        life.how = `did not end within 40 s of ${signal}`
        return Effect.andThen(child.signal("SIGKILL"), child.ended)
      }
    })
    yield* Effect.sleep("50 millis")
    yield* Scope.close(scope, Exit.void)
    running = undefined
  })

  yield* Effect.addFinalizer(() => end("SIGTERM"))
  yield* start
  return {
    name,
    customer: `https://127.0.0.1:${ports.customer}`,
    operator: `https://127.0.0.1:${ports.operator}`,
    agent: `http://127.0.0.1:${ports.agent}`,
    start,
    kill: end("SIGKILL"),
    stop: end("SIGTERM"),
    /** The process that runs now. */
    process: () => running?.life.name ?? `${name}-`,
    isReady: () => running?.life.readyAt !== undefined,
    pid: () => running?.child.pid,
    inspector: () => /ws:\/\/\S+/.exec(running?.child.stderr() ?? "")?.[0]
  }
})

export type Replica = Effect.Success<ReturnType<typeof replica>>

/** What a log says when a record is lost, or the process broke. */
const complaintsIn = (log: string): ReadonlyArray<string> =>
  log
    .split("\n")
    .filter((_) => /an event is lost|unhandled|FATAL ERROR|uncaught|out of memory/i.test(_))
    .map((_) => _.slice(0, 400))
    .slice(0, 20)
