import { OperatorApi } from "@portico/contract/Api"
import { listJournal } from "@portico/domain/onboarding/journal"
import { retry } from "@portico/domain/onboarding/withdraw"
import { HttpApiBuilder } from "effect/http-api"

export const JournalHandlers = HttpApiBuilder.group(OperatorApi, "journal", (handlers) =>
  handlers.handle("list", () => listJournal()).handle("retry", ({ params }) => retry(params.attempt_id))
)
