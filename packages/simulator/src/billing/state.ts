/** An event in the ledger. */
export interface LedgerEvent {
  readonly id: string
  readonly kind: string
  /** When it happened, in clock milliseconds. */
  readonly at: number
  readonly project_id: string | null
  readonly resource_type: string
  readonly resource_id: string
  readonly flavor: string | null
  readonly size_gb: number | null
  readonly volume_type: string | null
}

export interface Budget {
  readonly budget_id: string
  readonly project_id: string
  readonly amount_cents: number
  readonly currency: "EUR"
  readonly period: "monthly"
  readonly created_at: number
  readonly created_by: string
  last_breached_period: string | null
}

export interface Line {
  readonly key: string
  readonly description: string
  readonly quantity: string
  readonly unit: string
  readonly unit_price_eur: string
  readonly amount_cents: number
}

/** A final invoice: later events do not change it. */
export interface Invoice {
  readonly invoice_id: string
  readonly project_id: string
  /** Such as `2026-01`. */
  readonly period: string
  readonly total_cents: number
  readonly lines: ReadonlyArray<Line>
  readonly finalized_at: number
}

export interface BillingState {
  readonly events: Record<string, LedgerEvent>
  readonly budgets: Record<string, Budget>
  /** Tombstones: ids of removed budgets, which cannot be used again. */
  readonly retired: Record<string, { readonly budget_id: string; readonly project_id: string }>
  readonly invoices: Record<string, Invoice>
}

export const billing = (): BillingState => ({ events: {}, budgets: {}, retired: {}, invoices: {} })
