import { Context, Layer, PubSub, type Semaphore } from "effect"
import type { AccountEntry } from "./Accounts.ts"
import type { AlarmEntry } from "./alarmRows.ts"
import type { GroupEntry } from "./autoscalingRows.ts"
import type { CredentialRow } from "./Credentials.ts"
import type { ClaimRow, ExposureRow } from "./edgeRows.ts"
import type { EventRow } from "./EventLog.ts"
import type { IdempotencyRow } from "./IdempotencyKeys.ts"
import type { IncidentEntry } from "./Incidents.ts"
import type { JournalEntry } from "./Journal.ts"
import type { UnitRow } from "./OrganisationUnits.ts"
import type { PolicyRow } from "./Policies.ts"
import type { PurgeEntry } from "./Purges.ts"
import type { RegistryKey } from "./RegistryKeys.ts"
import type { RelayRow } from "./Relays.ts"
import type { SignupEntry, SignupRequestRow } from "./Signups.ts"
import type { DeliveryRow, TargetEntry } from "./targetRows.ts"
import type { TenantEntry } from "./Tenants.ts"
import type { WorkloadIssuer } from "./WorkloadIssuers.ts"
import type { WorkloadToken } from "./WorkloadTokens.ts"

/** The tables of the in-memory layers, so that they see each other's rows as SQL does, and tests can look at all of them. */
export class Memory extends Context.Service<
  Memory,
  {
    readonly tenants: Map<string, TenantEntry>
    readonly accounts: Map<number, AccountEntry>
    readonly credentials: Map<string, CredentialRow>
    readonly onboardings: Map<string, JournalEntry>
    readonly purges: Map<string, PurgeEntry>
    readonly signups: Map<string, SignupEntry>
    readonly signupRequests: Map<string, SignupRequestRow>
    readonly events: Map<string, EventRow>
    readonly relays: Map<string, RelayRow>
    readonly workloadIssuers: Map<string, WorkloadIssuer>
    readonly workloadTokens: Map<string, WorkloadToken>
    readonly registryKeys: Map<string, RegistryKey>
    readonly organisationUnits: Map<string, UnitRow>
    readonly policies: Map<string, PolicyRow>
    readonly autoscalingGroups: Map<string, GroupEntry>
    readonly alarms: Map<string, AlarmEntry>
    readonly incidents: Map<string, IncidentEntry>
    readonly idempotencyKeys: Map<string, IdempotencyRow>
    readonly targets: Map<string, TargetEntry>
    readonly deliveries: Map<string, DeliveryRow>
    readonly exposures: Map<string, ExposureRow>
    /** By domain and project. */
    readonly edgeClaims: Map<string, ClaimRow>
    /** By name: whose turn it is, and how many hold it or wait for it. */
    readonly leases: Map<string, { readonly turn: Semaphore.Semaphore; readonly waiting: number }>
  }
>()("portico/store/Memory") {
  static readonly layer = Layer.sync(Memory, () =>
    Memory.of({
      tenants: new Map(),
      accounts: new Map(),
      credentials: new Map(),
      onboardings: new Map(),
      purges: new Map(),
      signups: new Map(),
      signupRequests: new Map(),
      events: new Map(),
      relays: new Map(),
      workloadIssuers: new Map(),
      workloadTokens: new Map(),
      registryKeys: new Map(),
      organisationUnits: new Map(),
      policies: new Map(),
      autoscalingGroups: new Map(),
      alarms: new Map(),
      incidents: new Map(),
      idempotencyKeys: new Map(),
      targets: new Map(),
      deliveries: new Map(),
      exposures: new Map(),
      edgeClaims: new Map(),
      leases: new Map()
    })
  )
}

/** Where the in-memory layers tell of user ids whose record changed, as the database does on its channel. */
export class MemoryChanges extends Context.Service<MemoryChanges, PubSub.PubSub<string>>()(
  "portico/store/MemoryChanges"
) {
  static readonly layer = Layer.effect(MemoryChanges, PubSub.unbounded<string>())
}
