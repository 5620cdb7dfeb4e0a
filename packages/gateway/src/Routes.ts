import { CustomerApi, OperatorApi } from "@portico/contract/Api"
import { Layer } from "effect"
import { HttpApiBuilder, HttpApiScalar } from "effect/http-api"
import { AccountHandlers, AccountsHandlers } from "./handlers/Accounts.ts"
import { CredentialsHandlers } from "./handlers/Credentials.ts"
import { DriftHandlers } from "./handlers/Drift.ts"
import { HealthHandlers } from "./handlers/Health.ts"
import { IaasHandlers } from "./handlers/Iaas.ts"
import { IdentityHandlers } from "./handlers/Identity.ts"
import { JournalHandlers } from "./handlers/Journal.ts"
import { KubernetesHandlers } from "./handlers/Kubernetes.ts"
import { MoneyHandlers } from "./handlers/Money.ts"
import { OrgUsersHandlers } from "./handlers/Org.ts"
import { PolicyHandlers } from "./handlers/Policy.ts"
import { DeletionsHandlers, ProjectsHandlers } from "./handlers/Projects.ts"
import { QuotasHandlers } from "./handlers/Quotas.ts"
import { RegistryHandlers } from "./handlers/Registry.ts"
import { SignupHandlers, SignupsHandlers } from "./handlers/Signups.ts"
import { TenantsHandlers } from "./handlers/Tenants.ts"
import { WorkloadIdentityHandlers, WorkloadIssuersHandlers } from "./handlers/WorkloadIdentity.ts"
import { AccessLive } from "./middleware/access.ts"
import { WellFormedLive } from "./middleware/body.ts"
import { edge } from "./middleware/edge.ts"
import { ValidatedLive } from "./middleware/validation.ts"

const Middleware = Layer.mergeAll(AccessLive, WellFormedLive, ValidatedLive)

const Tenant = [
  ProjectsHandlers,
  WorkloadIdentityHandlers,
  RegistryHandlers,
  SignupHandlers,
  PolicyHandlers,
  AccountHandlers,
  OrgUsersHandlers,
  CredentialsHandlers,
  IdentityHandlers,
  QuotasHandlers,
  IaasHandlers,
  KubernetesHandlers
] as const

/** What tenants reach: the operators' routes are not in it. */
export const CustomerRoutes = Layer.mergeAll(
  HttpApiBuilder.layer(CustomerApi, { openapiPath: "/openapi.json" }).pipe(
    Layer.provide([HealthHandlers("customer"), MoneyHandlers("customer"), ...Tenant]),
    Layer.provide(Middleware)
  ),
  HttpApiScalar.layer(CustomerApi, { path: "/docs" }),
  edge(CustomerApi)
)

export const OperatorRoutes = Layer.mergeAll(
  HttpApiBuilder.layer(OperatorApi, { openapiPath: "/openapi.json" }).pipe(
    Layer.provide([
      HealthHandlers("operator"),
      MoneyHandlers("operator"),
      ...Tenant,
      DeletionsHandlers,
      DriftHandlers,
      AccountsHandlers,
      WorkloadIssuersHandlers,
      TenantsHandlers,
      JournalHandlers,
      SignupsHandlers
    ]),
    Layer.provide(Middleware)
  ),
  HttpApiScalar.layer(OperatorApi, { path: "/docs" }),
  edge(OperatorApi)
)
