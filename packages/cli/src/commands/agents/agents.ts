import { Command } from "../../effectCli.ts"
import { connect } from "./connect.ts"
import { disconnect } from "./disconnect.ts"
import { end } from "./end.ts"
import { list } from "./list.ts"
import { log } from "./log.ts"

export const agents = Command.make("agents").pipe(
  Command.withShortDescription("Agents that work with the tenant: connect them, see what they do, end them"),
  Command.withDescription(
    "Agents reach the gateway by MCP, with a credential of their own that reads, or reads and writes, for 7 days at " +
      "most. They delete nothing, and read no stored secret."
  ),
  Command.withExamples([
    { command: "portico agents connect claude-code", description: "Connect an agent" },
    { command: "portico agents log --follow", description: "Watch it" },
    { command: "portico agents end", description: "End all agents at once" }
  ]),
  Command.withSubcommands([connect, disconnect, list, log, end])
)
