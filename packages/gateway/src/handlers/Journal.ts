import { apiOf } from "@portico/contract/Api"
import { Journal } from "@portico/contract/Journal"
import { pageRequestOf } from "@portico/contract/Page"
import { listJournal } from "@portico/domain/onboarding/journal"
import { retry } from "@portico/domain/onboarding/withdraw"
import { HttpApiBuilder } from "effect/http-api"
import { exact } from "./exact.ts"

export const JournalHandlers = HttpApiBuilder.group(apiOf(Journal), "journal", (handlers) =>
  handlers.handleAll(
    exact(handlers, {
      list: ({ query }) => listJournal(pageRequestOf(query), query.state),
      retry: ({ params }) => retry(params.attempt_id)
    })
  )
)
