import { pageOf, type PageRequest } from "@portico/contract/Page"
import type { PendingTenant } from "@portico/contract/Tenants"
import { Journal, type JournalEntry } from "@portico/store/Journal"
import { Pages } from "@portico/store/Pages"
import { DateTime, Effect } from "effect"
import { tenantRow } from "./change.ts"

/** A page of the live tenants, oldest first, and all onboardings under way. */
export const listTenants = Effect.fn("tenants.list")(function* (page: PageRequest) {
  const found = yield* (yield* Pages).tenants(page)
  const { next_cursor, rows } = pageOf(found.rows, page, ({ created_at, project_id }) => ({
    at: DateTime.toEpochMillis(created_at),
    id: project_id
  }))
  const onboardings = yield* (yield* Journal).list
  const pending = onboardings.filter((_) => _.state === "running").map(pendingTenant)
  return { count: found.count, next_cursor, tenants: rows.map(tenantRow), pending }
})

const pendingTenant = ({ attempt_id, name, slug, started_at, tier }: JournalEntry): PendingTenant => ({
  state: "pending",
  attempt_id,
  slug,
  name,
  tier,
  started_at: DateTime.formatIso(started_at)
})
