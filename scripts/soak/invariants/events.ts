import { budgetTopic, tenantTopics } from "@portico/contract/Events"
import { type Check, finding, type LoggedEvent } from "./check.ts"

const isVisible = ({ topic }: LoggedEvent): boolean => tenantTopics.some((_) => _ === topic)

/** Every event of a tenant's is a delivery to its webhook, and every delivery is what its receiver saw. */
export const delivered: Check = ({ received }, { deliveries, events, lasting, lastSequence }) => {
  const violations: Array<string> = []
  let looked = 0
  const known = new Set(events.map((_) => _.id))
  const byTarget = Map.groupBy(deliveries, (_) => _.target_id)
  const byWebhook = Map.groupBy(received, (_) => _.webhook)

  for (const { fromSequence, projectId, state, targetId, webhook } of lasting) {
    const rows = new Map((byTarget.get(targetId) ?? []).map((_) => [_.event_id, _]))
    const arrivals = Map.groupBy(byWebhook.get(webhook) ?? [], (_) => _.eventId)
    if (state !== "active") violations.push(`the webhook of ${webhook} is ${state}`)
    const due = events.filter(
      (_) =>
        _.project_id === projectId &&
        _.sequence > fromSequence &&
        _.sequence <= lastSequence &&
        isVisible(_) &&
        _.topic !== budgetTopic
    )
    for (const event of due) {
      looked += 1
      const row = rows.get(event.id)
      const taken = (arrivals.get(event.id) ?? []).some((_) => _.answered === 204)
      if (row === undefined) violations.push(`${webhook}: no delivery of ${event.kind} ${event.id}`)
      else if (row.state === "pending") violations.push(`${webhook}: ${event.id} still waits`)
      else if (row.state === "delivered" && !taken)
        violations.push(`${webhook}: ${event.id} counts as delivered and never arrived`)
      else if (row.state !== "delivered" && taken && row.given_up === null)
        violations.push(`${webhook}: ${event.id} was taken, and counts as ${row.state}`)
    }
  }
  for (const { eventId, signature, webhook } of received) {
    looked += 1
    if (signature === "wrong") violations.push(`${webhook}: a signature of ${eventId} is wrong`)
    if (!known.has(eventId)) violations.push(`${webhook}: ${eventId} is no event of the log`)
  }
  return finding(
    "delivered",
    "Every event is a delivery to each webhook that is due, delivered exactly where the receiver took it, and signed.",
    looked,
    violations
  )
}

/** An event stream that is taken up again and again misses nothing, repeats nothing, and keeps the order. */
export const streamed: Check = ({ tails }, { events }) => {
  const violations: Array<string> = []
  let looked = 0
  const sequences = new Map(events.map((_) => [_.id, _.sequence]))
  for (const { ids, projectId, tenant } of tails) {
    looked += ids.length
    const seen = ids.map((_) => sequences.get(_) ?? Number.NaN)
    if (seen.some(Number.isNaN)) violations.push(`${tenant}: an event that the log does not have`)
    for (const [index, sequence] of seen.entries()) {
      const before = seen[index - 1]
      if (before !== undefined && sequence <= before)
        violations.push(`${tenant}: ${ids[index]} (${sequence}) came after ${before}`)
    }
    const [first, last] = [seen[0], seen.at(-1)]
    if (first === undefined || last === undefined) continue
    const brought = new Set(ids)
    for (const event of events) {
      const isDue =
        event.project_id === projectId && event.sequence >= first && event.sequence <= last && isVisible(event)
      if (isDue && !brought.has(event.id)) violations.push(`${tenant}: the stream left out ${event.kind} ${event.id}`)
    }
  }
  return finding("streamed", "An event stream that is taken up again misses and repeats nothing.", looked, violations)
}
