import type { Delegation } from "@portico/contract/Dns"
import { Resolver } from "@portico/upstream/dns/Resolver"
import { DateTime, Effect } from "effect"
import { badGateway } from "../badGateway.ts"
import { ownZone } from "./zone.ts"

/**
 * Whether the DNS leads to the zone: the name servers that Designate wants it
 * delegated to, and those that a resolver finds. A resolver mostly tells what
 * the zone's servers say of themselves, once a delegation leads to them.
 *
 * Errors: 404; 502 when one of the two cannot be asked, which is no absence.
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
