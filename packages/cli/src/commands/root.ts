import { Effect, Layer } from "effect"
import type { Root } from "../completion/help.ts"
import { merge, type Section, section, type TreeOptions } from "../derived/tree.ts"
import { Command } from "../effectCli.ts"
import * as flags from "../globalFlags.ts"
import { Output } from "../output/Output.ts"
import { Screen } from "../Screen.ts"
import { Session } from "../Session.ts"
import { agents } from "./agents/agents.ts"
import { api } from "./api.ts"
import { audit } from "./audit/audit.ts"
import { awsCredentials } from "./awsCredentials.ts"
import { completing, completion } from "./completion.ts"
import { customer } from "./customer.ts"
import { dockerCredential } from "./dockerCredential.ts"
import { doctor } from "./doctor/doctor.ts"
import { drift } from "./drift/drift.ts"
import { events } from "./events/events.ts"
import { exec } from "./exec.ts"
import { journal } from "./journal/journal.ts"
import { kubectlToken } from "./kubectlToken.ts"
import { login } from "./login.ts"
import { logout } from "./logout.ts"
import { mcp } from "./mcp.ts"
import { profile } from "./profile/profile.ts"
import { setup } from "./setup/setup.ts"
import { signups } from "./signups/signups.ts"
import { tenants } from "./tenants/tenants.ts"
import { webhooks } from "./webhooks/webhooks.ts"
import { whoami } from "./whoami.ts"

const services = Layer.unwrap(
  Effect.map(flags.Quiet, (quiet) =>
    Layer.mergeAll(Session.layer, Output.layer).pipe(Layer.provideMerge(Screen.layer({ quiet })))
  )
)

/** What is made by hand. All other operations of the contract are derived, and merged with it by name. */
const handMade: ReadonlyArray<Section> = [
  section("Signing in", [login, logout, whoami, profile, doctor]),
  customer,
  section("Observation", [events, audit, webhooks]),
  section("Agents", [agents, mcp]),
  section("Other clients", [setup, exec, kubectlToken, awsCredentials, dockerCredential]),
  section("Operators", [tenants, signups, journal, drift]),
  section("Everything else", [api, completion])
]

/** The tree of commands, with those parts in full that a command line names. */
export const rootOf = (options: TreeOptions): Root =>
  Command.make("portico").pipe(
    Command.withDescription(
      "The command line of a Portico cloud. Log in first; 'portico <command> --help' has the flags and an example of each " +
        "command."
    ),
    Command.withSubcommands([...merge(handMade, options), completing((args) => rootOf({ ...options, args }))]),
    Command.withExamples([
      { command: "portico login http://127.0.0.1:8080", description: "Log in, with a browser" },
      { command: "portico databases list", description: "A group of commands, and one of its operations" },
      { command: "portico credentials list --output json --query '[].label'", description: "Data for a script" }
    ]),
    Command.provide(services),
    Command.withGlobalFlags(flags.all)
  )
