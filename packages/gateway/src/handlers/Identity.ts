import { CurrentCaller } from "@portico/contract/Access"
import { OperatorApi } from "@portico/contract/Api"
import { whoami } from "@portico/domain/access/whoami"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { exact } from "./exact.ts"

export const IdentityHandlers = HttpApiBuilder.group(OperatorApi, "identity", (handlers) =>
  handlers.handleAll(exact(handlers, { whoami: () => Effect.map(CurrentCaller, whoami) }))
)
