import type { Contents } from "@portico/contract/Projects"
import type { Kind } from "@portico/upstream/projectResources/Kind"
import { type FairSemaphore, fairSemaphore } from "@portico/upstream/limits/FairSemaphore"
import { Context, DateTime, Duration, Effect, Layer } from "effect"
import { allKinds } from "./kinds.ts"

/** A service that takes longer is listed as unseen. */
const listTimeout = Duration.seconds(20)

/** How many names of a kind are listed. */
const namesListed = 20

/** A survey that does not begin by then sees nothing. */
const longestWait = Duration.seconds(20)

/**
 * The surveys of this process, of which each owner has one at a time. A survey asks every service for lists as long as
 * tenants make them, and all other calls wait while they are parsed.
 */
export class Surveys extends Context.Service<Surveys, FairSemaphore>()("portico/domain/projects/Surveys") {
  static readonly layer = Layer.effect(Surveys, fairSemaphore({ ofOne: 1, inAll: 4, longestWait }))
}

/**
 * What a project has, kind by kind, as the services report it at this moment.
 * Never fails: a service that is absent, does not answer, or refuses is listed
 * under `unseen` with the reason, and is not counted as empty. So is every
 * service when the survey's turn does not come in time, see {@link Surveys}.
 *
 * @param projectId one that the caller may see
 * @param owner who has one survey at a time
 */
export const survey = Effect.fn("projects.survey")(function* (projectId: string, owner: string) {
  const { absent, kinds } = yield* allKinds
  const { withPermit } = yield* Surveys
  const observed = yield* Effect.forEach(kinds, (kind) => observe(kind, projectId), { concurrency: 8 }).pipe(
    withPermit(owner, Effect.fail("late")),
    Effect.orElseSucceed(() => kinds.map(({ name, service }) => unseen(service, name, late)))
  )
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

const late = `other surveys were under way for ${Duration.format(longestWait)}`

const unseen = (service: string, kind: string, reason: string) => ({ unseen: { service, kind, reason } })
