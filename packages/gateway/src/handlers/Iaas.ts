import { OperatorApi } from "@portico/contract/Api"
import { BadRequest, NotFound } from "@portico/contract/Failures"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"

/**
 * Requests to these routes are taken by the proxy before they reach the
 * router. What still comes here names no service at all, or has spelled the
 * prefix with encoded letters.
 */
const misplaced = ({ request }: { readonly request: HttpServerRequest.HttpServerRequest }) =>
  Effect.fail(
    /^\/v1\/iaas(\?|$)/.test(request.url)
      ? NotFound.service("")
      : BadRequest.pathNotCanonical("it encodes a letter, a dot, a slash or a percent sign")
  )

export const IaasHandlers = HttpApiBuilder.group(OperatorApi, "iaas", (handlers) =>
  handlers
    .handleRaw("get", misplaced)
    .handleRaw("post", misplaced)
    .handleRaw("put", misplaced)
    .handleRaw("patch", misplaced)
    .handleRaw("delete", misplaced)
    .handleRaw("options", misplaced)
)
