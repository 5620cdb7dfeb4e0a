import { NodeServices } from "@effect/platform-node"
import { outliveOutputs } from "@portico/simulator/outputs"
import { Effect } from "effect"
import { rehearseRestore } from "./restore.ts"

outliveOutputs()

const usage = `Usage: npm run rehearse -- restore

restore  restores a backup that is older than the newest writes, and prints what became of everything. It needs
         PostgreSQL's own client programs: scripts/parts/postgresql.sh installs them.`

if (process.argv[2] !== "restore" || process.argv.length > 3) {
  console.error(usage)
  process.exit(2)
}

const { claims, findings, reconciliation } = await Effect.runPromise(
  rehearseRestore({ prepared: true, say: console.log }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)
console.log(`\nfound by portico-doctor --records, before the start\n${findings.map((_) => `  ${_}`).join("\n")}`)
console.log(`\n${reconciliation.join("\n")}`)
const failed = claims.filter((_) => !_.holds)
console.log(
  failed.length === 0 ? `\n${claims.length} claims hold` : `\n${failed.length} of ${claims.length} claims fail`
)
process.exit(failed.length === 0 ? 0 : 1)
