import { type Check, finding } from "./check.ts"

/** What is granted never exceeds what may be sold, whenever it was looked. */
export const neverOversold: Check = ({ granted }) =>
  finding(
    "never oversold",
    "At no look did the tiers of all tenants add up to more cores than may be sold.",
    granted.length,
    granted
      .filter((_) => _.cores > _.limit)
      .map((_) => `${_.cores} of ${_.limit} cores at ${(_.at / 1000).toFixed(1)} s`)
  )

/**
 * Once a process has refused a tenant's call for its rate, it refuses the tenant's later calls until the window ends.
 * The last second is left out, because Retry-After counts whole ones, and so is a replica whose clock was moved.
 */
export const rateHolds: Check = ({ calls, disturbances }) => {
  const moved = disturbances.some((_) => _.kind === "clock step")
  const limited = Map.groupBy(
    calls.filter((_) => _.area === "too many calls" && !(moved && _.process.startsWith("b"))),
    (_) => _.process
  )
  const violations: Array<string> = []
  let looked = 0
  for (const [process, made] of limited) {
    let refused = 0
    let until = 0
    for (const call of made.toSorted((a, b) => a.endedAt - b.endedAt)) {
      if (call.sentAt > refused && call.endedAt < until && call.status === 200)
        violations.push(`${process} admitted a call at ${(call.endedAt / 1000).toFixed(1)} s within a full window`)
      if (call.status === 429 && call.code === "rate_limited") {
        looked += 1
        // A call that was on its way when this one was refused may have been counted before it.
        refused = call.endedAt
        until = call.sentAt + ((call.retryAfter ?? 1) - 1) * 1000
      }
    }
  }
  return finding(
    "rate holds",
    "A tenant whose calls of a minute are used up gets no other call through.",
    looked,
    violations
  )
}
