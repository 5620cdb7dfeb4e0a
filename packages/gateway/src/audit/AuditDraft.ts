import type { Caller } from "@portico/contract/Access"
import { Context, Predicate } from "effect"

/** What is found out about a call on its way, for the record of it. */
export class AuditDraft {
  /** As the endpoint declares it; undefined when none was reached, or by somebody unknown. */
  route: string | undefined
  /** The endpoint is one whose reads are recorded. */
  auditedRead = false
  caller: Caller | undefined
  /** Null for a body that was not read. */
  fields: ReadonlyArray<string> | null = null
  /** What an upstream answered, where the client may not have heard it. */
  status: number | undefined

  /** The body was read, and this is what it is. */
  read(body: unknown): void {
    this.fields = Predicate.isObject(body) ? Object.keys(body) : []
  }
}

/** The draft of the request to a first-class route. */
export const CurrentAuditDraft = Context.Reference<AuditDraft | undefined>("portico/gateway/CurrentAuditDraft", {
  defaultValue: () => undefined
})
