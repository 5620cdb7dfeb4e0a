import { Effect } from "effect"
import type { Agent } from "../CurrentAgent.ts"
import { listAt, textAt } from "./json.ts"
import { type Billable, readOf } from "./needs.ts"

/** What the result of a call costs by the hour. */
export interface Price {
  /** A decimal number as text. */
  readonly eur_per_hour: string
  /** The invoice lines that it is calculated from. */
  readonly lines: ReadonlyArray<{
    readonly line: string
    readonly unit: string
    readonly unit_price_eur: string
    readonly quantity: number
  }>
}

/** How many of each unit of time an hour has, by the unit's name on an invoice. */
const hourly: Readonly<Record<string, number>> = {
  second: 3600,
  "GiB-second": 3600,
  minute: 60,
  "GiB-minute": 60,
  hour: 1,
  "GiB-hour": 1
}

/**
 * The price of an hour, from the tenant's own invoices, which have the only prices that the API shows. Undefined when
 * the agent has no billing access, or no invoice has one of the prices.
 */
export const priceOf = Effect.fnUntraced(function* (agent: Agent, billable: ReadonlyArray<Billable> | undefined) {
  if (billable === undefined || billable.length === 0 || !agent.caller.billing) return undefined
  // The newest invoice is last. One page of 100 monthly invoices covers eight years.
  const invoices = listAt(yield* readOf(agent, "/v1/invoices?limit=100"), "invoices")
  const known = new Map(
    invoices
      .flatMap((_) => listAt(_, "lines"))
      .flatMap((_) => (textAt(_, "key") === undefined ? [] : [[textAt(_, "key"), _]]))
  )
  const lines = billable.map(({ lines, quantity }) => {
    const line = lines.find((_) => known.has(_))
    const found = known.get(line)
    const [unit, price] = [textAt(found, "unit"), textAt(found, "unit_price_eur")]
    return line === undefined || unit === undefined || price === undefined || hourly[unit] === undefined
      ? undefined
      : { line, unit, unit_price_eur: price, quantity }
  })
  if (!lines.every((_) => _ !== undefined)) return undefined
  const total = sumOf(lines.map((_) => [_.unit_price_eur, _.quantity * (hourly[_.unit] ?? 0)]))
  return total === undefined ? undefined : ({ eur_per_hour: total, lines } satisfies Price)
})

const decimals = 12

/** The exact sum of decimal numbers times whole ones. Undefined when one is not such a number. */
export const sumOf = (terms: ReadonlyArray<readonly [decimal: string, times: number]>): string | undefined => {
  let sum = 0n
  for (const [decimal, times] of terms) {
    const [, whole = "", part = ""] = /^(\d{1,12})(?:\.(\d{1,12}))?$/.exec(decimal) ?? []
    if (whole === "" || !Number.isSafeInteger(times)) return undefined
    sum += BigInt(whole + part.padEnd(decimals, "0")) * BigInt(times)
  }
  const digits = String(sum).padStart(decimals + 1, "0")
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, "")
}
