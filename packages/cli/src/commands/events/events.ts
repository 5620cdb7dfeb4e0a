import { groupNamed } from "../../catalog/find.ts"
import { described } from "../../derived/tree.ts"
import { Command } from "../../effectCli.ts"
import { listen } from "./listen.ts"
import { tail } from "./tail.ts"

export const events = described(groupNamed("events")).pipe(Command.withSubcommands([tail, listen]))
