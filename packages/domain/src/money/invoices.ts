import type { Caller } from "@portico/contract/Access"
import type { Invoice } from "@portico/contract/Money"
import { pageOf, type PageRequest } from "@portico/contract/Page"
import type * as Wire from "@portico/upstream/billing/wire"
import { DateTime, Effect } from "effect"
import type { Plane } from "../health/readiness.ts"
import { eurosOf } from "./euros.ts"
import { billingService, refusal } from "./service.ts"
import { filterOf, namesIn, scopeOf } from "./tenancy.ts"

/**
 * A page of invoices, oldest first. An administrator on the operator plane sees
 * those of all tenants, unless one is named.
 */
export const listInvoices = Effect.fn("invoices.list")(function* (
  caller: Caller,
  plane: Plane,
  override: string | undefined,
  page: PageRequest
) {
  const scope = yield* scopeOf(caller, override, plane)
  const billing = yield* billingService
  const window = { limit: page.limit + 1, after: page.after }
  const { count, invoices } = yield* Effect.mapError(billing.invoices(filterOf(scope), window), refusal)
  const { next_cursor, rows } = pageOf(invoices, page, (_) => ({
    at: DateTime.toEpochMillis(DateTime.makeUnsafe(_.created_at)),
    id: _.invoice_id
  }))
  const nameOf = yield* namesIn(scope, rows)
  return { count, next_cursor, invoices: rows.map((_) => rowOf(_, nameOf(_.project_id))) }
})

const rowOf = (invoice: Wire.Invoice, tenantName: string): Invoice => ({
  ...invoice,
  tenant_name: tenantName,
  lines: invoice.lines.map((_) => ({ ..._, amount_eur: eurosOf(_.amount_cents) }))
})
