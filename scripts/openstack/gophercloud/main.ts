import { outliveOutputs } from "@portico/simulator/outputs"
import { parseArgs } from "node:util"
import { launch } from "../launch.ts"
import { targets } from "../Target.ts"
import { run } from "./run.ts"
import { packages } from "./selection.ts"

outliveOutputs()

const usage = `Usage: npm run gophercloud -- direct | gateway | simulated [--package dns/v2,...] [--record]

direct     an ordinary member's account on the real cloud; --record writes down what passes
gateway    the same tests through the gateway on the real cloud
simulated  the same through the gateway on the simulated cloud

The last two fail when a test that passes directly fails and meets no documented rule, or passes in spite of one.
Packages are:

  ${packages.join("\n  ")}`

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { package: { type: "string" }, record: { type: "boolean", default: false } }
})
const target = targets.find((_) => _ === positionals[0])
const names = values.package?.split(",") ?? packages
if (target === undefined || positionals.length > 1 || names.some((_) => !packages.includes(_))) {
  console.error(usage)
  process.exit(2)
}
launch(target, run({ target, packages: names, record: values.record && target === "direct" }))
