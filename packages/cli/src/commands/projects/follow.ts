import { PorticoError } from "@portico/client/PorticoError"
import type { Deletion, ProjectDetail, ProjectRow, PurgeStep } from "@portico/contract/Projects"
import { type Duration, Effect } from "effect"
import { CliFailure } from "../../CliFailure.ts"
import { portico } from "../../Session.ts"
import type { Progress } from "../../waiting/progress.ts"
import { waitFor } from "../../waiting/waitFor.ts"
import { endText } from "./text.ts"

/** The command that shows how far a deletion is. */
export const look = (projectId: string): string => `portico projects show ${projectId}`

/**
 * Waits until the project is gone, and shows each kind of resource as it goes. A
 * deletion that was refused or cancelled is a failure with its reason.
 */
export const follow = Effect.fnUntraced(function* (
  { project_id, project_name }: ProjectRow,
  timeout: Duration.Duration | undefined
) {
  const { use } = yield* portico
  const seen: { deletion: Deletion | null } = { deletion: null }
  const tell = (shown: Progress, view: unknown) => {
    if (!isDetail(view) || view.deletion === null) return Effect.void
    seen.deletion = view.deletion
    return told(shown, view.deletion)
  }
  const what = `The deletion of ${project_name}`
  return yield* waitFor("projects.remove", { project_id }, { timeout, what, look: look(project_id), tell }).pipe(
    Effect.catch((failure): Effect.Effect<void, PorticoError | CliFailure> => {
      if (failure instanceof PorticoError && wentWithTheProject(failure, seen.deletion)) return Effect.void
      if (!(failure instanceof CliFailure) || failure.exit !== "platform") return Effect.fail(failure)
      return Effect.flatMap(
        use((_, signal) => _.projects.show({ project_id }, { signal })),
        ({ deletion }) => (deletion === null ? Effect.fail(failure) : Effect.fail(ended(deletion)))
      )
    })
  )
})

/**
 * A person's membership goes with the project, and the login with the last
 * membership: the end is seen as a refusal, and not as a 404.
 */
const wentWithTheProject = ({ code, status }: PorticoError, deletion: Deletion | null): boolean =>
  deletion !== null && (code === "no_tenant" || (deletion.state === "finishing" && status === 401))

const isDetail = (view: unknown): view is ProjectDetail =>
  typeof view === "object" && view !== null && "deletion" in view && "steps" in Object(view.deletion ?? { steps: [] })

const ended = (deletion: Deletion): CliFailure =>
  new CliFailure({
    exit: "refused",
    message: endText(deletion),
    hint: "The project is live again; what was destroyed by then stays destroyed"
  })

/** Each kind of resource is a step; those of which there was nothing are left out. */
export const told = Effect.fnUntraced(function* (shown: Progress, { last_failure, state, steps }: Deletion) {
  for (const step of steps) {
    if (step.state === "done" && step.done > 0) yield* shown.step(step.step, "done", `${step.done} removed`)
    if (step.state === "running") yield* shown.step(step.step, "running", leftText(step))
  }
  const running = steps.find((_) => _.state === "running")
  yield* shown.now(last_failure ?? (running === undefined ? state : leftText(running)))
})

const leftText = ({ done, left }: PurgeStep): string =>
  left === null ? `${done} removed` : `${done} removed, ${left} left`
