import { Context, Layer, PubSub, type Semaphore } from "effect"
import type { AccountEntry } from "@portico/store/Accounts"
import type { AlarmEntry } from "@portico/store/alarmRows"
import type { GroupEntry } from "@portico/store/autoscalingRows"
import type { CredentialRow } from "@portico/store/Credentials"
import type { ClaimRow, ExposureRow } from "@portico/store/edgeRows"
import type { EventRow } from "@portico/store/EventLog"
import type { IdempotencyRow } from "@portico/store/IdempotencyKeys"
import type { IncidentEntry } from "@portico/store/Incidents"
import type { JournalEntry } from "@portico/store/Journal"
import type { UnitRow } from "@portico/store/OrganisationUnits"
import type { PolicyRow } from "@portico/store/Policies"
import type { PurgeEntry } from "@portico/store/Purges"
import type { RegistryKey } from "@portico/store/RegistryKeys"
import type { RelayRow } from "@portico/store/Relays"
import type { SignupEntry, SignupRequestRow } from "@portico/store/Signups"
import type { DeliveryRow, TargetEntry } from "@portico/store/targetRows"
import type { TenantEntry } from "@portico/store/Tenants"
import type { WorkloadIssuer } from "@portico/store/WorkloadIssuers"
import type { WorkloadToken } from "@portico/store/WorkloadTokens"

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
>()("portico/testing/store/Memory") {
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
  "portico/testing/store/MemoryChanges"
) {
  static readonly layer = Layer.effect(MemoryChanges, PubSub.unbounded<string>())
}
