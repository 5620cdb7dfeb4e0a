import { createHash } from "node:crypto"
import { meter, totalOf } from "./meter.ts"
import { isoOf, type Month, monthNamed, monthOf } from "./months.ts"
import type { BillingState, Invoice, Line } from "./state.ts"

/** The grace period for late events of a month. */
const grace = 3_600_000

const hash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 24)

const idOf = (projectId: string, { name }: Month): string => `in-${hash(`${projectId} ${name}`)}`

/** The months of a project since its first event. */
const monthsOf = (state: BillingState, projectId: string, now: number): ReadonlyArray<Month> => {
  const events = Object.values(state.events).filter((_) => _.project_id === projectId)
  const months: Array<Month> = []
  for (let at = Math.min(...events.map((_) => _.at)); at <= now; at = months.at(-1)?.end ?? Infinity) {
    months.push(monthOf(at))
  }
  return months
}

export const projectsOf = (state: BillingState): ReadonlyArray<string> => [
  ...new Set(Object.values(state.events).flatMap(({ project_id }) => (project_id === null ? [] : [project_id])))
]

/** Finalizes the months that are due: a month becomes final an hour after its end. */
export const settleBilling = (state: BillingState, now: number): void => {
  for (const projectId of projectsOf(state)) {
    for (const month of monthsOf(state, projectId, now - grace)) {
      const invoice_id = idOf(projectId, month)
      if (month.end + grace > now || Object.hasOwn(state.invoices, invoice_id)) continue
      const lines = linesOf(state, projectId, month, now)
      if (lines.length === 0) continue
      state.invoices[invoice_id] = {
        invoice_id,
        project_id: projectId,
        period: month.name,
        total_cents: totalOf(lines),
        lines,
        finalized_at: month.end + grace
      }
    }
  }
}

const linesOf = (state: BillingState, projectId: string, month: Month, now: number): ReadonlyArray<Line> =>
  meter(state, projectId, month, now).map(({ service: _, ...line }) => line)

/** An invoice as the API shows it. */
export type Shown = ReturnType<typeof shown>

const shown = (invoice: Omit<Invoice, "finalized_at" | "period">, month: Month, finalizedAt: number | null) => ({
  invoice_id: invoice.invoice_id,
  project_id: invoice.project_id,
  status: finalizedAt === null ? ("draft" as const) : ("finalized" as const),
  currency: "EUR" as const,
  total_cents: invoice.total_cents,
  period_start: isoOf(month.start),
  period_end: isoOf(month.end),
  created_at: isoOf(month.start),
  created_by: "billing",
  customer_email: null,
  history: [
    { event: "created", detail: `Draft of ${month.name}`, ts: isoOf(month.start) },
    ...(finalizedAt === null
      ? []
      : [{ event: "finalized", detail: `Total of ${invoice.total_cents} cents`, ts: isoOf(finalizedAt) }])
  ],
  lines: invoice.lines,
  notify_events: ["finalized"],
  external_customer_id: `cus_${hash(invoice.project_id)}`,
  // A final invoice has been sent to the payment provider.
  external_invoice_id: finalizedAt === null ? null : `inv_${hash(invoice.invoice_id)}`
})

/** The final invoices and the drafts of these projects, oldest first. */
export const invoicesOf = (state: BillingState, projects: ReadonlyArray<string>, now: number): ReadonlyArray<Shown> => {
  settleBilling(state, now)
  const final = Object.values(state.invoices)
    .filter((_) => projects.includes(_.project_id))
    .flatMap((_) => {
      const month = monthNamed(_.period)
      return month === undefined ? [] : [shown(_, month, _.finalized_at)]
    })
  const drafts = projects.flatMap((projectId) =>
    monthsOf(state, projectId, now).flatMap((month) => {
      const invoice_id = idOf(projectId, month)
      // A final month without usage has no invoice.
      if (month.end + grace <= now || Object.hasOwn(state.invoices, invoice_id)) return []
      const lines = linesOf(state, projectId, month, now)
      const draft = { invoice_id, project_id: projectId, total_cents: totalOf(lines), lines }
      return lines.length === 0 ? [] : [shown(draft, month, null)]
    })
  )
  return [...final, ...drafts].toSorted(
    (a, b) => Date.parse(a.created_at) - Date.parse(b.created_at) || (a.invoice_id < b.invoice_id ? -1 : 1)
  )
}
