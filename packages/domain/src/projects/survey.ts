import type { Contents } from "@portico/contract/Projects"
import type { Kind } from "@portico/upstream/belongings/Kind"
import { DateTime, Duration, Effect } from "effect"
import { allKinds } from "./kinds.ts"

/** A service that takes longer is named as one that cannot be seen. */
const patience = Duration.seconds(20)

/** How many names of a kind are told. */
const told = 20

/**
 * What a project has, kind by kind, as the services tell at this moment. Never
 * fails: a service that is absent, silent, or refuses stands under `unseen`
 * with the reason, and is not counted as nothing.
 *
 * @param projectId one that the caller may see
 */
export const survey = Effect.fn("projects.survey")(function* (projectId: string) {
  const { absent, kinds } = yield* allKinds
  const looks = yield* Effect.forEach(kinds, (kind) => lookAt(kind, projectId), { concurrency: 8 })
  return {
    project_id: projectId,
    surveyed_at: DateTime.formatIso(yield* DateTime.now),
    contents: looks.flatMap((_) => ("seen" in _ ? [_.seen] : [])),
    unseen: [
      ...absent.map((_) => ({ ..._, reason: "this cloud has no such service" })),
      ...looks.flatMap((_) => ("unseen" in _ ? [_.unseen] : []))
    ]
  } satisfies Contents
})

const lookAt = ({ list, name, service }: Kind, projectId: string) =>
  list(projectId).pipe(
    Effect.map((found) => ({
      seen: {
        service,
        kind: name,
        count: found.length,
        first: found.slice(0, told).map((_) => ({ id: _.id, name: _.name })),
        guarded: found
          .flatMap(({ guarded, id, name }) => (guarded === undefined ? [] : [{ id, name, why: guarded }]))
          .slice(0, told)
      }
    })),
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => Effect.succeed(unseen(service, name, `no answer within ${Duration.format(patience)}`))
    }),
    Effect.catchTag("UpstreamError", (error) => Effect.succeed(unseen(service, name, error.sentence)))
  )

const unseen = (service: string, kind: string, reason: string) => ({ unseen: { service, kind, reason } })
