import { HttpApi, OpenApi } from "effect/http-api"
import { AccountGroup, Accounts } from "./Accounts.ts"
import { Alarms } from "./Alarms.ts"
import { AuditTrail } from "./Audit.ts"
import { Autoscaling } from "./Autoscaling.ts"
import { Credentials } from "./Credentials.ts"
import { Databases } from "./Databases.ts"
import { Dns } from "./Dns.ts"
import { Drift } from "./Drift.ts"
import { Edge } from "./Edge.ts"
import { Events } from "./EventRoutes.ts"
import { Health } from "./Health.ts"
import { Iaas } from "./Iaas.ts"
import { creatingRoutes } from "./Idempotency.ts"
import { Identity } from "./Identity.ts"
import { Integrations } from "./Integrations.ts"
import { Journal } from "./Journal.ts"
import { Kubernetes } from "./Kubernetes.ts"
import { Money } from "./Money.ts"
import { NatGateways } from "./NatGateways.ts"
import { ObjectStorage } from "./ObjectStorage.ts"
import { OrgUsers } from "./Org.ts"
import { Metrics } from "./Metrics.ts"
import { Monitoring } from "./Monitoring.ts"
import { asContract, withIdempotencyKeys } from "./openapi.ts"
import { Policy } from "./Policy.ts"
import { Deletions, Projects } from "./Projects.ts"
import { QuotasGroup } from "./Quotas.ts"
import { Registry } from "./Registry.ts"
import { Signup, Signups } from "./Signups.ts"
import { Incidents, Status } from "./Status.ts"
import { Tenants } from "./Tenants.ts"
import { Webhooks } from "./Webhooks.ts"
import { WorkloadIdentity, WorkloadIssuers } from "./WorkloadIdentity.ts"

/** The contract's version, served as `info.version`. */
export const version = "0.38.0"

const described = OpenApi.annotations({
  title: "Portico",
  version,
  description: "One HTTP/JSON API in front of a private cloud, for many tenants.",
  license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
  transform: (spec) => asContract(withIdempotencyKeys(spec, creatingRoutes(OperatorApi)))
})

// Bodies and queries are closed: an undeclared field is refused, never ignored.
const closed = { onExcessProperty: "error", errors: "all" } as const

/** The API of tenants. Routes across tenants are absent here, not refused. */
export class CustomerApi extends HttpApi.make("portico")
  .add(
    Health,
    Projects,
    AccountGroup,
    Signup,
    Credentials,
    OrgUsers,
    Identity,
    QuotasGroup,
    ObjectStorage,
    Iaas,
    Kubernetes,
    WorkloadIdentity,
    Registry,
    Money,
    Databases,
    NatGateways,
    Autoscaling,
    Dns,
    Edge,
    Events,
    Status,
    Metrics,
    Alarms,
    Webhooks,
    Integrations,
    AuditTrail,
    Policy
  )
  .annotate(HttpApi.PayloadParseOptions, closed)
  .annotate(HttpApi.QueryParseOptions, closed)
  .annotateMerge(described) {}

/** The API of operators, on the administrative address. */
export class OperatorApi extends HttpApi.make("portico")
  .add(
    Health,
    Projects,
    Deletions,
    AccountGroup,
    Accounts,
    Signup,
    Credentials,
    OrgUsers,
    Identity,
    QuotasGroup,
    ObjectStorage,
    Iaas,
    Kubernetes,
    WorkloadIdentity,
    Registry,
    Money,
    Databases,
    NatGateways,
    Autoscaling,
    Dns,
    Edge,
    Events,
    Status,
    Incidents,
    Metrics,
    Alarms,
    Webhooks,
    Integrations,
    AuditTrail,
    Monitoring,
    WorkloadIssuers,
    Tenants,
    Journal,
    Policy,
    Drift,
    Signups
  )
  .annotate(HttpApi.PayloadParseOptions, closed)
  .annotate(HttpApi.QueryParseOptions, closed)
  .annotateMerge(described) {}
