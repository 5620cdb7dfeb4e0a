import type { Caller } from "@portico/contract/Access"
import { Context, Predicate } from "effect"

/** Facts about a call, collected on its way for its audit record. */
export class AuditDraft {
  /** The path as the endpoint declares it; undefined when the call reached no endpoint, or the caller is unknown. */
  route: string | undefined
  /** Whether the endpoint's reads are recorded. */
  auditedRead = false
  caller: Caller | undefined
  /** What the call is about, where its path does not say it. */
  resources: ReadonlyArray<string> = []
  /** Null for a body that was not read. */
  fields: ReadonlyArray<string> | null = null
  /** The upstream's status, where the client may not have received it. */
  status: number | undefined

  /** Notes the fields of a body that was read. */
  read(body: unknown): void {
    this.fields = Predicate.isObject(body) ? Object.keys(body) : []
  }
}

/** The draft of the request to a first-class route. */
export const CurrentAuditDraft = Context.Reference<AuditDraft | undefined>("portico/gateway/CurrentAuditDraft", {
  defaultValue: () => undefined
})
