import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { outliveOutputs } from "@portico/simulator/outputs"
import { Console, Effect, type Scope } from "effect"
import { abuseBench } from "./abuse.ts"
import { agentsBench } from "./agents.ts"
import { cliBench } from "./cli.ts"
import { consoleBench } from "./console.ts"
import { controlBench } from "./control.ts"
import { eventsBench } from "./events.ts"
import { faultsBench } from "./faults.ts"
import { idleBench } from "./idle.ts"
import { limitsBench } from "./limits.ts"
import { memoryBench } from "./memory.ts"
import { onboardBench } from "./onboard.ts"
import { proxyBench } from "./proxy.ts"
import { replicasBench } from "./replicas.ts"
import { resourcesBench } from "./resources.ts"

/** One file per benchmark. */
const benches = new Map<string, Effect.Effect<void, unknown, NodeServices.NodeServices | Scope.Scope>>([
  ["abuse", abuseBench],
  ["agents", agentsBench],
  ["cli", cliBench],
  ["console", consoleBench],
  ["control", controlBench],
  ["events", eventsBench],
  ["faults", faultsBench],
  ["idle", idleBench],
  ["limits", limitsBench],
  ["memory", memoryBench],
  ["onboard", onboardBench],
  ["proxy", proxyBench],
  ["replicas", replicasBench],
  ["resources", resourcesBench]
])

const usage = Console.error(`Usage: npm run bench -- ${[...benches.keys()].join(" | ")}`).pipe(
  Effect.andThen(
    Effect.sync(() => {
      process.exitCode = 2
    })
  )
)

const bench = benches.get(process.argv[2] ?? "") ?? usage

outliveOutputs()
NodeRuntime.runMain(Effect.provide(Effect.scoped(bench), NodeServices.layer))
