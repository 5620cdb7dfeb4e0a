#!/usr/bin/env node
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect } from "effect"
import process from "node:process"
import { run } from "./run.ts"

NodeRuntime.runMain(
  Effect.map(run(process.argv.slice(2)), (code) => {
    process.exitCode = code
  })
)
