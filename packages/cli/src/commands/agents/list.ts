import { Effect, Option, Stream } from "effect"
import { Command, Flag } from "../../effectCli.ts"
import { Output } from "../../output/Output.ts"
import { Screen } from "../../Screen.ts"
import { portico } from "../../Session.ts"
import { readProfiles } from "../../session/profiles.ts"
import * as flags from "./flags.ts"

/** The agents that are connected on this machine, by the ids of their credentials. */
const connectedHere = Effect.map(readProfiles, ({ all }) =>
  all.flatMap(({ agent, name }) => (agent === undefined ? [] : [{ ...agent, profile: name }]))
)

export const list = Command.make(
  "list",
  {
    withRevoked: Flag.Boolean("include-revoked").pipe(
      Flag.withDescription("Revoked credentials, too"),
      Flag.withDefault(false)
    ),
    projectId: flags.projectId,
    cursor: flags.text("cursor", "cursor", "Begin behind this place, from an earlier page"),
    limit: flags.limit("agents. Default: all").pipe(Flag.optional, Flag.map(Option.getOrUndefined))
  },
  Effect.fnUntraced(function* (wanted) {
    const gateway = yield* portico
    const { rows } = yield* Output
    const { note } = yield* Screen
    const { agentsOf } = yield* Effect.promise(() => import("../../agents/credential.ts"))
    const { isOver } = yield* Effect.promise(() => import("../../agents/configuration.ts"))
    const here = yield* connectedHere
    const agents = agentsOf(gateway, wanted).pipe(
      Stream.map((_) => ({
        ..._,
        connected_as: here.find(({ credential_id }) => credential_id === _.credential_id)?.profile ?? null
      }))
    )
    yield* rows(agents, {
      columns: [
        "credential_id",
        "label",
        "tier",
        "state",
        "expires_at",
        "last_tool",
        "last_call_at",
        "calls",
        "refused",
        "connected_as"
      ],
      name: "credential_id",
      empty: "No agents. 'portico agents connect <client>' connects one."
    })
    for (const { client, expires_at, profile } of here) {
      if (yield* isOver(expires_at)) {
        yield* note(`The credential of '${profile}' has ended. 'portico agents connect ${client}' connects it again.`)
      }
    }
  })
).pipe(
  Command.withAlias("ls"),
  Command.withShortDescription("List the agents of the tenant"),
  Command.withDescription(
    "List agents.\n\nLists the agents' credentials, also those that have expired, with what they called last and how often, and the " +
      "profile that they have on this machine. A platform administrator sees those of all projects, or of --project-id."
  ),
  Command.withExamples([
    { command: "portico agents list", description: "All agents" },
    {
      command: "portico agents list --output json --query '[?state==`expired`].label'",
      description: "Those that have expired"
    }
  ])
)
