import type { Quotas } from "@portico/contract/Quotas"
import { bar } from "../../output/draw.ts"
import type { Frame } from "../../output/Frame.ts"
import { ink } from "../../output/ink.ts"
import { sizeText } from "../../output/sizes.ts"
import { paragraph } from "../../output/wrap.ts"
import { groupsOf, type QuotaRow, type Unit } from "./rows.ts"

const widestBar = 30
const narrowestBar = 4
const percentWidth = "  100 %".length

/** The quotas of a tenant as bars, by service. */
export const quotasText = (quotas: Quotas, frame: Frame): string => {
  const paint = ink(frame.colors)
  const groups = groupsOf(quotas)
  const rows = groups.flatMap((_) => _.rows)
  const label = Math.max(...rows.map((_) => _.label.length))
  const numbers = Math.max(...rows.map((_) => numbersOf(_).length))
  const left = frame.columns - label - numbers - 5
  // In a narrow window the bar says enough.
  const percents = left - percentWidth >= narrowestBar
  const width = Math.max(0, Math.min(widestBar, percents ? left - percentWidth : left))
  return [
    `Project ${quotas.project_id}`,
    `Tier ${paint.bold(quotas.tier)}`,
    ...(quotas.suspended ? paragraph(suspended, frame.columns).map(paint.yellow) : []),
    ...groups.flatMap(({ rows, title }) => [
      "",
      paint.bold(title),
      ...rows.flatMap((row) => lineOf(row, { frame, label, numbers, percents, width }))
    ])
  ].join("\n")
}

const suspended = "The tenant is suspended: nothing new can be created, and what runs keeps running."

interface Layout {
  readonly frame: Frame
  readonly label: number
  readonly numbers: number
  readonly percents: boolean
  readonly width: number
}

const lineOf = (row: QuotaRow, { frame, label, numbers, percents, width }: Layout): ReadonlyArray<string> => {
  const { limit, used } = row.usage
  const counted = used !== null && limit >= 0
  const drawn = counted ? bar(used, limit, width, frame) : " ".repeat(width)
  const percent = percents && counted && limit > 0 ? `${Math.round((used / limit) * 100)} %`.padStart(percentWidth) : ""
  return [
    ` ${row.label.padEnd(label)}  ${drawn}  ${numbersOf(row).padStart(numbers)}${percent}`,
    ...notesOf(row).flatMap((_) => paragraph(_, frame.columns, 3))
  ]
}

const numbersOf = ({ unit, usage: { limit, source, used } }: QuotaRow): string => {
  const most = numberText(limit, unit)
  if (used !== null)
    return limit < 0 ? `${numberText(used, unit)}, no limit` : `${usedText(used, limit, unit)} of ${most}`
  if (source === "unavailable") return limit < 0 ? "unknown, no limit" : `unknown of ${most}`
  return limit < 0 ? "no limit" : `at most ${most}`
}

const numberText = (value: number, unit: Unit): string => (unit === "count" ? String(value) : sizeText(value, unit))

/** Without its unit where the limit has the same one. */
const usedText = (used: number, limit: number, unit: Unit): string => {
  const [amount = "", own] = numberText(used, unit).split(" ")
  const [, unitOfLimit] = numberText(limit, unit).split(" ")
  return used === 0 || own === unitOfLimit ? amount : `${amount} ${own}`
}

const notesOf = ({ unit, usage }: QuotaRow): ReadonlyArray<string> => {
  if (usage.source === "unavailable") return ["The service did not answer; ask again later."]
  if (!("enforced" in usage) || usage.enforced === null || usage.matches_tier !== false) return []
  const enforced = usage.enforced < 0 ? "no limit" : numberText(usage.enforced, unit)
  return [`The object gateway enforces ${enforced}.`]
}
