import { threadCounts, threadMemory } from "@portico/domain/limits/Threads"
import { stopDeadlines } from "@portico/domain/health/Stopping"
import {
  type Cause,
  Context,
  Deferred,
  Duration,
  Effect,
  Exit,
  Layer,
  Option,
  Schedule,
  Schema,
  type Scope
} from "effect"
import { createServer } from "node:net"
import { Worker } from "node:worker_threads"
import { CannotStart } from "../launch.ts"
import { writeLines } from "../observability/outputs.ts"
import { countersOf } from "./mergedMetrics.ts"
import { type Asked, Said, type ThreadData } from "./messages.ts"

/** The threads beside this one that serve the same process. */
export const OtherThreads = Context.Reference<{
  /** The metrics of each, as text: of one that does not answer in time, its last ones. */
  readonly metrics: Effect.Effect<ReadonlyArray<string>>
}>("portico/gateway/threads/OtherThreads", { defaultValue: () => ({ metrics: Effect.succeed([]) }) })

/** Where the planes of the workers listen; null where the first has no plane of agents. */
export interface WorkerAddresses {
  readonly customer: string
  readonly agent: string | null
}

/**
 * Threads that serve the plane of tenants, each with an event loop and a heap of its own. All of them listen on the
 * same address, and the kernel gives each connection to one of them. The first one has the plane of agents too. What a
 * tenant may do in a minute and have open at once is counted for all of them together.
 */
export class Workers extends Context.Service<
  Workers,
  {
    /**
     * Starts them, until the scope ends. One that ends before is logged and replaced; its calls are broken off, and
     * the slots that they held are free.
     *
     * Errors: one does not start; its own log says why.
     */
    start(settings: Readonly<Record<string, string>>): Effect.Effect<WorkerAddresses, CannotStart, Scope.Scope>
    readonly metrics: Effect.Effect<ReadonlyArray<string>>
  }
>()("portico/gateway/threads/Workers") {
  /**
   * So many of them, none of which has started.
   *
   * @param program what they run: by default what this process was started with
   * @param silence how long one may leave questions without an answer
   */
  static readonly layer = (
    count: number,
    program: string = process.argv[1] ?? "",
    silence: Duration.Duration = Duration.seconds(30)
  ) => Layer.sync(Workers, () => workersOf({ count, program, silence }))

  static readonly metrics = Layer.effect(
    OtherThreads,
    Effect.map(Workers, ({ metrics }) => ({ metrics }))
  )
}

/** The planes stop within the first second, see `stopDeadlines`. */
const stopTimeout = Duration.subtract(stopDeadlines.threads, Duration.seconds(1))
const metricsTimeout = Duration.seconds(2)
/** Pause before a thread that ended is replaced. */
const replacePause = Duration.seconds(1)
/** How often a thread shows whether its event loop turns, and after how many looks without a sign it is blocked. */
const turnLookInterval = Duration.millis(400)
const blockedAfter = 3
/** How often a thread is asked whether its event loop still turns. */
const lookInterval = Duration.seconds(5)

type Settings = Readonly<Record<string, string>>

interface Options {
  readonly count: number
  readonly program: string
  readonly silence: Duration.Duration
}

const workersOf = ({ count, program, silence }: Options): Workers["Service"] => {
  const memory = threadMemory(count)
  const live = new Map<number, Live>()
  let agent: string | null = null
  /** What threads that ended had counted: counters of the process never decrease. */
  let ended = ""
  const added = (index: number, settings: Settings) =>
    Effect.tap(started(program, { ...memory, turns: new SharedArrayBuffer(4), index, agent, settings }), (worker) =>
      Effect.sync(() => void live.set(index, worker))
    )
  /** Replaces a thread each time it ends. */
  const supervised = (index: number, settings: Settings, first: Live) =>
    Effect.gen(function* () {
      let worker: Live | undefined = first
      while (true) {
        const reason: string = worker === undefined ? "it did not start" : yield* endOf(worker, silence)
        live.delete(index)
        ended = countersOf([ended, worker?.lastMetrics() ?? ""])
        threadCounts(memory, index).slots.clear(index)
        yield* Effect.logError(`a thread of the planes ended, and is replaced: ${reason}`)
        yield* Effect.sleep(replacePause)
        // Where the system has no room for a thread, to make one is a defect of Node.
        const again: Exit.Exit<Live, CannotStart> = yield* Effect.exit(added(index, settings))
        worker = Exit.isSuccess(again) ? again.value : undefined
      }
    })
  return Workers.of({
    start: Effect.fnUntraced(function* (settings) {
      yield* Effect.addFinalizer(() =>
        Effect.forEach([...live.values()], (_) => _.stop, { concurrency: "unbounded", discard: true })
      )
      const first = yield* added(0, settings)
      agent = first.addresses.agent
      const others = yield* Effect.forEach(
        Array.from({ length: count - 1 }, (_, index) => index + 1),
        (_) => added(_, settings),
        { concurrency: "unbounded" }
      )
      for (const [index, worker] of [first, ...others].entries()) {
        yield* Effect.forkScoped(supervised(index, settings, worker))
      }
      yield* Effect.forkScoped(standInForBlocked(live))
      return first.addresses
    }),
    metrics: Effect.suspend(() =>
      Effect.map(
        Effect.forEach([...live.values()], (_) => Effect.orElseSucceed(_.metrics, _.lastMetrics), {
          concurrency: "unbounded"
        }),
        (texts) => [...texts, ended].filter((_) => _ !== "")
      )
    )
  })
}

