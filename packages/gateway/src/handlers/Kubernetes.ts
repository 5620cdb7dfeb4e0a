import { apiOf } from "@portico/contract/Api"
import { NotFound } from "@portico/contract/Failures"
import { Kubernetes } from "@portico/contract/Kubernetes"
import { HttpApiBuilder } from "effect/http-api"

/**
 * The proxy takes requests to these routes before they reach the router. A request that still arrives here has no slash
 * behind the prefix.
 */
const misplaced = () => NotFound.route()

export const KubernetesHandlers = HttpApiBuilder.group(apiOf(Kubernetes), "kubernetes", (handlers) =>
  handlers
    .handleRaw("get", misplaced)
    .handleRaw("post", misplaced)
    .handleRaw("put", misplaced)
    .handleRaw("patch", misplaced)
    .handleRaw("delete", misplaced)
    .handleRaw("options", misplaced)
)
