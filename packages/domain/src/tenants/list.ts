import { pageOf, type PageRequest } from "@portico/contract/Page"
import type { PendingTenant, TenantRow } from "@portico/contract/Tenants"
import { Journal, type JournalEntry } from "@portico/store/Journal"
import { Pages } from "@portico/store/Pages"
import type { TenantEntry } from "@portico/store/Tenants"
import { DateTime, Effect } from "effect"

/** A page of the live tenants, oldest first, and all onboardings under way. */
export const listTenants = Effect.fn("tenants.list")(function* (page: PageRequest) {
  const found = yield* (yield* Pages).tenants(page)
  const { next_cursor, rows } = pageOf(found.rows, page, ({ created_at, project_id }) => ({
    at: DateTime.toEpochMillis(created_at),
    id: project_id
  }))
  const onboardings = yield* (yield* Journal).list
  const pending = onboardings.filter((_) => _.state === "running").map(pendingTenant)
  return { count: found.count, next_cursor, tenants: rows.map(toWire), pending }
})

const pendingTenant = ({ attempt_id, name, slug, started_at, tier }: JournalEntry): PendingTenant => ({
  state: "pending",
  attempt_id,
  slug,
  name,
  tier,
  started_at: DateTime.formatIso(started_at)
})

/** A tenant as lists and changes show it. */
export const toWire = (entry: TenantEntry): TenantRow => ({
  project_id: entry.project_id,
  slug: entry.slug,
  project_name: entry.slug,
  tenant_name: entry.name,
  name: entry.name,
  tier: entry.tier,
  suspended: entry.suspended,
  pending_tier: entry.pending_tier,
  created_at: DateTime.formatIso(entry.created_at)
})
