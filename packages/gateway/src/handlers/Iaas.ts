import { apiOf } from "@portico/contract/Api"
import { BadRequest, NotFound } from "@portico/contract/Failures"
import { Iaas } from "@portico/contract/Iaas"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"

/**
 * The proxy takes requests to these routes before they reach the router. A request that still arrives here names no
 * service, or spells the prefix with encoded letters.
 */
const misplaced = ({ request }: { readonly request: HttpServerRequest.HttpServerRequest }) =>
  Effect.fail(
    /^\/v1\/iaas(\?|$)/.test(request.url)
      ? NotFound.service("")
      : BadRequest.pathNotCanonical("it encodes a letter, a dot, a slash or a percent sign")
  )

export const IaasHandlers = HttpApiBuilder.group(apiOf(Iaas), "iaas", (handlers) =>
  handlers
    .handleRaw("get", misplaced)
    .handleRaw("post", misplaced)
    .handleRaw("put", misplaced)
    .handleRaw("patch", misplaced)
    .handleRaw("delete", misplaced)
    .handleRaw("options", misplaced)
)
