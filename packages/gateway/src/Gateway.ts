import { ClosureWindow } from "@portico/domain/accounts/ClosureWindow"
import { Callers } from "@portico/domain/access/Callers"
import { Audit } from "@portico/domain/audit/Audit"
import { Archives } from "@portico/domain/databases/Archives"
import { DnsSettings } from "@portico/domain/dns/DnsSettings"
import { EdgeSettings } from "@portico/domain/edge/EdgeSettings"
import { Bus } from "@portico/domain/events/Bus"
import { Lifecycle } from "@portico/domain/events/Lifecycle"
import { Owned } from "@portico/domain/Owned"
import { RegistryTokens } from "@portico/domain/registry/RegistryTokens"
import { SignupLimits } from "@portico/domain/signups/SignupLimits"
import { Board } from "@portico/domain/status/Board"
import { Budget } from "@portico/domain/tenants/Budget"
import { KeySets } from "@portico/domain/workloadIdentity/KeySets"
import { Resolver } from "@portico/upstream/dns/Resolver"
import * as Calls from "@portico/upstream/Calls"
import * as Trust from "@portico/upstream/Trust"
import * as Upstreams from "@portico/upstream/Upstreams"
import { Layer, Metric } from "effect"
import { AlarmJob } from "./jobs/alarms.ts"
import { AutoscalingJob } from "./jobs/autoscaling.ts"
import { BillingJob } from "./jobs/billing.ts"
import { ClosureJob } from "./jobs/closures.ts"
import { EdgeJob } from "./jobs/edge.ts"
import { PurgeJob } from "./jobs/purges.ts"
import * as JobCounts from "./jobs/run.ts"
import { SweepJob } from "./jobs/sweep.ts"
import { UsageJob } from "./jobs/usage.ts"
import { SourceAddresses } from "./middleware/sourceAddress.ts"
import * as Process from "./observability/process.ts"
import * as Tracing from "./observability/tracing.ts"
import { CustomerPlane, OperatorPlane } from "./Planes.ts"
import { Forwarder } from "./proxy/forward.ts"
import { Proxies } from "./proxy/Proxies.ts"

/**
 * Both planes and the background jobs, over live upstream clients. What
 * remains is the store: PostgreSQL by `DATABASE_URL`, or the embedded one.
 */
export const layer = Layer.mergeAll(
  SweepJob,
  PurgeJob,
  AutoscalingJob,
  AlarmJob,
  UsageJob,
  BillingJob,
  ClosureJob,
  EdgeJob
).pipe(
  // Jobs stop first, and what they are in the middle of is taken up elsewhere while requests still come to their end.
  Layer.provideMerge(Layer.merge(Layer.fresh(CustomerPlane), Layer.fresh(OperatorPlane))),
  Layer.provideMerge(Proxies.layer),
  Layer.provideMerge(RegistryTokens.layer),
  Layer.provideMerge(
    Layer.mergeAll(
      Callers.layer,
      KeySets.layer,
      Owned.layer,
      Budget.layer,
      ClosureWindow.layer,
      EdgeSettings.layer,
      DnsSettings.layer,
      Archives.layer,
      Forwarder.layer,
      SourceAddresses.layer,
      SignupLimits.layer,
      Board.layer
    )
  ),
  // Below the planes, so that they stop first, and what their last requests have changed is still published.
  Layer.provideMerge(Layer.merge(Lifecycle.layer, Audit.layer)),
  Layer.provideMerge(Layer.mergeAll(Upstreams.layer, Resolver.layer, Bus.layer)),
  // What is counted, of this gateway alone.
  Layer.provide(Layer.mergeAll(Calls.layer, JobCounts.layer, Process.layer)),
  Layer.provide(Tracing.layer),
  Layer.provide(Layer.sync(Metric.MetricRegistry, () => new Map())),
  Layer.provide(Trust.client),
  Layer.provide(Trust.layer)
)
