import type { Caller } from "@portico/contract/Access"
import { Context, Predicate } from "effect"

/** What is found out about a call on its way, for the record of it. */
export class Trail {
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

/** The trail of the request to a first-class route; there is none when the call is not recorded. */
export const CurrentTrail = Context.Reference<Trail | undefined>("portico/gateway/CurrentTrail", {
  defaultValue: () => undefined
})
