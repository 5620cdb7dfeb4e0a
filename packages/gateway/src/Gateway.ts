import { NodeHttpClient } from "@effect/platform-node"
import { Callers } from "@portico/domain/access/Callers"
import { Owned } from "@portico/domain/Owned"
import { Budget } from "@portico/domain/tenants/Budget"
import * as Upstreams from "@portico/upstream/Upstreams"
import { Layer } from "effect"
import { SweepJob } from "./jobs/sweep.ts"
import { CustomerPlane, OperatorPlane } from "./Planes.ts"
import { Forwarder } from "./proxy/forward.ts"

/**
 * Both planes and the background jobs, over live upstream clients. What
 * remains is the store: PostgreSQL by `DATABASE_URL`, or the embedded one.
 */
export const layer = Layer.mergeAll(Layer.fresh(CustomerPlane), Layer.fresh(OperatorPlane), SweepJob).pipe(
  Layer.provideMerge(Layer.mergeAll(Callers.layer, Owned.layer, Budget.layer, Forwarder.layer)),
  Layer.provideMerge(Upstreams.layer),
  Layer.provide(NodeHttpClient.layerUndici)
)
