import { HttpApi, type HttpApiGroup, OpenApi } from "effect/http-api"
import { AccountGroup, Accounts } from "./Accounts.ts"
import { Agents } from "./Agents.ts"
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

/**
 * The groups of both planes, in the order in which a reader of the document
 * needs them, under the titles of its sections.
 */
const shared = {
  "Getting started": [Signup, Identity, Status, QuotasGroup, Health],
  Access: [Credentials, Agents, WorkloadIdentity, OrgUsers, Policy],
  "Platform services": [Iaas, Kubernetes, Registry, Autoscaling],
  Storage: [ObjectStorage],
  Databases: [Databases],
  Networks: [NatGateways, Dns, Edge],
  Observation: [Metrics, Alarms, Events, Webhooks, Integrations, AuditTrail],
  Costs: [Money],
  Account: [AccountGroup, Projects]
} as const

/** The groups of the operator plane alone. */
const operators = [
  Tenants,
  Signups,
  Accounts,
  Deletions,
  Journal,
  Drift,
  WorkloadIssuers,
  Incidents,
  Monitoring
] as const

/** The sections of the documents and their groups, in order. A plane's document has those groups that the plane has. */
export const sections = { ...shared, Operators: operators } as const

const ofTenants = [
  ...shared["Getting started"],
  ...shared.Access,
  ...shared["Platform services"],
  ...shared.Storage,
  ...shared.Databases,
  ...shared.Networks,
  ...shared.Observation,
  ...shared.Costs,
  ...shared.Account
] as const

const described = OpenApi.annotations({
  title: "Portico",
  version,
  license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" }
})

// Bodies and queries are closed: an undeclared field is refused, never ignored.
const closed = { onExcessProperty: "error", errors: "all" } as const

const portico = HttpApi.make("portico")
  .annotate(HttpApi.PayloadParseOptions, closed)
  .annotate(HttpApi.QueryParseOptions, closed)

/**
 * The API of one group, for its handlers. They serve both planes, because a group's service is named after the API's
 * identifier and the group's. With {@link OperatorApi} the compiler would work through every group in each file of handlers.
 */
export const apiOf = <Group extends HttpApiGroup.Constraint>(group: Group) => portico.add(group)

/**
 * The API of tenants. Routes across tenants are absent here, not refused. Its
 * document is `documentOf` of `openapi/documents.ts`.
 */
export class CustomerApi extends portico.add(...ofTenants).annotateMerge(described) {}

/** The API of operators, on the administrative address. */
export class OperatorApi extends portico.add(...ofTenants, ...operators).annotateMerge(described) {}
