import { outliveOutputs } from "@portico/simulator/outputs"
import { parseArgs } from "node:util"
import { launch } from "../launch.ts"
import { writePage } from "../page.ts"
import { targets } from "../Target.ts"
import { run } from "./run.ts"
import { suites } from "./selection.ts"

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
launch(target, run({ target, names, record: values.record && target === "direct" }))
