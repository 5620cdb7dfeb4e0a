import { CurrentCaller } from "@portico/contract/Access"
import { OperatorApi } from "@portico/contract/Api"
import { pageRequestOf } from "@portico/contract/Page"
import { cancelDeletion } from "@portico/domain/projects/cancel"
import { listProjects } from "@portico/domain/projects/list"
import { removeProject } from "@portico/domain/projects/remove"
import { showContents, showProject } from "@portico/domain/projects/show"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { RequestId } from "../requests/RequestId.ts"

export const ProjectsHandlers = HttpApiBuilder.group(OperatorApi, "projects", (handlers) =>
  handlers
    .handle("list", ({ query }) => Effect.flatMap(CurrentCaller, (_) => listProjects(_, pageRequestOf(query))))
    .handle("show", ({ params }) => Effect.flatMap(CurrentCaller, (_) => showProject(_, params.project_id)))
    .handle("contents", ({ params }) => Effect.flatMap(CurrentCaller, (_) => showContents(_, params.project_id)))
    .handle("remove", ({ params, query }) =>
      Effect.gen(function* () {
        const removal = { projectId: params.project_id, confirm: query.confirm, requestId: yield* RequestId }
        return yield* removeProject(yield* CurrentCaller, removal)
      })
    )
)

export const DeletionsHandlers = HttpApiBuilder.group(OperatorApi, "deletions", (handlers) =>
  handlers.handle("cancel", ({ params }) => cancelDeletion(params.project_id))
)
