import { groupNamed } from "../catalog/find.ts"
import { described, section } from "../derived/tree.ts"
import { Command } from "../effectCli.ts"
import { costs } from "./costs/costs.ts"
import { create } from "./databases/create.ts"
import { importZone } from "./dns/import.ts"
import { remove } from "./projects/delete.ts"
import { quotas } from "./quotas/quotas.ts"
import { status } from "./status/status.ts"

/** What people of a tenant look at and work with. All but the costs stand in groups of the contract. */
export const customer = section("Costs", [
  status,
  quotas,
  costs,
  described(groupNamed("databases")).pipe(Command.withSubcommands([create])),
  described(groupNamed("projects")).pipe(Command.withSubcommands([remove])),
  described(groupNamed("dns")).pipe(Command.withSubcommands([importZone]))
])
