import { checkCluster, ClusterWarnings } from "@portico/domain/kubernetes/warnings"
import { Config, Duration, Effect, Layer } from "effect"

/** What a cluster refuses changes seldom: it is asked once in so many looks at the other systems. */
const looks = 20

/** Checks by and by what the cluster's own admission refuses, and logs what it newly lacks. A check that fails says nothing. */
export const layer = Layer.effect(
  ClusterWarnings,
  Effect.gen(function* () {
    const interval = Duration.seconds(looks * (yield* Config.Int("PROBE_SECONDS").pipe(Config.withDefault(15))))
    let current: ReadonlyArray<string> = []
    const round = Effect.gen(function* () {
      const found = yield* checkCluster()
      for (const warning of found.filter((_) => !current.includes(_))) yield* Effect.logWarning(warning)
      current = found
    }).pipe(Effect.timeout("30 seconds"), Effect.ignoreCause({ log: "Debug" }))
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(round, Effect.sleep(interval))))
    return { current: () => current }
  })
)
