import { Effect } from "effect"
import { Command } from "../../effectCli.ts"
import { confirm } from "../../output/confirm.ts"
import { localTime } from "../../output/localTime.ts"
import { Output } from "../../output/Output.ts"
import { Screen } from "../../Screen.ts"
import { portico } from "../../Session.ts"
import { yesFlag } from "../yesFlag.ts"
import * as flags from "./flags.ts"

const saidOf = (ended: number): string =>
  ended === 0 ? "No agent had a credential. Ended at" : `${ended} ${ended === 1 ? "agent is" : "agents are"} ended:`

export const end = Command.make(
  "end",
  { yes: yesFlag, projectId: flags.projectId },
  Effect.fnUntraced(function* ({ projectId, yes }) {
    const gateway = yield* portico
    const { note } = yield* Screen
    const { show } = yield* Output
    const { endAll } = yield* Effect.promise(() => import("../../agents/credential.ts"))
    const whose = projectId === undefined ? "the tenant" : `the project ${projectId}`
    yield* confirm({ question: `End all agents of ${whose} at once?`, yes })
    const answer = yield* endAll(gateway, projectId)
    yield* show(answer)
    yield* note(
      `${saidOf(answer.ended)} ${localTime(answer.ended_at)}. Whatever else agents acted with is refused at the agent ` +
        "plane as well: people have to log in anew there, and machines need a new credential."
    )
    yield* note("'portico agents connect <client>' connects an agent again.")
  })
).pipe(
  Command.withShortDescription("End all agents of the tenant at once"),
  Command.withDescription(
    "End all agents.\n\nRevokes all credentials of agents of the tenant, with everything that was minted with them, in one call: their " +
      "next call is refused within a second. At the agent plane, people have to log in anew and machines need a new " +
      "credential. It is for people with the role customer-owner, and for platform administrators with --project-id. To " +
      "keep agents out, disable them first: 'portico agents put-policy --no-enabled'."
  ),
  Command.withExamples([
    { command: "portico agents end", description: "Asks before" },
    { command: "portico agents end --yes", description: "In a script" }
  ])
)
