#!/usr/bin/env node
import { NodeRuntime } from "@effect/platform-node"
import { Effect } from "effect"
import process from "node:process"
import { run } from "./run.ts"

// Docker starts credential helpers by the name `docker-credential-<name>`, with the verb as the only argument.
NodeRuntime.runMain(
  Effect.map(run(["docker-credential", ...process.argv.slice(2)]), (code) => {
    process.exitCode = code
  })
)
