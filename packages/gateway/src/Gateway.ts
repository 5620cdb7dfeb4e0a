import { ClosureWindow } from "@portico/domain/accounts/ClosureWindow"
import { Callers } from "@portico/domain/access/Callers"
import { Audit } from "@portico/domain/audit/Audit"
import { Exports } from "@portico/domain/audit/Exports"
import { AuditRing } from "@portico/domain/audit/AuditRing"
import * as BusHealth from "@portico/domain/bus/BusHealth"
import { Sessions } from "@portico/domain/console/Sessions"
import { Archives } from "@portico/domain/databases/Archives"
import * as Delivering from "@portico/domain/deliveries/layer"
import { DnsSettings } from "@portico/domain/dns/DnsSettings"
import { ClusterSettings } from "@portico/domain/kubernetes/ClusterSettings"
import { EdgeSettings } from "@portico/domain/edge/EdgeSettings"
import { Bus } from "@portico/domain/events/Bus"
import { Lifecycle } from "@portico/domain/events/Lifecycle"
import { Publisher } from "@portico/domain/events/Publisher"
import { Tail } from "@portico/domain/events/Tail"
import { Watchers } from "@portico/domain/events/Watchers"
import { Components } from "@portico/domain/health/Components"
import { releasedBy, stopDeadlines, Stopping } from "@portico/domain/health/Stopping"
import { Surveys } from "@portico/domain/projects/survey"
import { RunToCompletion } from "@portico/domain/work/RunToCompletion"
import { RegistryTokens } from "@portico/domain/registry/RegistryTokens"
import { SignupLimits } from "@portico/domain/signups/SignupLimits"
import { Budget } from "@portico/domain/tenants/Budget"
import { TierTags } from "@portico/domain/tenants/TierTags"
import { KeySets } from "@portico/domain/workloadIdentity/KeySets"
import { Resolver } from "@portico/upstream/dns/Resolver"
import * as UpstreamMetrics from "@portico/upstream/UpstreamMetrics"
import { Kafka } from "@portico/upstream/kafka/Kafka"
import * as Trust from "@portico/upstream/Trust"
import * as Upstreams from "@portico/upstream/Upstreams"
import { Layer, Metric } from "effect"
import type { HttpClient } from "effect/http"
import { ConsoleFiles } from "./console/ConsoleFiles.ts"
import { ListeningPlanes } from "./discovery/ListeningPlanes.ts"
import * as ClusterChecks from "./jobs/cluster.ts"
import { ProbeJob } from "./jobs/probes.ts"
import * as JobCounts from "./jobs/job.ts"
import { Jobs } from "./jobs/Jobs.ts"
import * as BodyTimeout from "./middleware/bodyTimeout.ts"
import { SourceAddresses } from "./requests/sourceAddress.ts"
import { Allowances } from "./limits/Allowances.ts"
import * as Process from "./observability/process.ts"
import * as Tracing from "./observability/tracing.ts"
import { AgentPlane, CustomerPlane, OperatorPlane, WorkerPlanes } from "./Planes.ts"
import { Forwarder } from "./proxy/forward.ts"
import { Proxies } from "./proxy/Proxies.ts"
import { OpenCalls } from "./streams/OpenCalls.ts"
import { DatabaseShares } from "./limits/DatabaseShares.ts"
import { reporting } from "./reporting.ts"

/** What the platform's own onboarding steps can require: upstream clients, sessions and the HTTP client behind them. */
export type OnboardingServices = Upstreams.Upstreams | HttpClient.HttpClient

/** Audit and lifecycle recorders. */
const records = Layer.merge(Lifecycle.layer, Audit.layer)

/**
 * The three planes and the background jobs, over live upstream clients. The caller still provides the store: PostgreSQL by
 * `DATABASE_URL`, or the embedded one.
 *
 * @param options.onboarding the platform's own onboarding steps, made by `OnboardingSteps.layer`. They can use the
 *   gateway's upstream clients, sessions and HTTP client, with its trusted certificates and its metrics
 * @param options.records recorders of completed calls, in place of the audit and lifecycle recorders
 */
