import { Effect } from "effect"
import { Command } from "../../effectCli.ts"
import { agentUrlFlag } from "../mcp.ts"
import * as flags from "./flags.ts"

export const disconnect = Command.make(
  "disconnect",
  { client: flags.client, ...flags.entry, agentUrl: agentUrlFlag },
  Effect.fnUntraced(function* (wanted) {
    const { disconnect } = yield* Effect.promise(() => import("../../agents/disconnect.ts"))
    yield* disconnect(wanted)
  })
).pipe(
  Command.withShortDescription("Disconnect an agent, and revoke its credential"),
  Command.withDescription(
    "Removes the entry of 'portico agents connect' from the configuration of a client, the token from this machine, and " +
      "revokes the credential."
  ),
  Command.withExamples([
    { command: "portico agents disconnect claude-code", description: "End the agent of one client" },
    { command: "portico agents disconnect cursor --dry-run", description: "Show what would be removed" }
  ])
)
