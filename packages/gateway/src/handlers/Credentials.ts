import { CurrentCaller, CurrentTenant } from "@portico/contract/Access"
import { apiOf } from "@portico/contract/Api"
import { Credentials, RotateRequest } from "@portico/contract/Credentials"
import { bodyOr } from "@portico/contract/optionalBody"
import { pageRequestOf } from "@portico/contract/Page"
import { listCredentials } from "@portico/domain/credentials/list"
import { mint } from "@portico/domain/credentials/mint"
import { revoke } from "@portico/domain/credentials/revoke"
import { rotate } from "@portico/domain/credentials/rotate"
import { showUsage } from "@portico/domain/credentials/usage"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { exact } from "./exact.ts"

const rotating = bodyOr(RotateRequest)

export const CredentialsHandlers = HttpApiBuilder.group(apiOf(Credentials), "credentials", (handlers) =>
  handlers.handleAll(
    exact(handlers, {
      mint: ({ payload }) =>
        Effect.gen(function* () {
          return yield* mint(yield* CurrentCaller, yield* CurrentTenant, payload)
        }),
      list: ({ query }) =>
        Effect.flatMap(CurrentCaller, (caller) =>
          listCredentials(caller, query.include_revoked, pageRequestOf(query), {
            kind: query.kind,
            label: query.label,
            madeBy: query.made_by,
            unusedDays: query.unused_days
          })
        ),
      usage: ({ query }) =>
        Effect.flatMap(CurrentCaller, (caller) =>
          showUsage(caller, query.include_revoked, pageRequestOf(query), query.label)
        ),
      rotate: ({ params, payload }) =>
        Effect.gen(function* () {
          return yield* rotate(yield* CurrentCaller, yield* CurrentTenant, params.credential_id, rotating(payload))
        }),
      revoke: ({ params }) => Effect.flatMap(CurrentCaller, (caller) => revoke(caller, params.credential_id))
    })
  )
)
