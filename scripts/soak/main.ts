import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { outliveOutputs } from "@portico/simulator/outputs"
import { Console, Effect } from "effect"
import { randomInt } from "node:crypto"
import { optionsOf, usage } from "./options.ts"
import { overload } from "./overload/overload.ts"
import { soak } from "./soak.ts"

const options = optionsOf(process.argv.slice(2), randomInt(1, 1_000_000))

const exit = (code: number) =>
  Effect.sync(() => {
    process.exitCode = code
  })

const program =
  options === undefined
    ? Effect.andThen(Console.error(usage), exit(2))
    : Effect.flatMap(options.what === "overload" ? overload(options) : soak(options), (held) =>
        held ? Effect.void : exit(1)
      )

outliveOutputs()
NodeRuntime.runMain(Effect.provide(Effect.scoped(program), NodeServices.layer))
