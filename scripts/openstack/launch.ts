import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Console, Effect, Exit, type Scope } from "effect"
import { knowRealCloud } from "../real-cloud/vitest.setup.ts"
import type { Target } from "./Target.ts"
import { NotInstalled } from "./Result.ts"

/** Runs a suite as the process, whose exit code is 0 where all is as it was written down. A signal ends it with its tenants. */
export const launch = <E>(
  target: Target,
  run: Effect.Effect<boolean, E, NodeServices.NodeServices | Scope.Scope>
): void => {
  if (target !== "simulated") knowRealCloud()
  const program = run.pipe(
    Effect.catchIf(
      (error) => error instanceof NotInstalled,
      ({ message }) => Effect.as(Console.error(message), false)
    ),
    Effect.scoped,
    Effect.provide(NodeServices.layer)
  )
  NodeRuntime.runMain(program, {
    teardown: (exit) => process.exit(Exit.isSuccess(exit) && exit.value === true ? 0 : 1)
  })
}
