import type { Budget, CostRow } from "@portico/contract/Money"
import { bar, sparkline } from "../../output/draw.ts"
import type { Frame } from "../../output/Frame.ts"
import { ink } from "../../output/ink.ts"
import { moneyText } from "../../output/money.ts"
import { harmless } from "../../output/sanitize.ts"
import { fitted, padded, widthOf } from "../../output/width.ts"
import { paragraph } from "../../output/wrap.ts"
import type { Costs } from "./read.ts"

const widestBar = 30
const narrowestBar = 4
const percentWidth = "  100 %".length

/** Costs by service as bars, with the forecast, the last months, and the budgets. */
export const costsText = (costs: Costs, frame: Frame): string =>
  [...headline(costs, frame), ...rowsOf(costs, frame), ...monthsOf(costs, frame), ...budgetsOf(costs, frame)].join("\n")

const headline = ({ breakdown, forecast }: Costs, { columns }: Frame): ReadonlyArray<string> => {
  const { currency, period, tenant_name, total_cents } = breakdown
  const total = moneyText(total_cents, currency)
  const span = forecast === null ? spanOf(period) : `${monthOf(period.start)} until now`
  return [
    ...paragraph(`${harmless(tenant_name)}, ${span}: ${total}`, columns),
    ...(forecast === null
      ? []
      : paragraph(`Forecast of the whole month: ${moneyText(forecast.forecast_cents, currency)}`, columns))
  ]
}

/** `2026-01` for a month that the calendar has, and otherwise both ends. The platform counts in UTC. */
const spanOf = ({ end, start }: { readonly start: string; readonly end: string }): string => {
  const wholeMonth = isFirst(start) && isFirst(end) && nextMonth(monthOf(start)) === monthOf(end)
  return wholeMonth ? monthOf(start) : `${dayOf(start)} to ${dayOf(end)}`
}

const monthOf = (moment: string): string => moment.slice(0, 7)
const isFirst = (moment: string): boolean => moment.slice(8, 19) === "01T00:00:00"
const dayOf = (moment: string): string => (moment.slice(11, 19) === "00:00:00" ? moment.slice(0, 10) : moment)

const nextMonth = (month: string): string => {
  const [year = 0, number = 0] = month.split("-").map(Number)
  return number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, "0")}`
}

const rowsOf = ({ breakdown }: Costs, { colors, columns, unicode }: Frame): ReadonlyArray<string> => {
  const { currency, rows, total_cents } = breakdown
  if (rows.length === 0) return ["", "Nothing has cost anything."]
  const sorted = rows.toSorted((a, b) => b.amount_cents - a.amount_cents)
  const named = sorted.map((row) => ({ row, name: nameOf(row, sorted), amount: moneyText(row.amount_cents, currency) }))
  const amount = Math.max(...named.map((_) => _.amount.length))
  const name = Math.max(...named.map((_) => widthOf(_.name)))
  const room = columns - amount - 5
  // In a narrow window the bar says enough; a long name is cut.
  const percents = room - name - percentWidth >= narrowestBar
  const width = Math.min(widestBar, Math.max(narrowestBar, room - name - (percents ? percentWidth : 0)))
  return [
    "",
    ...named.map(({ row, ...text }) => {
      const share = total_cents <= 0 ? 0 : row.amount_cents / total_cents
      const drawn = ink(colors).cyan(bar(share, 1, width, { colors: false, unicode }))
      const percent = percents ? `${Math.round(share * 100)} %`.padStart(percentWidth) : ""
      const fits = Math.min(name, room - width)
      return ` ${padded(fitted(text.name, fits), fits)}  ${drawn}  ${text.amount.padStart(amount)}${percent}`
    })
  ]
}

/** A service has a row for each unit: the unit tells two of them apart. */
const nameOf = ({ service, unit }: CostRow, rows: ReadonlyArray<CostRow>): string =>
  harmless(rows.filter((_) => _.service === service).length > 1 ? `${service} (${unit})` : service)

const monthsOf = ({ breakdown: { currency }, months }: Costs, frame: Frame): ReadonlyArray<string> => {
  const [first] = months
  const last = months.at(-1)
  if (first === undefined || last === undefined || months.length < 2) return []
  const amounts = months.map((_) => _.total_cents)
  const highest = moneyText(Math.max(...amounts), currency)
  const span = `${monthOf(first.period_start)} to ${monthOf(last.period_start)}`
  return ["", ...paragraph(`Months: ${sparkline(amounts, frame)} ${span}, ${highest} at most`, frame.columns)]
}

const budgetsOf = (costs: Costs, frame: Frame): ReadonlyArray<string> =>
  costs.budgets.length === 0 ? [] : ["", ...costs.budgets.flatMap((_) => budgetOf(_, costs, frame))]

/** Against the running month where that is asked about; otherwise the budget alone. */
const budgetOf = (budget: Budget, { forecast }: Costs, frame: Frame): ReadonlyArray<string> => {
  const { columns } = frame
  const { amount_cents, currency, last_breached_period } = budget
  const reached = last_breached_period === null ? "" : `, last reached in ${last_breached_period}`
  const amount = `Budget of ${moneyText(amount_cents, currency)} a month`
  if (forecast === null) return paragraph(`${amount}${reached}`, columns)
  const { forecast_cents, month_to_date_cents: spent } = forecast
  const state = spent >= amount_cents ? ", reached" : forecast_cents >= amount_cents ? ", the forecast exceeds it" : ""
  const share = `${Math.round((spent / amount_cents) * 100)} %`
  return [
    ...paragraph(`${amount}: ${share}${state}${reached}`, columns),
    ` ${bar(spent, amount_cents, Math.min(widestBar, columns - 2), frame)}`
  ]
}
