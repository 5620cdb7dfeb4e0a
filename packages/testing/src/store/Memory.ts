import type { AccountEntry } from "@portico/store/Accounts"
import type { AgentAreasRow } from "@portico/store/AgentAreas"
import type { AgentCallRow } from "@portico/store/AgentCalls"
import type { AgentPlanRow } from "@portico/store/AgentPlans"
import type { AgentSettingsRow } from "@portico/store/AgentSettings"
import type { AlarmEntry } from "@portico/store/Alarms"
import type { GroupEntry } from "@portico/store/AutoscalingGroups"
import type { ConsoleSessionRow } from "@portico/store/ConsoleSessions"
import type { CredentialRow } from "@portico/store/Credentials"
import type { ClaimRow, ExposureRow } from "@portico/store/edgeRows"
import type { EventRow } from "@portico/store/EventLog"
import type { IdempotencyRow } from "@portico/store/IdempotencyKeys"
import type { IncidentEntry } from "@portico/store/Incidents"
import type { InvitationMailRow } from "@portico/store/InvitationMails"
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
import type { Tier } from "@portico/contract/Tiers"
import { Context, type DateTime, Effect, Layer, PubSub, type Scope, type Semaphore } from "effect"
import { onCommit, Table } from "./transaction.ts"

/** A tenant that began, moved to another tier, or ended. */
export interface TierChangeRow {
  readonly at: DateTime.Utc
  readonly was: Tier | null
  readonly became: Tier | null
}

/**
 * The tables of the in-memory layers. The layers share them, as SQL tables are
 * shared, and tests can read all of them.
 */
export class Memory extends Context.Service<
  Memory,
  {
    readonly tenants: Table<string, TenantEntry>
    /** The key is the number of the change. */
    readonly tierChanges: Table<number, TierChangeRow>
    readonly accounts: Table<number, AccountEntry>
    readonly credentials: Table<string, CredentialRow>
    readonly onboardings: Table<string, JournalEntry>
    readonly purges: Table<string, PurgeEntry>
    readonly signups: Table<string, SignupEntry>
    readonly signupRequests: Table<string, SignupRequestRow>
    /** The key numbers the mails. */
    readonly invitationMails: Table<number, InvitationMailRow>
    /** Events that went out by mail. */
    readonly eventMails: Table<string, { readonly project_id: string; readonly at: DateTime.Utc }>
    readonly events: Table<string, EventRow>
    readonly relays: Table<string, RelayRow>
    readonly workloadIssuers: Table<string, WorkloadIssuer>
    readonly workloadTokens: Table<string, WorkloadToken>
    readonly registryKeys: Table<string, RegistryKey>
    readonly consoleSessions: Table<string, ConsoleSessionRow>
    readonly organisationUnits: Table<string, UnitRow>
    readonly policies: Table<string, PolicyRow>
    readonly agentSettings: Table<string, AgentSettingsRow>
    readonly autoscalingGroups: Table<string, GroupEntry>
    readonly alarms: Table<string, AlarmEntry>
    readonly incidents: Table<string, IncidentEntry>
    readonly agentPlans: Table<string, AgentPlanRow>
    readonly idempotencyKeys: Table<string, IdempotencyRow>
    readonly agentCalls: Table<string, AgentCallRow>
    readonly targets: Table<string, TargetEntry>
    readonly deliveries: Table<string, DeliveryRow>
    readonly exposures: Table<string, ExposureRow>
    readonly agentAreas: Table<string, AgentAreasRow>
    /** The key is the domain and the project. */
    readonly edgeClaims: Table<string, ClaimRow>
    /** By name: the semaphore of the lease, how many fibers hold it or wait for it, and until when. It is not a table. */
    readonly leases: Map<string, { readonly turn: Semaphore.Semaphore; waiting: number; ends: number }>
  }
>()("portico/testing/store/Memory") {
  static readonly layer = Layer.sync(Memory, () =>
    Memory.of({
      tenants: new Table(),
      tierChanges: new Table(),
      accounts: new Table(),
      credentials: new Table(),
      onboardings: new Table(),
      purges: new Table(),
      signups: new Table(),
      signupRequests: new Table(),
      invitationMails: new Table(),
      eventMails: new Table(),
      events: new Table(),
      relays: new Table(),
      workloadIssuers: new Table(),
      workloadTokens: new Table(),
      registryKeys: new Table(),
      consoleSessions: new Table(),
      organisationUnits: new Table(),
      policies: new Table(),
      agentSettings: new Table(),
      autoscalingGroups: new Table(),
      alarms: new Table(),
      incidents: new Table(),
      agentPlans: new Table(),
      idempotencyKeys: new Table(),
      agentCalls: new Table(),
      targets: new Table(),
      deliveries: new Table(),
      exposures: new Table(),
      agentAreas: new Table(),
      edgeClaims: new Table(),
      leases: new Map()
    })
  )
}

/** The notification channel of the in-memory layers for what changed, like the database's channel. */
export class MemoryChanges extends Context.Service<
  MemoryChanges,
  {
    /** Publishes on commit, or at once outside of a transaction. */
    tell(change: string): Effect.Effect<void>
    readonly heard: Effect.Effect<PubSub.Subscription<string>, never, Scope.Scope>
  }
>()("portico/testing/store/MemoryChanges") {
  static readonly layer = Layer.effect(
    MemoryChanges,
    Effect.map(PubSub.unbounded<string>(), (changes) =>
      MemoryChanges.of({
        tell: (change) => onCommit(Effect.asVoid(PubSub.publish(changes, change))),
        heard: PubSub.subscribe(changes)
      })
    )
  )
}
