import type { Caller } from "@portico/contract/Access"
import { Credentials } from "@portico/store/Credentials"
import { Effect } from "effect"
import { entryOf } from "./entry.ts"

/** An administrator sees every tenant's credentials, a tenant its own. Revoked ones only when asked for. */
export const listCredentials = Effect.fn("credentials.list")(function* (caller: Caller, includeRevoked: boolean) {
  const rows = yield* (yield* Credentials).list({ projectId: caller.tenant?.projectId, includeRevoked })
  const credentials = yield* Effect.forEach(rows, entryOf)
  return { count: credentials.length, credentials }
})
