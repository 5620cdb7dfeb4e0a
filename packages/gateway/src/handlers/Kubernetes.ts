import { OperatorApi } from "@portico/contract/Api"
import { BadRequest } from "@portico/contract/Failures"
import { HttpApiBuilder } from "effect/http-api"

/**
 * Requests to these routes are taken by the proxy before they reach the
 * router. What still comes here has spelled the prefix with encoded letters.
 */
const misspelled = () => BadRequest.pathNotCanonical("it encodes a letter, a dot, a slash or a percent sign")

export const KubernetesHandlers = HttpApiBuilder.group(OperatorApi, "kubernetes", (handlers) =>
  handlers
    .handleRaw("get", misspelled)
    .handleRaw("post", misspelled)
    .handleRaw("put", misspelled)
    .handleRaw("patch", misspelled)
    .handleRaw("delete", misspelled)
    .handleRaw("options", misspelled)
)
