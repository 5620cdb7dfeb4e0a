import { Probes } from "@portico/upstream/Probes"
import { type Api, Prometheus } from "@portico/upstream/prometheus/Prometheus"
import { selector } from "@portico/upstream/prometheus/promql"
import { serviceSeries } from "@portico/upstream/prometheus/recorded"
import { Context, Duration, Effect, Layer } from "effect"
import type { Findings } from "./findings.ts"

/** Nobody waits longer for a status: what does not answer by then does not answer. */
const patience = Duration.seconds(2)

/** However many ask, what is behind the gateway is asked once in this time. */
const believed = Duration.seconds(5)

type Found = Omit<Findings, "records">

/** What was found of the platform a moment ago. It never fails: that something cannot be read is a finding. */
export class Board extends Context.Service<Board, { readonly found: Effect.Effect<Found> }>()(
  "portico/domain/status/Board"
) {
  static readonly layer = Layer.effect(
    Board,
    Effect.gen(function* () {
      const probes = yield* Probes
      const { api } = yield* Prometheus

      const look: Effect.Effect<Found> = Effect.all(
        {
          seen: probes.states,
          available: api === undefined ? Effect.succeed(new Map<string, number | null>()) : availableOf(api)
        },
        { concurrency: "unbounded" }
      )
      return Board.of({ found: yield* Effect.cachedWithTTL(look, believed) })
    })
  )
}

/** By service; undefined when the monitoring cannot be read. */
const availableOf = ({ query }: Api): Effect.Effect<Found["available"]> =>
  query("read services", `min by (service) (${selector(serviceSeries)})`).pipe(
    Effect.timeout(patience),
    Effect.match({
      onSuccess: (samples) => new Map(samples.map(({ labels, value }) => [labels["service"] ?? "", value])),
      onFailure: () => undefined
    })
  )
