import { CurrentCaller } from "@portico/contract/Access"
import { apiOf } from "@portico/contract/Api"
import { QuotasGroup } from "@portico/contract/Quotas"
import { showQuotas } from "@portico/domain/quotas/show"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { exact } from "./exact.ts"

export const QuotasHandlers = HttpApiBuilder.group(apiOf(QuotasGroup), "quotas", (handlers) =>
  handlers.handleAll(
    exact(handlers, {
      show: ({ query }) => Effect.flatMap(CurrentCaller, (caller) => showQuotas(caller, query.project))
    })
  )
)
