import { Effect, Layer, Option } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { ListeningPlanes } from "./discovery/ListeningPlanes.ts"
import { AgentAddress, CustomerAddress } from "./Planes.ts"
import { onAsked, say, showTurns, threadData } from "./threads/worker.ts"

/** Says where the planes listen, hears where those of other threads do, and answers for the metrics of this thread. */
export const reporting = Layer.effectDiscard(
  Effect.gen(function* () {
    const customer = yield* CustomerAddress
    const agent = yield* Effect.serviceOption(AgentAddress)
    const planes = yield* ListeningPlanes
    const elsewhere = threadData?.agent ?? null
    if (threadData !== undefined) yield* showTurns(threadData)
    if (Option.isNone(agent) && elsewhere !== null) planes.listens("agent", elsewhere)
    const context = yield* Effect.context<never>()
    onAsked((asked) => {
      if (asked.kind !== "metrics") return
      say({ kind: "metrics", round: asked.round, text: PrometheusMetrics.formatUnsafe(context) })
    })
    say({ kind: "listens", customer: customer.url, agent: Option.getOrNull(agent)?.url ?? null })
  })
)
