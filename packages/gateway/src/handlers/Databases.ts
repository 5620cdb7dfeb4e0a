import { CurrentTenant } from "@portico/contract/Access"
import { apiOf } from "@portico/contract/Api"
import { Databases } from "@portico/contract/Databases"
import { pageRequestOf } from "@portico/contract/Page"
import { unstored } from "@portico/contract/Unstored"
import { createDatabase } from "@portico/domain/databases/create"
import { rotateCredentials, showCredentials } from "@portico/domain/databases/credentials"
import { listDatabases, showDatabase } from "@portico/domain/databases/read"
import { removeDatabase } from "@portico/domain/databases/remove"
import { resizeDatabase } from "@portico/domain/databases/resize"
import { restoreDatabase } from "@portico/domain/databases/restore"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { exact } from "./exact.ts"

const tenant = Effect.map(CurrentTenant, (_) => _.projectId)

export const DatabasesHandlers = HttpApiBuilder.group(apiOf(Databases), "databases", (handlers) =>
  handlers.handleAll(
    exact(handlers, {
      list: ({ query }) => Effect.flatMap(tenant, (_) => listDatabases(_, query, pageRequestOf(query))),
      create: ({ payload }) => Effect.flatMap(tenant, (_) => createDatabase(_, payload)),
      show: ({ params }) => Effect.flatMap(tenant, (_) => showDatabase(_, params.engine, params.name)),
      resize: ({ params, payload }) =>
        Effect.flatMap(tenant, (_) => resizeDatabase(_, params.engine, params.name, payload)),
      remove: ({ params }) => Effect.flatMap(tenant, (_) => removeDatabase(_, params.engine, params.name)),
      credentials: ({ params }) =>
        Effect.flatMap(tenant, (_) => showCredentials(_, params.engine, params.name)).pipe(Effect.map(unstored)),
      rotateCredentials: ({ params }) =>
        Effect.flatMap(tenant, (_) => rotateCredentials(_, params.engine, params.name)),
      restore: ({ params, payload }) => Effect.flatMap(tenant, (_) => restoreDatabase(_, params, payload))
    })
  )
)
