import { apiOf } from "@portico/contract/Api"
import { BadRequest } from "@portico/contract/Failures"
import { Kubernetes } from "@portico/contract/Kubernetes"
import { HttpApiBuilder } from "effect/http-api"

/**
 * The proxy takes requests to these routes before they reach the router. A request that still arrives here spells the
 * prefix with encoded letters.
 */
const misspelled = () => BadRequest.pathNotCanonical("it encodes a letter, a dot, a slash or a percent sign")

export const KubernetesHandlers = HttpApiBuilder.group(apiOf(Kubernetes), "kubernetes", (handlers) =>
  handlers
    .handleRaw("get", misspelled)
    .handleRaw("post", misspelled)
    .handleRaw("put", misspelled)
    .handleRaw("patch", misspelled)
    .handleRaw("delete", misspelled)
    .handleRaw("options", misspelled)
)
