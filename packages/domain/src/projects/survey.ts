import type { Contents } from "@portico/contract/Projects"
import type { Kind } from "@portico/upstream/projectResources/Kind"
import { DateTime, Duration, Effect } from "effect"
import { allKinds } from "./kinds.ts"

/** A service that takes longer is listed as unseen. */
const listTimeout = Duration.seconds(20)

/** How many names of a kind are listed. */
const namesListed = 20

/**
 * What a project has, kind by kind, as the services report it at this moment.
 * Never fails: a service that is absent, does not answer, or refuses is listed
 * under `unseen` with the reason, and is not counted as empty.
 *
 * @param projectId one that the caller may see
 */
export const survey = Effect.fn("projects.survey")(function* (projectId: string) {
  const { absent, kinds } = yield* allKinds
  const observed = yield* Effect.forEach(kinds, (kind) => observe(kind, projectId), { concurrency: 8 })
  return {
    project_id: projectId,
    surveyed_at: DateTime.formatIso(yield* DateTime.now),
    contents: observed.flatMap((_) => ("seen" in _ ? [_.seen] : [])),
    unseen: [
      ...absent.map((_) => ({ ..._, reason: "this cloud has no such service" })),
      ...observed.flatMap((_) => ("unseen" in _ ? [_.unseen] : []))
    ]
  } satisfies Contents
})

const observe = ({ list, name, service }: Kind, projectId: string) =>
  list(projectId).pipe(
    Effect.map((found) => ({
      seen: {
        service,
        kind: name,
        count: found.length,
        first: found.slice(0, namesListed).map((_) => ({ id: _.id, name: _.name })),
        guarded: found
          .flatMap(({ guarded, id, name }) => (guarded === undefined ? [] : [{ id, name, why: guarded }]))
          .slice(0, namesListed)
      }
    })),
    Effect.timeoutOrElse({
      duration: listTimeout,
      orElse: () => Effect.succeed(unseen(service, name, `no answer within ${Duration.format(listTimeout)}`))
    }),
    Effect.catchTag("UpstreamError", (error) => Effect.succeed(unseen(service, name, error.summary)))
  )

const unseen = (service: string, kind: string, reason: string) => ({ unseen: { service, kind, reason } })
