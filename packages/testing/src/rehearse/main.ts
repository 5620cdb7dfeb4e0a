import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { outliveOutputs } from "@portico/simulator/outputs"
import { Effect, Logger } from "effect"
import { program } from "./command.ts"

const logs = Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])

outliveOutputs()
NodeRuntime.runMain(program(process.argv.slice(2)).pipe(Effect.provide(NodeServices.layer), Effect.provide(logs)), {
  disableErrorReporting: true
})
