import { Threads, threadCounts } from "@portico/domain/limits/Threads"
import { ConfigProvider, Effect, Layer, Option, Schema } from "effect"
import { isMainThread, parentPort, workerData } from "node:worker_threads"
import { Asked, type Said, ThreadData } from "./messages.ts"

/** What the thread was made for; undefined in the process's own thread. */
export const threadData: ThreadData["portico"] | undefined = isMainThread
  ? undefined
  : Option.getOrUndefined(Schema.decodeUnknownOption(ThreadData)(workerData))?.portico

const isAsked = Schema.is(Asked)
/** To the process. */
export const say = (said: Said): void => parentPort?.postMessage(said)

/** Hears what the process asks. */
export const onAsked = (listener: (asked: Asked) => void): void => {
  parentPort?.on("message", (asked: unknown) => {
    if (isAsked(asked)) listener(asked)
  })
  // To listen for questions is no reason to go on when everything else has ended.
  parentPort?.unref()
}

/** Milliseconds between two signs that the event loop turns. */
const turnInterval = 250

/** Shows the process that the event loop of this thread turns. */
export const showTurns = (data: ThreadData["portico"]) => {
  const turns = new Int32Array(data.turns)
  return Effect.acquireRelease(
    Effect.sync(() => {
      // The first sign says that there will be more.
      Atomics.add(turns, 0, 1)
      return setInterval(() => Atomics.add(turns, 0, 1), turnInterval).unref()
    }),
    (timer) => Effect.sync(() => clearInterval(timer))
  )
}

/** The counts that the thread shares, and the settings that the process has decided. */
export const threadLayer = (data: ThreadData["portico"]) =>
  Layer.merge(
    Layer.succeed(Threads, threadCounts(data, data.index)),
    Layer.effect(
      ConfigProvider.ConfigProvider,
      Effect.map(ConfigProvider.ConfigProvider, (environment) =>
        ConfigProvider.orElse(ConfigProvider.fromUnknown(data.settings), environment)
      )
    )
  )

/** Completes when the process asks the thread to stop. */
export const stopAsked: Effect.Effect<void> = Effect.callback<void>((resume) =>
  onAsked(({ kind }) => {
    if (kind === "stop") resume(Effect.void)
  })
)
