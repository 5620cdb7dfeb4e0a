import { Context, Layer } from "effect"
import type { CredentialRow } from "./Credentials.ts"
import type { EventRow } from "./EventLog.ts"
import type { JournalEntry } from "./Journal.ts"
import type { TenantEntry } from "./Tenants.ts"

/** The tables of the in-memory layers, so that they see each other's rows as SQL does, and tests can look at all of them. */
export class Memory extends Context.Service<
  Memory,
  {
    readonly tenants: Map<string, TenantEntry>
    readonly credentials: Map<string, CredentialRow>
    readonly onboardings: Map<string, JournalEntry>
    readonly events: Map<string, EventRow>
  }
>()("portico/store/Memory") {
  static readonly layer = Layer.sync(Memory, () =>
    Memory.of({ tenants: new Map(), credentials: new Map(), onboardings: new Map(), events: new Map() })
  )
}
