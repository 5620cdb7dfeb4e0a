import { Effect } from "effect"
import { Command, Flag } from "../../effectCli.ts"
import { agentUrlFlag, areasFlag } from "../mcp.ts"
import * as flags from "./flags.ts"

export const connect = Command.make(
  "connect",
  {
    client: flags.client,
    ...flags.entry,
    tier: Flag.Literals("tier", ["0", "1"]).pipe(
      Flag.withDescription("What the agent may do: 0 reads, 1 writes too. No agent deletes"),
      Flag.map((_): 0 | 1 => (_ === "1" ? 1 : 0)),
      Flag.withDefault(0 as const)
    ),
    days: Flag.Int("days").pipe(
      Flag.withDescription("The days until its credential ends, at most 7"),
      Flag.filter(
        (_) => _ >= 1 && _ <= 7,
        (_) => `Expected 1 to 7 days, got ${_}`
      ),
      Flag.withDefault(7)
    ),
    label: flags.text("label", "name", "A name for people. Default: the client and this machine"),
    networks: Flag.String("network").pipe(
      Flag.withDescription("A network that the agent may come from, such as 192.0.2.0/24; may be repeated"),
      Flag.withMetavar("cidr"),
      Flag.atLeast(0)
    ),
    areas: areasFlag,
    agentUrl: agentUrlFlag,
    remote: flags.boolean("remote", "Write the address of the agent plane, for a client that logs in by itself"),
    withToken: flags.boolean("with-token", "With --remote: write the token into the client's file"),
    absolute: flags.boolean("absolute", "Name this program by its path, for clients with another PATH")
  },
  Effect.fnUntraced(function* (wanted) {
    const { connect } = yield* Effect.promise(() => import("../../agents/connect.ts"))
    yield* connect(wanted)
  })
).pipe(
  Command.withShortDescription("Connect an agent: claude-code, cursor, vscode, codex and others"),
  Command.withDescription(
    "Mints a credential for an agent and writes the entry that uses it to the configuration of its client. The entry " +
      "starts 'portico mcp'; the token stays in the keyring, or in a file that only you can read. Other entries stay as " +
      "they are, and the file as it was is kept beside it with the ending .portico-backup. Once more, it renews: the " +
      "earlier credential is revoked."
  ),
  Command.withExamples([
    { command: "portico agents connect claude-code", description: "An agent that reads, for 7 days" },
    { command: "portico agents connect cursor --tier 1 --days 1", description: "One that writes, for a day" },
    { command: "portico agents connect codex --dry-run", description: "Show what would be written" },
    { command: "portico agents connect vscode --remote", description: "Let the client log in by itself" }
  ])
)
