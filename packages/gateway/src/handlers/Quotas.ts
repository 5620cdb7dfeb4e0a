import { CurrentCaller } from "@portico/contract/Access"
import { OperatorApi } from "@portico/contract/Api"
import { showQuotas } from "@portico/domain/quotas/show"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { exact } from "./exact.ts"

export const QuotasHandlers = HttpApiBuilder.group(OperatorApi, "quotas", (handlers) =>
  handlers.handleAll(
    exact(handlers, {
      show: ({ query }) => Effect.flatMap(CurrentCaller, (caller) => showQuotas(caller, query.project))
    })
  )
)
