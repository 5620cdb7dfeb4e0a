import { CustomerApi, OperatorApi } from "@portico/contract/Api"
import type { Plane } from "@portico/domain/health/readiness"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { type HttpApi, HttpApiBuilder, type HttpApiGroup, HttpApiScalar, OpenApi } from "effect/http-api"
import { PrometheusMetrics } from "effect/observability"
import { AccountHandlers, AccountsHandlers } from "./handlers/Accounts.ts"
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
import { IntegrationsHandlers } from "./handlers/Integrations.ts"
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
import { WebhooksHandlers } from "./handlers/Webhooks.ts"
import { WorkloadIdentityHandlers, WorkloadIssuersHandlers } from "./handlers/WorkloadIdentity.ts"
import { AccessLive } from "./middleware/access.ts"
import { WellFormedLive } from "./middleware/body.ts"
import { planeMiddleware } from "./middleware/plane.ts"
import { CreatesLive } from "./middleware/idempotency.ts"
import { sharedPage } from "./middleware/sharedPage.ts"
import { ValidatedLive } from "./middleware/validation.ts"

const middleware = (plane: Plane) => Layer.mergeAll(AccessLive(plane), WellFormedLive, ValidatedLive, CreatesLive)

const Tenant = [
  ProjectsHandlers,
  WorkloadIdentityHandlers,
  SignupHandlers,
  PolicyHandlers,
  AccountHandlers,
  OrgUsersHandlers,
  CredentialsHandlers,
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

/**
 * The public pages of a plane: its OpenAPI document and the API reference that is rendered from it. The reference
 * loads nothing from other hosts.
 */
const pages = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) =>
  Layer.merge(
    Layer.provide(
      HttpRouter.add(
        "GET",
        "/openapi.json",
        Effect.sync(() => HttpServerResponse.jsonUnsafe(OpenApi.fromApi(api)))
      ),
      Layer.fresh(sharedPage.layer)
    ),
    Layer.provide(
      HttpApiScalar.layer(api, { path: "/docs", scalar: { withDefaultFonts: false } }),
      Layer.fresh(sharedPage.layer)
    )
  )

/** The routes that tenants reach. The operators' routes are not among them. */
export const CustomerRoutes = Layer.mergeAll(
  HttpApiBuilder.layer(CustomerApi).pipe(
    Layer.provide([
      HealthHandlers("customer"),
      StatusHandlers("customer"),
      MoneyHandlers("customer"),
      EventsHandlers("customer"),
      AuditHandlers("customer"),
      RegistryHandlers("customer"),
      ...Tenant
    ]),
    Layer.provide(middleware("customer"))
  ),
  pages(CustomerApi),
  planeMiddleware("customer", CustomerApi)
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
  pages(OperatorApi),
  PrometheusMetrics.layerHttp({ path: "/metrics" }),
  planeMiddleware("operator", OperatorApi)
)
