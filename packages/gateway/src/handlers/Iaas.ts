import { apiOf } from "@portico/contract/Api"
import { NotFound } from "@portico/contract/Failures"
import { Iaas } from "@portico/contract/Iaas"
import { HttpApiBuilder } from "effect/http-api"

/**
 * The proxy takes requests to these routes before they reach the router. A request that still arrives here has no slash
 * behind the prefix, and so names no service.
 */
const misplaced = () => NotFound.service("")

export const IaasHandlers = HttpApiBuilder.group(apiOf(Iaas), "iaas", (handlers) =>
  handlers
    .handleRaw("get", misplaced)
    .handleRaw("post", misplaced)
    .handleRaw("put", misplaced)
    .handleRaw("patch", misplaced)
    .handleRaw("delete", misplaced)
    .handleRaw("options", misplaced)
)
