import { auditTopic, lifecycleTopic } from "@portico/contract/Events"
import type { Call, Evidence } from "../evidence.ts"
import { type Check, finding } from "./check.ts"

const writes: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "DELETE"])

/** Of these only a bounded number is recorded, which the documents say: rejected for their rate, and without a caller. */
const isBounded = ({ status }: Call): boolean => status === 429 || status === 401

const words = (call: Call): string =>
  `${call.method} ${call.path} -> ${call.status} at ${(call.endedAt / 1000).toFixed(1)} s by ${call.process} (${call.requestId})`

/**
 * Whether the process that answered ended before it could write the record down: the documents allow it where the log
 * could not be written for a second, which a call that took as long as that, or a database that was away, is.
 */
const isExcused = (call: Call, { disturbances, processes }: Evidence): boolean => {
  const life = processes.find((_) => _.name === call.process)
  if (life?.endedAt === undefined || life.endedAt - call.endedAt > 60_000) return false
  const until = life.endedAt
  const away = disturbances.some(
    ({ from, kind, until: over }) => /postgres|disk|sessions/.test(kind) && from < until && over > call.sentAt - 1_000
  )
  return away || call.endedAt - call.sentAt >= 1_000
}

/** Every answered write is one record of the audit, with the status that its client got. */
export const everyWriteIsAudited: Check = (evidence, { events }) => {
  const records = Map.groupBy(
    events.filter((_) => _.topic === auditTopic),
    (_) => _.request_id
  )
  const answered = evidence.calls.filter(
    (_) => writes.has(_.method) && _.status !== null && _.requestId !== undefined && !isBounded(_)
  )
  const violations: Array<string> = []
  const excused: Array<string> = []
  for (const call of answered) {
    const found = records.get(call.requestId ?? null) ?? []
    if (found.length === 1 && found[0]?.status === call.status) continue
    const problem = `${found.length} records with ${found.map((_) => _.status).join(", ")} of ${words(call)}`
    ;(found.length === 0 && isExcused(call, evidence) ? excused : violations).push(problem)
  }
  return finding(
    "audited",
    "Every answered write is on the audit once, with its status.",
    answered.length,
    violations,
    excused
  )
}

/** The acts of the load that are billed, by method and path. */
const billed: ReadonlyArray<readonly [method: string, path: RegExp]> = [
  ["POST", /^\/v1\/iaas\/compute\/servers$/],
  ["POST", /^\/v1\/iaas\/compute\/servers\/[^/]+\/action$/],
  ["DELETE", /^\/v1\/iaas\/compute\/servers\/[^/]+$/],
  ["POST", /^\/v1\/iaas\/volume\/volumes$/],
  ["DELETE", /^\/v1\/iaas\/volume\/volumes\/[^/]+$/]
]

/** Each act that is billed is one event, of which the billing service has one. */
export const chargedOnce: Check = (evidence, { events, ledger }) => {
  const lifecycle = events.filter((_) => _.topic === lifecycleTopic)
  const violations: Array<string> = []
  const excused: Array<string> = []
  const byAct = Map.groupBy(lifecycle, (_) => `${_.request_id} ${_.kind} ${_.key}`)
  for (const [act, found] of byAct) if (found.length > 1) violations.push(`${found.length} events of one act: ${act}`)

  const requests = new Set(lifecycle.map((_) => _.request_id))
  const acts = evidence.calls.filter(
    ({ method, path, replayed, status }) =>
      !replayed &&
      status !== null &&
      status >= 200 &&
      status < 300 &&
      billed.some(([billedMethod, pattern]) => billedMethod === method && pattern.test(path))
  )
  for (const act of acts) {
    if (requests.has(act.requestId ?? null)) continue
    ;(isExcused(act, evidence) ? excused : violations).push(`no event of ${words(act)}`)
  }
  const refused = evidence.calls.filter(({ status }) => status !== null && status >= 300)
  const refusedIds = new Set(refused.map((_) => _.requestId))
  for (const event of lifecycle) {
    // What a deletion of a project removes is told under the request that asked for it.
    if (refusedIds.has(event.request_id ?? ""))
      violations.push(`an event of a refused call: ${event.kind} ${event.key}`)
  }

  const logged = new Set(lifecycle.map((_) => _.id))
  const charged = new Set(ledger)
  for (const id of logged) if (!charged.has(id)) violations.push(`the billing service lacks the event ${id}`)
  // A reconciliation of the ledger tells of what runs without an event, and of what was billed and does not run.
  const unknown = [...charged].filter((_) => !logged.has(_) && !_.startsWith("inventory."))
  for (const id of unknown) violations.push(`the billing service has an unknown event ${id}`)
  return finding(
    "charged once",
    "Every answered act that is billed is one event, a refused one is none, and the billing service has exactly the events of the log.",
    acts.length + ledger.length,
    violations,
    excused
  )
}
