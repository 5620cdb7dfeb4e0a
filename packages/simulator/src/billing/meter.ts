import { centsOf, eurosOf, type Price, prices } from "./prices.ts"
import type { BillingState, LedgerEvent, Line } from "./state.ts"
import { type Stretch, stretchesOf } from "./timeline.ts"

/** An invoice line with its grouping keys. */
export interface Metered extends Line {
  readonly service: string
}

export interface Span {
  readonly start: number
  readonly end: number
}

/**
 * The number of whole seconds that begin in the span: the counts of two adjacent spans add up to the count of
 * both, wherever they meet.
 */
const secondsIn = ({ end, start }: Span): number => Math.max(0, Math.ceil(end / 1000) - Math.ceil(start / 1000))

/**
 * A project's usage in a span, up to now: one line for each price, each rounded once. Lines without usage are
 * omitted.
 */
export const meter = (state: BillingState, projectId: string, span: Span, now: number): ReadonlyArray<Metered> => {
  const end = Math.min(span.end, now)
  const quantities = new Map<Price, bigint>()
  for (const stretch of stretchesIn(state, projectId, end)) {
    const seconds = BigInt(secondsIn({ start: Math.max(stretch.from, span.start), end: Math.min(stretch.to, end) }))
    for (const { price, quantity } of stretch.taken) {
      quantities.set(price, (quantities.get(price) ?? 0n) + quantity * seconds)
    }
  }
  return prices.flatMap((price) => {
    const quantity = quantities.get(price) ?? 0n
    return quantity === 0n ? [] : [lineOf(price, quantity)]
  })
}

const lineOf = (price: Price, quantity: bigint): Metered => ({
  key: price.key,
  service: price.service,
  description: price.description,
  quantity: String(quantity),
  unit: price.unit,
  unit_price_eur: eurosOf(price),
  amount_cents: centsOf(quantity, price)
})

const stretchesIn = (state: BillingState, projectId: string, until: number): ReadonlyArray<Stretch> =>
  [...Map.groupBy(Object.values(state.events), resourceOf).values()]
    .filter((events) => events.some((_) => _.project_id === projectId))
    .flatMap((events) => stretchesOf(events, until))
    .filter((_) => _.project_id === projectId)

const resourceOf = ({ resource_id, resource_type }: LedgerEvent): string => `${resource_type} ${resource_id}`

export const totalOf = (lines: ReadonlyArray<Pick<Line, "amount_cents">>): number =>
  lines.reduce((sum, { amount_cents }) => sum + amount_cents, 0)
