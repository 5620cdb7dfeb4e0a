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
import { RunToCompletion } from "../work/RunToCompletion.ts"
import { refusal } from "../refusal.ts"
import { tierOf } from "../limits/tenantTier.ts"
import { busy, isOwnTarget, program, routeAmong, underTenantLease, withdraw } from "./exposure.ts"
import { foreignDomain, staleClaim } from "./domains.ts"
import { EdgeSettings } from "./EdgeSettings.ts"
import { toWire } from "./list.ts"

/** How long an abandoned call may still take effect; longer than any call lasts. */
const lateness = Duration.minutes(2)

/** The timeout of the undo; the job then takes over. */
const undoTime = Duration.seconds(20)

/**
 * Exposes a target of the tenant at the edge: at once under a host name that the platform
 * generates, and under the tenant's own domain once that is verified (contract, Edge exposure). A
 * failed creation leaves nothing behind: the job removes what its own undo could not.
 *
 * Errors: 409 when the name is taken, at the tier's ceiling, which is 0 for a suspended tenant, and
 * when the domain belongs to another tenant; 422 for a target or a domain that cannot be exposed;
 * 502 with the upstream's message; 503 when the tier cannot be read.
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
    return toWire(entry, routeAmong(made), yield* EdgeSettings)
  })
  return yield* (yield* RunToCompletion).run(underTenantLease(projectId)(make))
})

const ownAddress = "its address must be one of the tenant's own floating IPs"
const noAlias = "its Service must not be of the type ExternalName"

const targetOf = Effect.fnUntraced(function* ({ target }: ExposureCreate, projectId: string) {
  const { targetNetworks } = yield* EdgeSettings
  const address = target.address === undefined ? undefined : addressOf(target.address)
  // Checked without a look-up: these networks contain no floating IPs, unless the operator lists them.
  if (address !== undefined && contains(specialRanges, address) && !contains(targetNetworks, address)) {
    return yield* Unprocessable.exposureTarget(ownAddress)
  }
  return {
    project_id: projectId,
    service: target.service ?? null,
    address: address === undefined ? null : NetAddress.formatIp(address),
    port: target.port
  }
})

/**
 * Special networks: loopback, link-local, cluster and private addresses, and those that embed them.
 * Documentation networks are not included, because they lead nowhere.
 */
const specialRanges = specialNetworks(
  "loopback",
  "unspecified",
  "linkLocal",
  "multicast",
  "embedding",
  "private",
  "reserved"
)

/**
 * The tenant's tier, when its ceiling allows one more exposure. A tenant that is being deleted or
 * closed may not create any.
 */
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

/** A host name that no other exposure ever gets: it contains the random id. A label has 63 characters at most. */
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

/** Creates the exposure's objects, or undoes them on a failure. The job waits for a call that may still take effect. */
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