export const layerWith = <E = never, R = never>(options: Options<E, R>) =>
  stoppable.pipe(
    Layer.provideMerge(releasedBy(stopDeadlines.requests)(Layer.merge(tenantsPlanes, Layer.fresh(OperatorPlane)))),
    Layer.provideMerge(services(options)),
    Layer.provide(foundation())
  )

/** The same, but the planes of tenants and of agents are in threads: see {@link layerOfThread}. */
export const layerWithWorkers = <E = never, R = never>(options: Options<E, R>) =>
  stoppable.pipe(
    Layer.provideMerge(releasedBy(stopDeadlines.threads)(Layer.merge(WorkerPlanes, Layer.fresh(OperatorPlane)))),
    Layer.provideMerge(services(options)),
    Layer.provide(foundation())
  )

/**
 * The plane of tenants in such a thread. The first one has that of agents too: a person's answer to a question of a
 * tool has to reach the thread that asked.
 */
export const layerOfThread = <E = never, R = never>(options: Options<E, R>, index: number) =>
  Layer.merge(reporting, Stopping.noticed).pipe(
    Layer.provideMerge(releasedBy(stopDeadlines.requests)(index === 0 ? tenantsPlanes : Layer.fresh(CustomerPlane))),
    Layer.provideMerge(services(options)),
    Layer.provide(foundation())
  )

interface Options<E, R> {
  readonly onboarding?: Layer.Layer<never, E, R>
  readonly records?: typeof records
}

/**
 * Jobs stop first. Another replica takes up their unfinished work while open requests come to their end here.
 */
const stoppable = Layer.merge(releasedBy(stopDeadlines.jobs)(Jobs), Stopping.noticed)

const tenantsPlanes = Layer.merge(Layer.fresh(CustomerPlane), Layer.fresh(AgentPlane))

/** What planes and jobs are built upon. */
const services = <E, R>(options: Options<E, R>) =>
  // The first answer already has the results of the first probes.
  ProbeJob.pipe(
    Layer.provideMerge(Proxies.layer),
    Layer.provideMerge(OpenCalls.layer),
    Layer.provideMerge(Layer.merge(RegistryTokens.layer, Sessions.layer)),
    Layer.provideMerge(
      Layer.mergeAll(
        Callers.layer,
        ListeningPlanes.layer,
        ConsoleFiles.layer,
        Allowances.layer,
        DatabaseShares.layer,
        KeySets.layer,
        RunToCompletion.layer,
        Budget.layer,
        TierTags.layer,
        ClosureWindow.layer,
        EdgeSettings.layer,
        ClusterSettings.layer,
        ClusterChecks.layer,
        DnsSettings.layer,
        Archives.layer,
        Forwarder.layer,
        SourceAddresses.layer,
        BodyTimeout.layer,
        SignupLimits.layer,
        Components.layer,
        Delivering.layer,
        AuditRing.layer,
        Watchers.layer,
        Exports.layer,
        Surveys.layer
      )
    ),
    releasedBy(stopDeadlines.requests),
    // Below the planes: the planes stop first, and the changes of their last requests are still published.
    Layer.provideMerge(Layer.merge(options.records ?? records, Publisher.layer)),
    Layer.provideMerge(options.onboarding ?? Layer.empty),
    Layer.provideMerge(Layer.mergeAll(Upstreams.layer, Resolver.layer, Kafka.layer, Bus.layer, Tail.layer)),
    releasedBy(stopDeadlines.rest)
  )

/** The metrics of this gateway alone, its spans, and the authorities that it trusts. */
const foundation = () =>
  Layer.mergeAll(UpstreamMetrics.layer, JobCounts.layer, BusHealth.layer, Process.layer).pipe(
    Layer.provideMerge(Tracing.layer),
    Layer.provideMerge(Layer.sync(Metric.MetricRegistry, () => new Map())),
    Layer.provideMerge(Trust.client),
    Layer.provideMerge(Trust.layer),
    releasedBy(stopDeadlines.rest),
    Layer.provideMerge(Stopping.layer)
  )

/** {@link layerWith} the built-in onboarding steps alone. */
export const layer = layerWith({})
