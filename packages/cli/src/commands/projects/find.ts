import { Effect, Stream } from "effect"
import { CliFailure } from "../../CliFailure.ts"
import { harmless } from "../../output/sanitize.ts"
import type { Portico } from "../../Portico.ts"

const id = /^[\da-f]{32}$/

/** The project that a person names by its id, its name, or the name of its organisation. */
export const projectOf = Effect.fnUntraced(function* ({ stream, use }: Portico, given: string) {
  if (id.test(given)) return yield* use((_, signal) => _.projects.show({ project_id: given }, { signal }))
  const named = yield* stream((_, signal) => _.projects.list.all({}, { signal })).pipe(
    Stream.filter((_) => _.project_name === given || _.tenant_name === given),
    Stream.runCollect
  )
  const [project] = named
  if (project === undefined) {
    return yield* new CliFailure({
      exit: "notFound",
      message: `There is no project '${harmless(given)}'`,
      hint: "List the projects with: portico projects list"
    })
  }
  if (named.length > 1) {
    return yield* new CliFailure({
      exit: "usage",
      message: `${named.length} projects are named '${harmless(given)}'`,
      hint: `Name one by its id: ${named.map((_) => _.project_id).join(", ")}`
    })
  }
  return project
})
