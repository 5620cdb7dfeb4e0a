import { NodeServices } from "@effect/platform-node"
import { outliveOutputs } from "@portico/simulator/outputs"
import { Effect } from "effect"
import { parseArgs } from "node:util"
import { writePage } from "./page.ts"
import { run } from "./run.ts"
import { suites } from "./selection.ts"
import { targets } from "./Target.ts"
import { knowRealCloud } from "../real-cloud/vitest.setup.ts"

outliveOutputs()

const usage = `Usage: npm run tempest -- direct | gateway | simulated [--suite ${Object.keys(suites).join(",")}] [--record]
       npm run tempest -- page

direct     an ordinary member's account on the real cloud; --record writes down what passes
gateway    what passes directly, through the gateway on the real cloud
simulated  the same through the gateway on the simulated cloud
page       writes docs/tenants/openstack-tools.md

The second and the third fail when a test fails that meets no documented rule, or one passes in spite of a rule.`

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { suite: { type: "string" }, record: { type: "boolean", default: false } }
})
if (positionals.join() === "page") {
  writePage()
  process.exit(0)
}
const target = targets.find((_) => _ === positionals[0])
const names = values.suite?.split(",") ?? Object.keys(suites)
if (target === undefined || positionals.length > 1 || names.some((_) => suites[_] === undefined)) {
  console.error(usage)
  process.exit(2)
}
if (target !== "simulated") knowRealCloud()

const isGood = await Effect.runPromise(
  run({ target, names, record: values.record }).pipe(
    Effect.catchTag("NotInstalled", ({ message }) => Effect.sync(() => (console.error(message), false))),
    Effect.scoped,
    Effect.provide(NodeServices.layer)
  )
)
process.exit(isGood ? 0 : 1)
