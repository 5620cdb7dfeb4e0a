import { CurrentCaller } from "@portico/contract/Access"
import { OperatorApi } from "@portico/contract/Api"
import { whoami } from "@portico/domain/access/whoami"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

export const IdentityHandlers = HttpApiBuilder.group(OperatorApi, "identity", (handlers) =>
  handlers.handle("whoami", () => Effect.map(CurrentCaller, whoami))
)