/**
 * Lets the threads that turn take the new connections of those that are blocked. A thread that only waits for the
 * processor may be taken for blocked too, which harms nobody: it keeps the connections that it has.
 */
const standInForBlocked = (live: ReadonlyMap<number, Live>) => {
  const seen = new WeakMap<Live, { turns: number; looks: number }>()
  const isBlocked = (worker: Live): boolean => {
    const turns = worker.turns()
    const before = seen.get(worker)
    const looks = before?.turns === turns ? before.looks + 1 : 0
    seen.set(worker, { turns, looks })
    // It shows nothing before it listens.
    return turns > 0 && looks >= blockedAfter
  }
  let standing = false
  return Effect.gen(function* () {
    const blocked = new Set([...live.values()].filter(isBlocked))
    const needed = blocked.size > 0 && blocked.size < live.size
    for (const worker of live.values()) if (!blocked.has(worker)) worker.standIn(needed)
    if (needed === standing) return
    standing = needed
    yield* needed
      ? Effect.logWarning("a thread of the planes is blocked: the others take its new connections")
      : Effect.logInfo("the threads of the planes take their own connections again")
  }).pipe(Effect.delay(turnLookInterval), Effect.forever)
}

/** Waits until a thread has ended, and ends one whose event loop does not turn any more. Returns the reason. */
const endOf = (worker: Live, silence: Duration.Duration): Effect.Effect<string> => {
  const silent = worker.metrics.pipe(
    Effect.delay(Duration.min(lookInterval, silence)),
    Effect.retry(Schedule.during(silence)),
    Effect.forever,
    Effect.catch(() => Effect.andThen(worker.terminate("it did not answer any more"), worker.ended))
  )
  return Effect.raceFirst(worker.ended, silent)
}

/** A thread that listens. */
interface Live {
  readonly addresses: WorkerAddresses
  readonly metrics: Effect.Effect<string, Cause.TimeoutError>
  /** The last answer to that. */
  lastMetrics(): string
  /** Completes with the reason when it has ended. */
  readonly ended: Effect.Effect<string>
  readonly stop: Effect.Effect<void>
  /** Grows while its event loop turns. */
  turns(): number
  /** Whether it takes new connections of others. */
  standIn(on: boolean): void
  /** Ends it at once, for that reason. */
  terminate(reason: string): Effect.Effect<void>
}

const isSaid = Schema.is(Said)

const started = Effect.fnUntraced(function* (program: string, data: ThreadData["portico"]) {
  const listens = yield* Deferred.make<WorkerAddresses, CannotStart>()
  const end = yield* Deferred.make<string>()
  const asked = new Map<number, (text: string) => void>()
  const worker = new Worker(program, { workerData: { portico: data } satisfies ThreadData, stdout: true, stderr: true })
  // Node would pass on what a thread writes until the first error of the process's own streams, and never again.
  for (const output of [worker.stdout, worker.stderr]) output.setEncoding("utf8").on("data", writeLines)
  const turns = new Int32Array(data.turns)
  let standsIn = false
  let reason = "it stopped"
  /** Where a start fails whose thread could not say so itself. */
  let why = "the log says why"
  let last = ""
  let rounds = 0
  worker.on("message", (said: unknown) => {
    if (!isSaid(said)) return
    if (said.kind === "listens") return void Effect.runFork(Deferred.succeed(listens, said))
    last = said.text
    asked.get(said.round)?.(said.text)
    asked.delete(said.round)
  })
  worker.on("error", (error) => {
    why = error instanceof Error ? error.message : String(error)
    reason = error instanceof Error ? (error.stack ?? error.message) : why
  })
  worker.on("exit", () => {
    const failed = new CannotStart({ message: `A thread of the planes did not start: ${why}.` })
    Effect.runFork(Effect.andThen(Deferred.fail(listens, failed), Deferred.succeed(end, reason)))
  })
  const say = (asked: Asked) => worker.postMessage(asked)
  const metrics = Effect.timeout(
    Effect.callback<string>((resume) => {
      const round = (rounds += 1)
      asked.set(round, (text) => resume(Effect.succeed(text)))
      say({ kind: "metrics", round })
      return Effect.sync(() => asked.delete(round))
    }),
    metricsTimeout
  )
  const terminate = (because: string) =>
    Effect.promise(async () => {
      reason = because
      await worker.terminate()
    })
  const stop = Effect.gen(function* () {
    say({ kind: "stop" })
    const ended = yield* Effect.timeoutOption(Deferred.await(end), stopTimeout)
    if (Option.isNone(ended)) yield* terminate("it did not stop")
  })
  const addresses = yield* Effect.onInterrupt(Deferred.await(listens), () => stop)
  return {
    addresses,
    metrics,
    lastMetrics: () => last,
    ended: Deferred.await(end),
    stop,
    turns: () => Atomics.load(turns, 0),
    standIn: (on) => {
      if (on === standsIn) return
      standsIn = on
      say({ kind: "standIn", on })
    },
    terminate
  } satisfies Live
})

/**
 * A port on which nobody else listens: the threads listen in a way that would let another process in.
 *
 * @param port 0 for any free one
 */
export const reservedPort = (host: string, port: number): Effect.Effect<number, Error> =>
  Effect.callback((resume) => {
    // Nothing answers here: a client is told so at once, and comes again.
    const server = createServer((socket) => socket.resetAndDestroy())
    server.once("error", (error) => resume(Effect.fail(error)))
    server.listen(port, host, () => {
      const address = server.address()
      const found = typeof address === "object" && address !== null ? address.port : port
      server.close(() => resume(Effect.succeed(found)))
    })
  })
