import { groupNamed } from "../../catalog/find.ts"
import { described } from "../../derived/tree.ts"
import { Command } from "../../effectCli.ts"
import { trigger } from "./trigger.ts"
import { verify } from "./verify.ts"

export const webhooks = described(groupNamed("webhooks")).pipe(Command.withSubcommands([trigger, verify]))
