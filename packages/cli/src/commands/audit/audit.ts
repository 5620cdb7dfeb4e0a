import { groupNamed } from "../../catalog/find.ts"
import { described } from "../../derived/tree.ts"
import { Command } from "../../effectCli.ts"
import { tail } from "./tail.ts"

export const audit = described(groupNamed("audit")).pipe(Command.withSubcommands([tail]))
