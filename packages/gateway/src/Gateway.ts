import { NodeHttpClient } from "@effect/platform-node"
import { Callers } from "@portico/domain/access/Callers"
import { Bus } from "@portico/domain/events/Bus"
import { Lifecycle } from "@portico/domain/events/Lifecycle"
import { Owned } from "@portico/domain/Owned"
import { Budget } from "@portico/domain/tenants/Budget"
import * as Upstreams from "@portico/upstream/Upstreams"
import { Layer } from "effect"
import { SweepJob } from "./jobs/sweep.ts"
import { CustomerPlane, OperatorPlane } from "./Planes.ts"
import { Forwarder } from "./proxy/forward.ts"
import { Proxies } from "./proxy/Proxies.ts"

/**
 * Both planes and the background jobs, over live upstream clients. What
 * remains is the store: PostgreSQL by `DATABASE_URL`, or the embedded one.
 */
export const layer = Layer.mergeAll(Layer.fresh(CustomerPlane), Layer.fresh(OperatorPlane), SweepJob).pipe(
  Layer.provideMerge(Proxies.layer),
  Layer.provideMerge(Layer.mergeAll(Callers.layer, Owned.layer, Budget.layer, Forwarder.layer)),
  // Below the planes, so that they stop first, and what their last requests have changed is still published.
  Layer.provideMerge(Lifecycle.layer),
  Layer.provideMerge(Layer.merge(Upstreams.layer, Bus.layer)),
  Layer.provide(NodeHttpClient.layerUndici)
)
