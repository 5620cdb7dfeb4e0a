import { checkCluster, ClusterWarnings } from "@portico/domain/kubernetes/warnings"
import { Duration, Effect, Layer } from "effect"
import { job, seconds } from "./job.ts"

/** What a cluster refuses seldom changes. This check runs once in so many rounds of the other probes. */
const rounds = 20

/**
 * Checks regularly what the cluster's own admission refuses, and logs every new finding. A check that fails keeps the
 * last result.
 */
export const layer = Layer.effect(
  ClusterWarnings,
  Effect.gen(function* () {
    const every = Duration.times(yield* seconds("PROBE_SECONDS", 15), rounds)
    let current: ReadonlyArray<string> = []
    const round = Effect.gen(function* () {
      const found = yield* checkCluster()
      for (const warning of found.filter((_) => !current.includes(_))) yield* Effect.logWarning(warning)
      current = found
    }).pipe(
      Effect.timeout("30 seconds"),
      Effect.ignoreCause({ log: "Debug", message: "the cluster could not be checked" })
    )
    yield* job({ name: "check_cluster", every, after: Duration.zero, round })
    return { current: () => current }
  })
)
