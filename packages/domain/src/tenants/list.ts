import { pageOf, type PageRequest } from "@portico/contract/Page"
import { Pages } from "@portico/store/Pages"
import { DateTime, Effect } from "effect"
import { tenantRow } from "./change.ts"

/** Every live tenant, oldest first. */
export const listTenants = Effect.fn("tenants.list")(function* (page: PageRequest) {
  const found = yield* (yield* Pages).tenants(page)
  const { next_cursor, rows } = pageOf(found.rows, page, ({ created_at, project_id }) => ({
    at: DateTime.toEpochMillis(created_at),
    id: project_id
  }))
  return { count: found.count, next_cursor, tenants: rows.map(tenantRow) }
})
