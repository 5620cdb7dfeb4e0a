import { NodeServices } from "@effect/platform-node"
import { outliveOutputs } from "@portico/simulator/outputs"
import { Effect } from "effect"
import { differenceOf, isEmpty, shown } from "../difference.ts"
import { suites } from "./suites.ts"

const usage = `Usage: npm run conformance -- ${[...suites.keys()].join(" | ")}

mcp    the conformance suite of MCP against the agents' endpoint
oci    that of OCI's distribution against stock registries, with our tokens and without
prism  calls of every route through Prism, which compares requests and answers with the documents

A run fails when a check fails without a reason that is written down, or does not fail although it has one.`

outliveOutputs()
const suite = suites.get(process.argv[2] ?? "")
if (suite === undefined || process.argv.length > 3) {
  console.error(usage)
  process.exit(2)
}
if (!suite.isHere) {
  console.error("It needs parts that are not installed: run scripts/parts/registry.sh and scripts/parts/oci.sh")
  process.exit(2)
}

const outcome = await Effect.runPromise(suite.run.pipe(Effect.scoped, Effect.provide(NodeServices.layer)))
const difference = differenceOf(outcome, suite.reasons)
console.log(shown(outcome, difference))
process.exit(isEmpty(difference) ? 0 : 1)
