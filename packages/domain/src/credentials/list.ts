import type { Caller } from "@portico/contract/Access"
import { pageOf, type PageRequest, pageRequestOf } from "@portico/contract/Page"
import type { CredentialRow } from "@portico/store/Credentials"
import { Pages } from "@portico/store/Pages"
import { DateTime, Effect } from "effect"
import { listedProject } from "../access/reach.ts"
import { entryOf } from "./entry.ts"

/** An administrator sees every tenant's credentials, a tenant its own. Revoked ones only when asked for. With a label, those that have exactly it. */
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

/** Where a credential stands in a list. */
export const positionOf = ({ created_at, credential_id }: CredentialRow) => ({
  at: DateTime.toEpochMillis(created_at),
  id: credential_id
})
