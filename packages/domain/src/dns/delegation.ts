import type { Delegation } from "@portico/contract/Dns"
import { Resolver } from "@portico/upstream/dns/Resolver"
import { DateTime, Effect } from "effect"
import { badGateway } from "../badGateway.ts"
import { ownZone } from "./zone.ts"

/**
 * Whether the DNS delegates to the zone: compares the name servers that Designate expects with
 * those that a resolver finds. Once a delegation exists, a resolver mostly returns what the zone's
 * own servers say.
 *
 * Errors: 404; 502 when Designate or the resolver fails, which does not count as a missing
 * delegation.
 */
export const checkDelegation = Effect.fn("dns.delegation")(function* (projectId: string, zoneId: string) {
  const { dns, zone } = yield* ownZone(projectId, zoneId)
  const asked = Effect.all([dns.nameservers(zone.id), (yield* Resolver).ns(zone.name)], { concurrency: "unbounded" })
  const [hostnames, found] = yield* Effect.mapError(asked, badGateway)
  const expected = hostnames.map((_) => _.toLowerCase()).toSorted()
  const missing = expected.filter((_) => !found.includes(_))
  const extra = found.filter((_) => !expected.includes(_))
  const status = statusOf(expected, found, missing, extra)
  return {
    zone: zone.name,
    expected,
    found,
    delegated: status === "delegated",
    status,
    missing,
    extra,
    checked_at: DateTime.formatIso(yield* DateTime.now)
  } satisfies Delegation
})

const statusOf = (
  expected: ReadonlyArray<string>,
  found: ReadonlyArray<string>,
  missing: ReadonlyArray<string>,
  extra: ReadonlyArray<string>
): Delegation["status"] => {
  if (found.length === 0) return "absent"
  if (missing.length === expected.length) return "elsewhere"
  return missing.length === 0 && extra.length === 0 ? "delegated" : "partial"
}
