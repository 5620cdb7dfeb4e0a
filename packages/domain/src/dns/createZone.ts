import type { ZoneCreate } from "@portico/contract/Dns"
import { Conflict, Unprocessable } from "@portico/contract/Failures"
import { tiers } from "@portico/contract/Tiers"
import { Designate, type TenantDns, type ZoneContent } from "@portico/upstream/designate/Designate"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { Effect } from "effect"
import { exclusively } from "../work/exclusively.ts"
import { badGateway } from "../badGateway.ts"
import { RunToCompletion } from "../work/RunToCompletion.ts"
import { refusal } from "../refusal.ts"
import { tierOf } from "../limits/tenantTier.ts"
import { DnsSettings } from "./DnsSettings.ts"
import { zoneName } from "./names.ts"
import { zoneToWire } from "./rows.ts"
import { dnsOf } from "./zone.ts"

/**
 * Creates a zone if the tenant's tier has room for it. The check and the creation run under a
 * lease, one request at a time. The zone is PENDING until the name servers have it.
 *
 * Errors: 403 for names that {@link DnsSettings} reserves; 409 `ceiling_reached`, or with Designate's message; 422
 * for an invalid zone name; 502; 503.
 */
export const createZone = Effect.fn("dns.createZone")(function* (projectId: string, request: ZoneCreate) {
  const name = yield* Effect.mapError(Effect.fromResult(zoneName(request.name)), Unprocessable.dnsName)
  const settings = yield* DnsSettings
  const reserved = settings.refusalOf(name)
  if (reserved !== undefined) return yield* reserved
  const { email = settings.email(name), name: _, ...content } = request
  const made = exclusively(`dns/${projectId}`, busy)(make(projectId, name, { email, ...content }))
  return zoneToWire(yield* (yield* RunToCompletion).run(made))
})

const busy = () => Conflict.concurrentChange("the DNS zones of the tenant")

const make = Effect.fnUntraced(function* (projectId: string, name: string, content: ZoneContent) {
  const dns = yield* dnsOf(projectId)
  const { suspended, tier } = yield* tierOf(projectId)
  const limit = suspended ? 0 : tiers[tier].dns_zones
  const all = Effect.all([dns.zones, dns.quotas], { concurrency: "unbounded" })
  const [zones, quotas] = yield* Effect.mapError(all, badGateway)
  const used = zones.filter((_) => _.project_id === projectId).length
  // Designate enforces the same number for zones created through the proxy, once its quota is written.
  if (quotas.zones !== limit) {
    yield* Effect.mapError((yield* Designate).writeZoneQuota(projectId, limit), badGateway)
  }
  if (used + 1 > limit) return yield* Conflict.ceilingReached("DNS zones", "", { requested: 1, used, limit })
  const isTaken = zones.some((_) => _.name.toLowerCase() === name)
  return yield* Effect.catch(dns.createZone(name, content), (error) =>
    Effect.flatMap(
      isTaken ? Effect.undefined : Effect.mapError(lookedFor(dns, projectId, name), () => refused(error)),
      (found) => (found === undefined ? Effect.fail(refused(error)) : Effect.succeed(found))
    )
  )
})

/**
 * Finds the zone of a create whose response was lost: the zone did not exist before, and under the
 * lease no other request creates one.
 */
const lookedFor = (dns: TenantDns, projectId: string, name: string) =>
  Effect.map(dns.zones, (zones) =>
    zones.find((_) => _.project_id === projectId && _.name.toLowerCase() === name && _.action !== "DELETE")
  )

/** Designate reports another tenant's zone above or below as a 403 with a message; a 403 of its policy has none. */
const refused = (error: UpstreamError) =>
  error.status === 403 && /zone/i.test(error.detail) ? Conflict.upstream(error.detail) : refusal(error)
