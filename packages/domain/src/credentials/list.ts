import type { Caller } from "@portico/contract/Access"
import { pageOf, type PageRequest, pageRequestOf } from "@portico/contract/Page"
import type { CredentialRow } from "@portico/store/Credentials"
import { Pages } from "@portico/store/Pages"
import { DateTime, Effect } from "effect"
import { listedProject } from "../access/reach.ts"
import { entryOf } from "./entry.ts"

/**
 * Lists a tenant's credentials; an administrator sees those of all tenants. Revoked ones are listed
 * on request alone. A label selects the credentials with exactly that label.
 */
export const listCredentials = Effect.fn("credentials.list")(function* (
  caller: Caller,
  includeRevoked: boolean,
  page: PageRequest = pageRequestOf({}),
  label?: string
) {
  const listed = { projectId: yield* Effect.fromResult(listedProject(caller)), includeRevoked, label }
  const found = yield* (yield* Pages).credentials(listed, page)
  const { next_cursor, rows } = pageOf(found.rows, page, positionOf)
  return { count: found.count, next_cursor, credentials: yield* Effect.forEach(rows, entryOf) }
})

/** The position of a credential in a list. */
export const positionOf = ({ created_at, credential_id }: CredentialRow) => ({
  at: DateTime.toEpochMillis(created_at),
  id: credential_id
})
