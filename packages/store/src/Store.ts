import { Layer } from "effect"
import { Accounts } from "./Accounts.ts"
import { AgentAreas } from "./AgentAreas.ts"
import { AgentCalls } from "./AgentCalls.ts"
import { AgentPlans } from "./AgentPlans.ts"
import { AgentSettings } from "./AgentSettings.ts"
import { Alarms } from "./Alarms.ts"
import { AutoscalingGroups } from "./AutoscalingGroups.ts"
import { ConsoleSessions } from "./ConsoleSessions.ts"
import { Credentials } from "./Credentials.ts"
import { fitClient, migrated } from "./Database.ts"
import { Deliveries } from "./Deliveries.ts"
import { EventLog } from "./EventLog.ts"
import { Exposures } from "./Exposures.ts"
import { Holds } from "./Holds.ts"
import { IdempotencyKeys } from "./IdempotencyKeys.ts"
import { Incidents } from "./Incidents.ts"
import { InvitationMails } from "./InvitationMails.ts"
import { Journal } from "./Journal.ts"
import { Leases } from "./Leases.ts"
import { Members } from "./Members.ts"
import { Pages } from "./Pages.ts"
import { OrganisationUnits } from "./OrganisationUnits.ts"
import { Policies } from "./Policies.ts"
import { ProjectRecords } from "./ProjectRecords.ts"
import { Purges } from "./Purges.ts"
import { RegistryKeys } from "./RegistryKeys.ts"
import { Rotations } from "./Rotations.ts"
import { Relays } from "./Relays.ts"
import { Signups } from "./Signups.ts"
import { Targets } from "./Targets.ts"
import { Tenants } from "./Tenants.ts"
import { Transactions } from "./Transactions.ts"
import { Usage } from "./Usage.ts"
import { WorkloadIssuers } from "./WorkloadIssuers.ts"
import { WorkloadTokens } from "./WorkloadTokens.ts"

/** Every table over the context's `SqlClient`, whose schema another layer brings up to date. */
export const tables = Layer.mergeAll(
  Tenants.layer,
  AgentAreas.layer,
  AutoscalingGroups.layer,
  AgentPlans.layer,
  Alarms.layer,
  Incidents.layer,
  IdempotencyKeys.layer,
  Targets.layer,
  Deliveries.layer,
  Signups.layer,
  Accounts.layer,
  OrganisationUnits.layer,
  Policies.layer,
  AgentSettings.layer,
  WorkloadIssuers.layer,
  WorkloadTokens.layer,
  RegistryKeys.layer,
  ConsoleSessions.layer,
  Credentials.layer,
  Members.layer,
  InvitationMails.layer,
  Holds.layer,
  Purges.layer,
  ProjectRecords.layer,
  Pages.layer,
  Rotations.layer,
  Usage.layer,
  Journal.layer,
  EventLog.layer,
  Relays.layer,
  Exposures.layer,
  Leases.layer,
  AgentCalls.layer,
  Transactions.layer
)

/** Every table over the context's `SqlClient`. Migrations run first. */
export const layerNoDeps = Layer.provide(tables, migrated)

/** Over PostgreSQL at `DATABASE_URL`. */
export const layer = Layer.provideMerge(layerNoDeps, fitClient)

export type Store = Layer.Success<typeof layerNoDeps>
