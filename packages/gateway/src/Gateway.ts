import { NodeHttpClient } from "@effect/platform-node"
import { ClosureWindow } from "@portico/domain/accounts/ClosureWindow"
import { Callers } from "@portico/domain/access/Callers"
import { Audit } from "@portico/domain/audit/Audit"
import { Bus } from "@portico/domain/events/Bus"
import { Lifecycle } from "@portico/domain/events/Lifecycle"
import { Owned } from "@portico/domain/Owned"
import { RegistryTokens } from "@portico/domain/registry/RegistryTokens"
import { SignupLimits } from "@portico/domain/signups/SignupLimits"
import { Budget } from "@portico/domain/tenants/Budget"
import { KeySets } from "@portico/domain/workloadIdentity/KeySets"
import * as Upstreams from "@portico/upstream/Upstreams"
import { Layer } from "effect"
import { BillingJob } from "./jobs/billing.ts"
import { ClosureJob } from "./jobs/closures.ts"
import { PurgeJob } from "./jobs/purges.ts"
import { SweepJob } from "./jobs/sweep.ts"
import { UsageJob } from "./jobs/usage.ts"
import { SourceAddresses } from "./middleware/sourceAddress.ts"
import { CustomerPlane, OperatorPlane } from "./Planes.ts"
import { Forwarder } from "./proxy/forward.ts"
import { Proxies } from "./proxy/Proxies.ts"

/**
 * Both planes and the background jobs, over live upstream clients. What
 * remains is the store: PostgreSQL by `DATABASE_URL`, or the embedded one.
 */
export const layer = Layer.mergeAll(
  Layer.fresh(CustomerPlane),
  Layer.fresh(OperatorPlane),
  SweepJob,
  PurgeJob,
  UsageJob,
  BillingJob,
  ClosureJob
).pipe(
  Layer.provideMerge(Proxies.layer),
  Layer.provideMerge(RegistryTokens.layer),
  Layer.provideMerge(
    Layer.mergeAll(
      Callers.layer,
      KeySets.layer,
      Owned.layer,
      Budget.layer,
      ClosureWindow.layer,
      Forwarder.layer,
      SourceAddresses.layer,
      SignupLimits.layer
    )
  ),
  // Below the planes, so that they stop first, and what their last requests have changed is still published.
  Layer.provideMerge(Layer.merge(Lifecycle.layer, Audit.layer)),
  Layer.provideMerge(Layer.merge(Upstreams.layer, Bus.layer)),
  Layer.provide(NodeHttpClient.layerUndici)
)
