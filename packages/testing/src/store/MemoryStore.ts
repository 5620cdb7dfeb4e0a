import { Layer } from "effect"
import * as Accounts from "./Accounts.ts"
import * as AgentAreas from "./AgentAreas.ts"
import * as AgentCalls from "./AgentCalls.ts"
import * as AgentPlans from "./AgentPlans.ts"
import * as AgentSettings from "./AgentSettings.ts"
import * as Alarms from "./Alarms.ts"
import * as AutoscalingGroups from "./AutoscalingGroups.ts"
import * as ConsoleSessions from "./ConsoleSessions.ts"
import * as Credentials from "./Credentials.ts"
import * as Deliveries from "./Deliveries.ts"
import * as EventLog from "./EventLog.ts"
import * as Exposures from "./Exposures.ts"
import * as Holds from "./Holds.ts"
import * as IdempotencyKeys from "./IdempotencyKeys.ts"
import * as Incidents from "./Incidents.ts"
import * as InvitationMails from "./InvitationMails.ts"
import * as Journal from "./Journal.ts"
import * as Leases from "./Leases.ts"
import * as Members from "./Members.ts"
import * as OrganisationUnits from "./OrganisationUnits.ts"
import * as Pages from "./Pages.ts"
import * as Policies from "./Policies.ts"
import * as ProjectRecords from "./ProjectRecords.ts"
import * as Purges from "./Purges.ts"
import * as RegistryKeys from "./RegistryKeys.ts"
import * as Relays from "./Relays.ts"
import * as Rotations from "./Rotations.ts"
import * as Signups from "./Signups.ts"
import * as Targets from "./Targets.ts"
import * as Tenants from "./Tenants.ts"
import * as Transactions from "./Transactions.ts"
import * as Usage from "./Usage.ts"
import * as WorkloadIssuers from "./WorkloadIssuers.ts"
import * as WorkloadTokens from "./WorkloadTokens.ts"
import { Memory, MemoryChanges } from "./Memory.ts"

/** The store in memory, for tests that move the clock. The tables are in {@link Memory}. */
export const layer = Layer.mergeAll(
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
).pipe(Layer.provideMerge(Layer.merge(Memory.layer, MemoryChanges.layer)))
