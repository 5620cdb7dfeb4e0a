import { Threads, threadCounts } from "@portico/domain/ceilings/Threads"
import { ConfigProvider, Effect, Layer, Option, Schema } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { isMainThread, parentPort, workerData } from "node:worker_threads"
import { ListeningPlanes } from "../discovery/ListeningPlanes.ts"
import { AgentAddress, CustomerAddress } from "../Planes.ts"
import { Asked, type Said, ThreadData } from "./messages.ts"

/** What the thread was made for; undefined in the process's own thread. */
export const threadData: ThreadData["portico"] | undefined = isMainThread
  ? undefined
  : Option.getOrUndefined(Schema.decodeUnknownOption(ThreadData)(workerData))?.portico

const isAsked = Schema.is(Asked)
const say = (said: Said): void => parentPort?.postMessage(said)

const onAsked = (listener: (asked: Asked) => void): void => {
  parentPort?.on("message", (asked: unknown) => {
    if (isAsked(asked)) listener(asked)
  })
  // To listen for questions is no reason to go on when everything else has ended.
  parentPort?.unref()
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

/** Says where the planes listen, hears where those of other threads do, and answers for the metrics of this thread. */
export const reporting = Layer.effectDiscard(
  Effect.gen(function* () {
    const customer = yield* CustomerAddress
    const agent = yield* Effect.serviceOption(AgentAddress)
    const planes = yield* ListeningPlanes
    const elsewhere = threadData?.agent ?? null
    if (Option.isNone(agent) && elsewhere !== null) planes.listens("agent", elsewhere)
    const context = yield* Effect.context<never>()
    onAsked((asked) => {
      if (asked.kind !== "metrics") return
      say({ kind: "metrics", round: asked.round, text: PrometheusMetrics.formatUnsafe(context) })
    })
    say({ kind: "listens", customer: customer.url, agent: Option.getOrNull(agent)?.url ?? null })
  })
)

/** Completes when the process asks the thread to stop. */
export const stopAsked: Effect.Effect<void> = Effect.callback<void>((resume) =>
  onAsked(({ kind }) => {
    if (kind === "stop") resume(Effect.void)
  })
)
