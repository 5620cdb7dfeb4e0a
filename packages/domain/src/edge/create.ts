import type { ExposureCreate } from "@portico/contract/Edge"
import { Conflict, Unprocessable } from "@portico/contract/Failures"
import { addressOf, contains } from "@portico/contract/Networks"
import { tiers } from "@portico/contract/Tiers"
import { type ExposureEntry, Exposures, type NotInserted } from "@portico/store/Exposures"
import { Tenants } from "@portico/store/Tenants"
import { specialNetworks } from "@portico/upstream/addresses"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { Duration, Effect } from "effect"
import { NetAddress } from "effect/net"
import { randomBytes } from "node:crypto"
import { ensureNamespace } from "../kubernetes/ensureNamespace.ts"
import { RunToCompletion } from "../RunToCompletion.ts"
import { refusal } from "../refusal.ts"
import { tierOf } from "../ceilings/tenantTier.ts"
import { alone, busy, isOwnTarget, program, routeAmong, withdraw } from "./exposure.ts"
import { foreignDomain, staleClaim } from "./domains.ts"
import { EdgeSettings } from "./EdgeSettings.ts"
import { exposureOf } from "./view.ts"

/** What a call may do that was given up on; longer than any of them lasts anywhere. */
const lateness = Duration.minutes(2)

/** An undo that takes longer is the job's. */
const undoTime = Duration.seconds(20)

/**
 * Exposes something of the tenant's at the edge: under a host name that the
 * platform gives it from the first moment on, and under the tenant's own
 * domain as soon as that is verified (contract, Edge exposure). A creation
 * that fails leaves nothing, if not at once, then soon: the job removes what
 * its own undo could not.
 *
 * Errors: 409 when the name is taken, when the tier's ceiling is reached, which
 * is 0 for a suspended tenant, and when the domain is another's; 422 for a
 * target or a domain that cannot be exposed; 502 in the upstream's words; 503
 * when the tier cannot be read.
 */
export const createExposure = Effect.fn("edge.create")(function* (projectId: string, request: ExposureCreate) {
  const domain = request.domain === undefined ? null : yield* foreignDomain(request.domain)
  const target = yield* targetOf(request, projectId)

  const make = Effect.gen(function* () {
    const tier = yield* roomFor(projectId, request.name)
    const owned = yield* Effect.mapError(isOwnTarget(target), refusal)
    if (!owned) return yield* Unprocessable.exposureTarget(target.address === null ? noAlias : ownAddress)
    if (target.service !== null) yield* Effect.mapError(ensureNamespace(projectId, tier), refusal)
    const entry = yield* inserted({ ...target, name: request.name, domain })
    const made = yield* Effect.mapError(programmed(entry), refusal)
    return exposureOf(entry, routeAmong(made), yield* EdgeSettings)
  })
  return yield* (yield* RunToCompletion).run(alone(projectId)(make))
})

const ownAddress = "its address must be one of the tenant's own floating IPs"
const noAlias = "its Service must not be of the type ExternalName"

const targetOf = Effect.fnUntraced(function* ({ target }: ExposureCreate, projectId: string) {
  const { targetNetworks } = yield* EdgeSettings
  const address = target.address === undefined ? undefined : addressOf(target.address)
  // Whoever has it: nobody's floating IP is there, unless the operator says so.
  if (address !== undefined && contains(inner, address) && !contains(targetNetworks, address)) {
    return yield* Unprocessable.exposureTarget(ownAddress)
  }
  return {
    project_id: projectId,
    service: target.service ?? null,
    address: address === undefined ? null : NetAddress.formatIp(address),
    port: target.port
  }
})

/** Addresses of machines, links, clusters and private networks, and those that stand for such; examples lead nowhere. */
const inner = specialNetworks("loopback", "unspecified", "linkLocal", "multicast", "embedding", "private", "reserved")

/** The tenant's tier, when there is room for one more under its ceiling. A tenant that is going makes nothing. */
const roomFor = Effect.fnUntraced(function* (projectId: string, name: string) {
  const { suspended, tier } = yield* tierOf(projectId)
  const tenant = yield* (yield* Tenants).find(projectId)
  if (tenant !== undefined && tenant.closing.length > 0) return yield* Conflict.closing()
  const all = (yield* (yield* Exposures).list(projectId)).filter((_) => _.removing === null)
  if (all.some((_) => _.name === name)) return yield* Conflict.exposureNameTaken(name)
  const limit = suspended ? 0 : tiers[tier].edge_exposures
  const used = all.length
  if (used + 1 > limit) return yield* Conflict.ceilingReached("edge exposures", "", { requested: 1, used, limit })
  return tier
})

interface Wanted extends Pick<ExposureEntry, "project_id" | "name" | "service" | "address" | "port" | "domain"> {}

const inserted = Effect.fnUntraced(function* (wanted: Wanted) {
  const { domain, name, project_id } = wanted
  const { domain: edge, hold } = yield* EdgeSettings
  const overlooking = domain === null ? undefined : yield* staleClaim(domain, project_id)
  const id = randomBytes(6).toString("hex")
  const made = yield* (yield* Exposures).insert(
    { ...wanted, exposure_id: `edge-${id}`, hostname: hostnameOf(name, id, edge) },
    domain === null ? undefined : { project_id, challenge: `ig1-${randomBytes(20).toString("hex")}`, hold, overlooking }
  )
  return typeof made === "string" ? yield* notInserted(made, wanted) : made
})

/** Its own for ever: the id in it comes from chance, and a label has 63 characters at most. */
const hostnameOf = (name: string, id: string, domain: string): string => {
  const short = id.slice(0, 8)
  return `${name.slice(0, 62 - short.length).replace(/-+$/, "")}-${short}.${domain}`
}

const notInserted = (why: NotInserted, { domain, name }: Wanted) => {
  switch (why) {
    case "name_taken":
      return Effect.fail(Conflict.exposureNameTaken(name))
    case "claimed":
      return Effect.fail(Conflict.domainClaimed())
    case "in_use":
      return Effect.fail(Conflict.domainInUse(domain ?? ""))
    case "busy":
      return busy()
  }
}

/** Its objects, or none of them. A call that may yet take effect is waited for by the job. */
const programmed = (entry: ExposureEntry) =>
  Effect.tapError(program(entry), (error: UpstreamError) =>
    Effect.gen(function* () {
      const exposures = yield* Exposures
      const after = error.unsettled ? lateness : Duration.zero
      yield* exposures.markRemoving(entry.exposure_id, "rollback", after)
      const undone = yield* Effect.timeoutOption(Effect.option(withdraw(entry)), undoTime)
      const isGone = undone._tag === "Some" && undone.value._tag === "Some"
      if (isGone && !error.unsettled) yield* exposures.drop(entry.exposure_id)
    })
  )
