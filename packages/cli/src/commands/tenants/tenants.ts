import { groupNamed } from "../../catalog/find.ts"
import { described } from "../../derived/tree.ts"
import { Command } from "../../effectCli.ts"
import { onboard } from "./onboard.ts"

export const tenants = described(groupNamed("tenants")).pipe(Command.withSubcommands([onboard]))
