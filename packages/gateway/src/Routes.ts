import { CustomerApi, OperatorApi } from "@portico/contract/Api"
import type { Plane } from "@portico/domain/health/readiness"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { PrometheusMetrics } from "effect/observability"
import { consoleOf } from "./console/console.ts"
import { discovery } from "./discovery/discovery.ts"
import { AccountHandlers, AccountsHandlers } from "./handlers/Accounts.ts"
import { AgentsHandlers } from "./handlers/Agents.ts"
import { AlarmsHandlers } from "./handlers/Alarms.ts"
import { AuditHandlers } from "./handlers/Audit.ts"
import { AutoscalingHandlers } from "./handlers/Autoscaling.ts"
import { CredentialsHandlers } from "./handlers/Credentials.ts"
import { DatabasesHandlers } from "./handlers/Databases.ts"
import { DnsHandlers } from "./handlers/Dns.ts"
import { DriftHandlers } from "./handlers/Drift.ts"
import { EdgeHandlers } from "./handlers/Edge.ts"
import { EventsHandlers } from "./handlers/Events.ts"
import { HealthHandlers } from "./handlers/Health.ts"
import { IaasHandlers } from "./handlers/Iaas.ts"
import { IdentityHandlers } from "./handlers/Identity.ts"
import { IntegrationsHandlers, WebhooksHandlers } from "./handlers/Targets.ts"
import { JournalHandlers } from "./handlers/Journal.ts"
import { KubernetesHandlers } from "./handlers/Kubernetes.ts"
import { MoneyHandlers } from "./handlers/Money.ts"
import { MetricsHandlers, MonitoringHandlers } from "./handlers/Monitoring.ts"
import { NatGatewaysHandlers } from "./handlers/NatGateways.ts"
import { ObjectStorageHandlers } from "./handlers/ObjectStorage.ts"
import { OrgUsersHandlers } from "./handlers/Org.ts"
import { PolicyHandlers } from "./handlers/Policy.ts"
import { DeletionsHandlers, ProjectsHandlers } from "./handlers/Projects.ts"
import { QuotasHandlers } from "./handlers/Quotas.ts"
import { RegistryHandlers } from "./handlers/Registry.ts"
import { SignupHandlers, SignupsHandlers } from "./handlers/Signups.ts"
import { IncidentsHandlers, StatusHandlers } from "./handlers/Status.ts"
import { TenantsHandlers } from "./handlers/Tenants.ts"
import { WorkloadIdentityHandlers, WorkloadIssuersHandlers } from "./handlers/WorkloadIdentity.ts"
import { AccessLive } from "./middleware/access.ts"
import { WellFormedLive } from "./middleware/body.ts"
import { planeMiddleware } from "./middleware/plane.ts"
import { CreatesLive } from "./middleware/idempotency.ts"
import { ValidatedLive } from "./middleware/validation.ts"
import { reference } from "./reference/reference.ts"
import { mergedMetrics } from "./threads/mergedMetrics.ts"
import { OtherThreads } from "./threads/Workers.ts"

const middleware = (plane: Plane) => Layer.mergeAll(AccessLive(plane), WellFormedLive, ValidatedLive, CreatesLive)

const Tenant = [
  ProjectsHandlers,
  WorkloadIdentityHandlers,
  SignupHandlers,
  PolicyHandlers,
  AccountHandlers,
  OrgUsersHandlers,
  CredentialsHandlers,
  AgentsHandlers,
  IdentityHandlers,
  QuotasHandlers,
  ObjectStorageHandlers,
  DatabasesHandlers,
  NatGatewaysHandlers,
  AutoscalingHandlers,
  DnsHandlers,
  EdgeHandlers,
  MetricsHandlers,
  AlarmsHandlers,
  WebhooksHandlers,
  IntegrationsHandlers,
  IaasHandlers,
  KubernetesHandlers
] as const

/** The routes that tenants reach. The operators' routes are not among them. */
const tenantRoutes = (plane: "customer" | "agent") =>
  Layer.merge(
    HttpApiBuilder.layer(CustomerApi).pipe(
      Layer.provide([
        HealthHandlers(plane),
        StatusHandlers(plane),
        MoneyHandlers(plane),
        EventsHandlers(plane),
        AuditHandlers(plane),
        RegistryHandlers(plane),
        ...Tenant
      ]),
      Layer.provide(middleware(plane))
    ),
    planeMiddleware(plane, CustomerApi)
  )

export const CustomerRoutes = Layer.mergeAll(
  tenantRoutes("customer"),
  reference("customer", CustomerApi),
  discovery("customer"),
  consoleOf("customer")
)

/** What the tool calls of agents reach: the tenants' routes, with an agent's rights. */
export const ToolRoutes = tenantRoutes("agent")

/** The metrics of the process, of all its threads. */
const metrics = HttpRouter.add(
  "GET",
  "/metrics",
  Effect.gen(function* () {
    const own = yield* PrometheusMetrics.format()
    const others = yield* (yield* OtherThreads).metrics
    const text = others.length === 0 ? own : mergedMetrics([own, ...others])
    return HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" })
  })
)

export const OperatorRoutes = Layer.mergeAll(
  HttpApiBuilder.layer(OperatorApi).pipe(
    Layer.provide([
      HealthHandlers("operator"),
      StatusHandlers("operator"),
      IncidentsHandlers,
      MonitoringHandlers,
      MoneyHandlers("operator"),
      EventsHandlers("operator"),
      AuditHandlers("operator"),
      RegistryHandlers("operator"),
      ...Tenant,
      DeletionsHandlers,
      DriftHandlers,
      AccountsHandlers,
      WorkloadIssuersHandlers,
      TenantsHandlers,
      JournalHandlers,
      SignupsHandlers
    ]),
    Layer.provide(middleware("operator"))
  ),
  reference("operator", OperatorApi),
  discovery("operator"),
  consoleOf("operator"),
  metrics,
  planeMiddleware("operator", OperatorApi)
)
