import { CurrentTenant } from "@portico/contract/Access"
import { OperatorApi } from "@portico/contract/Api"
import { createDatabase } from "@portico/domain/databases/create"
import { rotateCredentials, showCredentials } from "@portico/domain/databases/credentials"
import { listDatabases, showDatabase } from "@portico/domain/databases/read"
import { removeDatabase } from "@portico/domain/databases/remove"
import { resizeDatabase } from "@portico/domain/databases/resize"
import { restoreDatabase } from "@portico/domain/databases/restore"
import { Effect } from "effect"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"

const tenant = Effect.map(CurrentTenant, (_) => _.projectId)

export const DatabasesHandlers = HttpApiBuilder.group(OperatorApi, "databases", (handlers) =>
  handlers
    .handle("list", () => Effect.flatMap(tenant, listDatabases))
    .handle("create", ({ payload }) => Effect.flatMap(tenant, (_) => createDatabase(_, payload)))
    .handle("show", ({ params }) => Effect.flatMap(tenant, (_) => showDatabase(_, params.engine, params.name)))
    .handle("resize", ({ params, payload }) =>
      Effect.flatMap(tenant, (_) => resizeDatabase(_, params.engine, params.name, payload))
    )
    .handle("remove", ({ params }) => Effect.flatMap(tenant, (_) => removeDatabase(_, params.engine, params.name)))
    .handle("credentials", ({ params }) =>
      Effect.flatMap(tenant, (_) => showCredentials(_, params.engine, params.name)).pipe(
        Effect.map((body) => HttpApiSchema.withHeaders({ body, headers: { "cache-control": "no-store" as const } }))
      )
    )
    .handle("rotateCredentials", ({ params }) =>
      Effect.flatMap(tenant, (_) => rotateCredentials(_, params.engine, params.name))
    )
    .handle("restore", ({ params, payload }) => Effect.flatMap(tenant, (_) => restoreDatabase(_, params, payload)))
)
