import { type Handler, json } from "../Wire.ts"
import { type Metered, meter, totalOf } from "./meter.ts"
import { monthOf } from "./months.ts"
import { ofTenant, refuse } from "./request.ts"

/** The longest period of a query is ten years. */
const longest = 3_660 * 86_400_000

export const breakdown: Handler = ofTenant(({ now, query, world }, projectId) => {
  const [start, end] = [Date.parse(query.get("start") ?? ""), Date.parse(query.get("end") ?? "")]
  const groupBy = query.get("group_by") ?? "service"
  if (Number.isNaN(start) || Number.isNaN(end) || start >= end) {
    return refuse(422, "invalid_span", "start must be earlier than end")
  }
  if (end - start > longest) return refuse(422, "span_too_long", "A span may have ten years at most")
  if (groupBy !== "service" && groupBy !== "line") {
    return refuse(422, "invalid_grouping", "group_by is service or line")
  }
  const lines = meter(world.billing, projectId, { start, end }, now)
  const rows = groupBy === "line" ? lines.map((_) => rowOf({ ..._, service: _.key })) : byService(lines)
  return json(200, { project_id: projectId, currency: "EUR", total_cents: totalOf(rows), rows })
})

const rowOf = ({ amount_cents, quantity, service, unit }: Metered) => ({ service, unit, quantity, amount_cents })

/** Sums rounded lines, so that every grouping has the same total. */
const byService = (lines: ReadonlyArray<Metered>) =>
  [...Map.groupBy(lines, (_) => `${_.service} ${_.unit}`).values()].flatMap((group) => {
    const [first] = group
    const quantity = String(group.reduce((sum, _) => sum + BigInt(_.quantity), 0n))
    return first === undefined ? [] : [rowOf({ ...first, quantity, amount_cents: totalOf(group) })]
  })

/** From the beginning of the month to the given time, by default now. */
export const monthToDate: Handler = ofTenant(({ now, query, world }, projectId) => {
  const at = Date.parse(query.get("at") ?? "")
  if (Number.isNaN(at)) return refuse(422, "invalid_moment", "at must be a moment")
  const { name, start } = monthOf(at)
  const lines = at <= start ? [] : meter(world.billing, projectId, { start, end: at }, now)
  return json(200, { project_id: projectId, period: name, currency: "EUR", total_cents: totalOf(lines) })
})
