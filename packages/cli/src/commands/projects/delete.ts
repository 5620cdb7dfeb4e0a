import { Effect, Option } from "effect"
import { CliFailure } from "../../CliFailure.ts"
import { timeout, timeoutIn } from "../../derived/duration.ts"
import { Argument, Command } from "../../effectCli.ts"
import { confirm } from "../../output/confirm.ts"
import { errFrame } from "../../output/Frame.ts"
import { Output } from "../../output/Output.ts"
import { harmless } from "../../output/sanitize.ts"
import { Screen } from "../../Screen.ts"
import { portico } from "../../Session.ts"
import { waitFlag } from "../waitFlag.ts"
import { yesFlag } from "../yesFlag.ts"
import { projectOf } from "./find.ts"
import { follow, look } from "./follow.ts"
import { guards, surveyText } from "./text.ts"

export const remove = Command.make(
  "delete",
  {
    project: Argument.String("project").pipe(
      Argument.withDescription("The id of the project, its name, or the name of its organisation")
    ),
    yes: yesFlag,
    wait: waitFlag("Wait until the project is gone. Default on a terminal; --no-wait turns it off"),
    timeout
  },
  Effect.fnUntraced(function* ({ project: given, timeout, wait, yes }) {
    const patience = yield* timeoutIn(timeout)
    const { use } = yield* portico
    const { show } = yield* Output
    const { err, note } = yield* Screen
    const project = yield* projectOf(yield* portico, given)
    const { project_id, project_name } = project
    const contents = yield* use((_, signal) => _.projects.contents({ project_id }, { signal }))
    const frame = yield* errFrame
    yield* note(`${surveyText(project, contents, frame)}\n`)
    yield* mayBeDeleted(guards(contents))
    yield* confirm({
      question: `Type '${project_name}' to delete the project with all of it:`,
      word: project_name,
      alias: given,
      yes
    })
    const begun = yield* use((_, signal) => _.projects.remove({ project_id, confirm: project_name }, { signal }))
    yield* note(wayBack(project_id))
    if (!Option.getOrElse(wait, () => err.isTerminal)) {
      return yield* show(begun, { text: () => beganText(project_name, project_id) })
    }
    yield* follow(project, patience)
    yield* show({ project_id, project_name, deleted: true }, { text: () => `${harmless(project_name)} is gone.` })
  })
).pipe(
  // The name that the operation has in the document.
  Command.withAlias("remove"),
  Command.withShortDescription("Delete a project with everything in it"),
  Command.withDescription(
    "Shows what is in a project, asks for its name, and deletes it with all of that. Only an owner of the account or a " +
      "platform administrator may do so. Until the users of the project are removed, the platform's operators can " +
      "cancel the deletion; what was destroyed by then stays destroyed."
  ),
  Command.withExamples([
    { command: "portico projects delete acme", description: "Look at what is in it, and delete it" },
    { command: "portico projects delete acme --yes --wait --timeout 2h", description: "In a script" }
  ])
)

/** A locked server or a protected image refuses a deletion as a whole, and suspends the project's credentials for nothing. */
const mayBeDeleted = (guarded: ReadonlyArray<string>) =>
  guarded.length === 0
    ? Effect.void
    : new CliFailure({
        exit: "refused",
        message: `Nothing was deleted, because the deletion would be refused: ${guarded.join("; ")}`,
        hint: "Unlock or unprotect it first"
      })

const wayBack = (projectId: string): string =>
  "The deletion has begun. Until the users are removed, the platform's operators can cancel it with:\n" +
  `  portico deletions cancel ${projectId}`

const beganText = (name: string, projectId: string): string =>
  `${harmless(name)} is being deleted. See how far it is with:\n  ${look(projectId)}`
