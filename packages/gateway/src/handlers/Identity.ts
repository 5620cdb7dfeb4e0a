import { CurrentCaller } from "@portico/contract/Access"
import { apiOf } from "@portico/contract/Api"
import { Identity } from "@portico/contract/Identity"
import { whoami } from "@portico/domain/access/whoami"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { exact } from "./exact.ts"

export const IdentityHandlers = HttpApiBuilder.group(apiOf(Identity), "identity", (handlers) =>
  handlers.handleAll(exact(handlers, { whoami: () => Effect.map(CurrentCaller, whoami) }))
)
