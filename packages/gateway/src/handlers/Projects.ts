import { CurrentCaller } from "@portico/contract/Access"
import { apiOf } from "@portico/contract/Api"
import { pageRequestOf } from "@portico/contract/Page"
import { Projects, Deletions } from "@portico/contract/Projects"
import { cancelDeletion } from "@portico/domain/projects/cancel"
import { listProjects } from "@portico/domain/projects/list"
import { removeProject } from "@portico/domain/projects/remove"
import { showContents, showProject } from "@portico/domain/projects/show"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { RequestId } from "../requests/RequestId.ts"
import { exact } from "./exact.ts"

export const ProjectsHandlers = HttpApiBuilder.group(apiOf(Projects), "projects", (handlers) =>
  handlers.handleAll(
    exact(handlers, {
      list: ({ query }) => Effect.flatMap(CurrentCaller, (_) => listProjects(_, pageRequestOf(query))),
      show: ({ params }) => Effect.flatMap(CurrentCaller, (_) => showProject(_, params.project_id)),
      contents: ({ params }) => Effect.flatMap(CurrentCaller, (_) => showContents(_, params.project_id)),
      remove: ({ params, query }) =>
        Effect.gen(function* () {
          const removal = { projectId: params.project_id, confirm: query.confirm, requestId: yield* RequestId }
          return yield* removeProject(yield* CurrentCaller, removal)
        })
    })
  )
)

export const DeletionsHandlers = HttpApiBuilder.group(apiOf(Deletions), "deletions", (handlers) =>
  handlers.handleAll(exact(handlers, { cancel: ({ params }) => cancelDeletion(params.project_id) }))
)
