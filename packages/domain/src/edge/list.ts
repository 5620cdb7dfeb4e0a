import type { Exposure, ExposureDomain, ExposureList, ExposureTarget } from "@portico/contract/Edge"
import { NotFound } from "@portico/contract/Failures"
import { type ExposureEntry, Exposures } from "@portico/store/Exposures"
import { Kubernetes, type KubernetesObject } from "@portico/upstream/kubernetes/Kubernetes"
import { DateTime, Effect, Option, Schema } from "effect"
import { badGateway } from "../badGateway.ts"
import { isoOrNull } from "../isoOrNull.ts"
import { tenantSelector } from "../kubernetes/ownership.ts"
import { EdgeSettings } from "./EdgeSettings.ts"
import { edgeKinds } from "./objects.ts"

/**
 * The exposures of a tenant, oldest first, including those being removed. One call reads their
 * routes.
 *
 * Errors: 502.
 */
export const listExposures = Effect.fn("edge.list")(function* (projectId: string) {
  const entries = yield* (yield* Exposures).list(projectId)
  const settings = yield* EdgeSettings
  const { list } = yield* Kubernetes
  const { namespace } = settings.gateway
  const routes =
    entries.length === 0
      ? []
      : yield* Effect.catchTag(
          list(edgeKinds.HTTPRoute, { namespace, labelSelector: tenantSelector(projectId) }),
          "UpstreamError",
          badGateway
        )
  const exposures = entries.map((entry) =>
    toWire(
      entry,
      routes.find((_) => _.metadata.name === entry.exposure_id),
      settings
    )
  )
  return { count: exposures.length, exposures } satisfies ExposureList
})

/**
 * An exposure of the tenant.
 *
 * Errors: 404 alike for another tenant's exposure, an unknown one and a malformed id.
 */
export const ownExposure = Effect.fnUntraced(function* (projectId: string, id: string) {
  return (yield* (yield* Exposures).find(id, projectId)) ?? (yield* NotFound.exposure(id))
})

/** Errors: 404 as for {@link ownExposure}, 502. */
export const showExposure = Effect.fn("edge.show")(function* (projectId: string, id: string) {
  return yield* shown(yield* ownExposure(projectId, id))
})

/** The exposure with its current route in the cluster. Errors: 502. */
export const shown = Effect.fnUntraced(function* (entry: ExposureEntry) {
  const settings = yield* EdgeSettings
  const place = { namespace: settings.gateway.namespace, name: entry.exposure_id }
  const { find } = yield* Kubernetes
  const route = yield* Effect.catchTag(find(edgeKinds.HTTPRoute, place), "UpstreamError", badGateway)
  return toWire(entry, route, settings)
})

/** The absolute name of the record that proves a domain. */
export const challengeName = (domain: string): string => `_ig1-challenge.${domain}.`

/**
 * An exposure as its tenant sees it.
 *
 * @param route the route in the cluster; undefined when there is none
 */
export const toWire = (
  entry: ExposureEntry,
  route: KubernetesObject | undefined,
  settings: EdgeSettings["Service"]
): Exposure => {
  const reason = reasonOf(entry) ?? reasonOfRoute(route, settings)
  return {
    exposure_id: entry.exposure_id,
    name: entry.name,
    hostname: entry.hostname,
    domain: domainOf(entry),
    target: targetOf(entry),
    state: reason === undefined ? "active" : "pending",
    reason: reason ?? null,
    url: `https://${entry.domain !== null && entry.verified_at !== null ? entry.domain : entry.hostname}`,
    created_at: DateTime.formatIso(entry.created_at)
  }
}

const targetOf = ({ address, port, service }: ExposureEntry): ExposureTarget => ({
  ...(service === null ? {} : { service }),
  ...(address === null ? {} : { address }),
  port
})

const domainOf = (entry: ExposureEntry): ExposureDomain | null => {
  const { challenge, claimed_at, domain, held_until, verified_at } = entry
  // An exposure without a claim is being removed, and another exposure has the domain by now.
  if (domain === null || challenge === null || claimed_at === null) return null
  return {
    name: domain,
    state: verified_at === null ? "pending" : "verified",
    challenge: { name: challengeName(domain), type: "TXT", value: challenge },
    claimed_at: DateTime.formatIso(claimed_at),
    expires_at: verified_at !== null ? null : isoOrNull(held_until)
  }
}

/** The obstacle that the gateway itself knows of. */
const reasonOf = ({ domain, exposure_id, lost, removing, service, verified_at }: ExposureEntry): string | undefined => {
  if (removing !== null) return "It is being removed."
  if (lost) {
    return service === null
      ? "Its address is not one of the tenant's floating IPs any more."
      : "Its Service is of the type ExternalName, which is not exposed."
  }
  return domain === null || verified_at !== null
    ? undefined
    : `Its domain is not verified: publish the TXT record of domain.challenge, then send POST /v1/edge/exposures/${exposure_id}/verify.`
}

const Condition = Schema.Struct({
  type: Schema.String,
  status: Schema.String,
  reason: Schema.optionalKey(Schema.String),
  message: Schema.optionalKey(Schema.String),
  observedGeneration: Schema.optionalKey(Schema.Number)
})
type Condition = typeof Condition.Type

/** The fields of a route that describe its state (Gateway API, `RouteStatus`). */
const Route = Schema.Struct({
  metadata: Schema.Struct({ namespace: Schema.String, generation: Schema.optionalKey(Schema.Number) }),
  status: Schema.optionalKey(
    Schema.Struct({
      parents: Schema.optionalKey(
        Schema.Array(
          Schema.Struct({
            parentRef: Schema.Struct({ name: Schema.String, namespace: Schema.optionalKey(Schema.String) }),
            conditions: Schema.optionalKey(Schema.Array(Condition))
          })
        )
      )
    })
  )
})

const decoded = Schema.decodeUnknownOption(Route)

const notAccepted = "The edge has not taken its route yet."

/** What the edge reports about the route; undefined when the route works. */
const reasonOfRoute = (
  object: KubernetesObject | undefined,
  { gateway }: EdgeSettings["Service"]
): string | undefined => {
  if (object === undefined) return "It has no route: POST /v1/edge/resync makes it again."
  const route = Option.getOrUndefined(decoded(object))
  if (route === undefined) return notAccepted
  const { generation = 0, namespace } = route.metadata
  const parent = route.status?.parents?.find(
    ({ parentRef }) => parentRef.name === gateway.name && (parentRef.namespace ?? namespace) === gateway.namespace
  )
  const conditionOf = (type: string) => parent?.conditions?.find((_) => _.type === type)
  return (
    reasonOfCondition(conditionOf("Accepted"), generation, "The edge refuses its route") ??
    reasonOfCondition(conditionOf("ResolvedRefs"), generation, "Its target cannot be reached")
  )
}

/** A condition of an earlier generation says nothing about the current one. */
const reasonOfCondition = (condition: Condition | undefined, generation: number, words: string): string | undefined => {
  if (condition === undefined || (condition.observedGeneration ?? generation) < generation) return notAccepted
  if (condition.status === "True") return undefined
  return `${words}: ${condition.message ?? condition.reason ?? "no reason is given"}`
}
