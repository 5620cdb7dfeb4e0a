import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Authenticated, TenantScoped, Validated, WellFormed } from "./Access.ts"
import { failures } from "./Failures.ts"
import { Creates } from "./Idempotency.ts"
import { addressOf } from "./Networks.ts"

/** RFC 1123, section 2.1, in the form that Kubernetes takes. */
const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

const Label = Schema.String.check(
  Schema.isPattern(label, {
    expected: "a label of 1 to 63 characters a-z, 0-9 and hyphens that begins and ends with a letter or a digit"
  })
)

/** Names of Kubernetes Services begin with a letter (RFC 1035, section 2.3.1). */
const ServiceName = Schema.String.check(
  Schema.isPattern(/^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/, {
    expected: "the name of a Service: 1 to 63 characters a-z, 0-9 and hyphens that begin with a letter"
  })
)

const Port = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 65535 }))

const Address = Schema.String.check(
  Schema.makeFilter((text: string) => addressOf(text) !== undefined, { expected: "an IP address" })
)

/** The target: a Service in the tenant's own namespace, or a floating IP of the tenant. */
export const ExposureTarget = Schema.Struct({
  service: Schema.optionalKey(ServiceName),
  address: Schema.optionalKey(Address),
  port: Port
})
  .check(
    Schema.makeFilter(
      (_: { readonly service?: string; readonly address?: string }) =>
        (_.service === undefined) !== (_.address === undefined),
      { expected: "a target with exactly one of service and address" }
    )
  )
  .annotate({ identifier: "ExposureTarget" })
export type ExposureTarget = typeof ExposureTarget.Type

/** The name with the prefix `_ig1-challenge.` has to fit into 253 characters. */
const longestDomain = 253 - "_ig1-challenge.".length

const domainRule =
  `a domain name of at least two labels and at most ${longestDomain} characters, without a wildcard, ` +
  "internationalised names in their xn-- form"

/** Normalises a domain: lower case, without one trailing dot. */
export const plainDomain = (text: string): string => text.toLowerCase().replace(/\.$/, "")

const isDomain = (text: string): boolean => {
  const domain = plainDomain(text)
  const labels = domain.split(".")
  // No top-level domain is a number: a name whose last label is one is an address.
  return (
    domain.length <= longestDomain &&
    labels.length >= 2 &&
    labels.every((_) => label.test(_)) &&
    !/^\d+$/.test(labels.at(-1) ?? "")
  )
}

export const ExposureCreate = Schema.Struct({
  /** Unique in the tenant. */
  name: Label,
  target: ExposureTarget,
  /** A domain of the tenant, in addition to the host name that every exposure has. */
  domain: Schema.optionalKey(Schema.String.check(Schema.makeFilter(isDomain, { expected: domainRule })))
}).annotate({ identifier: "ExposureCreate" })
export type ExposureCreate = typeof ExposureCreate.Type

/** The record that proves a domain. */
export const DomainChallenge = Schema.Struct({
  /** Absolute: `_ig1-challenge.shop.example.` */
  name: Schema.String,
  type: Schema.Literal("TXT"),
  value: Schema.String
}).annotate({ identifier: "DomainChallenge" })

export const ExposureDomain = Schema.Struct({
  name: Schema.String,
  state: Schema.Literals(["pending", "verified"]),
  challenge: DomainChallenge,
  claimed_at: Schema.String,
  /** Until then no other tenant can claim the name; null when verified, and for a claim without such a hold. */
  expires_at: Schema.NullOr(Schema.String)
}).annotate({ identifier: "ExposureDomain" })
export type ExposureDomain = typeof ExposureDomain.Type

const exposure = {
  exposure_id: Schema.String,
  name: Schema.String,
  /** The host name that the platform assigns. */
  hostname: Schema.String,
  domain: Schema.NullOr(ExposureDomain),
  target: ExposureTarget,
  /** `active`: the domain, if any, is verified, and the edge has accepted the route. */
  state: Schema.Literals(["pending", "active"]),
  /** The reason while it is not active. */
  reason: Schema.NullOr(Schema.String),
  /** The URL; it has the domain as soon as that is verified. */
  url: Schema.String,
  created_at: Schema.String
}

export const Exposure = Schema.Struct(exposure).annotate({ identifier: "Exposure" })
export type Exposure = typeof Exposure.Type

/** The result of a challenge lookup; null when the domain is verified already. */
export const DomainCheck = Schema.Struct({
  /** The name whose TXT records were queried. */
  name: Schema.String,
  /** The number of TXT records. */
  records: Schema.Int,
  /** Whether one of the records has the challenge's value. */
  proved: Schema.Boolean,
  checked_at: Schema.String
}).annotate({ identifier: "DomainCheck" })

export const ExposureVerified = Schema.Struct({ ...exposure, check: Schema.NullOr(DomainCheck) }).annotate({
  identifier: "ExposureVerified"
})
export type ExposureVerified = typeof ExposureVerified.Type

export const ExposureList = Schema.Struct({ count: Schema.Int, exposures: Schema.Array(Exposure) }).annotate({
  identifier: "ExposureList"
})
export type ExposureList = typeof ExposureList.Type

/** What a resync did to one exposure; nothing when it was in order. */
export const ExposureResynced = Schema.Struct({
  exposure_id: Schema.String,
  name: Schema.String,
  changes: Schema.Array(
    Schema.Struct({
      object: Schema.Literals(["HTTPRoute", "Service", "EndpointSlice", "ReferenceGrant"]),
      change: Schema.Literals(["made", "mended", "removed"])
    }).annotate({ identifier: "ExposureChange" })
  )
}).annotate({ identifier: "ExposureResynced" })
export type ExposureResynced = typeof ExposureResynced.Type

export const EdgeResync = Schema.Struct({
  count: Schema.Int,
  /** The number of changed exposures. */
  changed: Schema.Int,
  exposures: Schema.Array(ExposureResynced)
}).annotate({ identifier: "EdgeResync" })
export type EdgeResync = typeof EdgeResync.Type

const exposureId = { exposure_id: Schema.String }

/** Both planes. */
export class Edge extends HttpApiGroup.make("edge")
  .add(
    HttpApiEndpoint.get("list", "/edge/exposures", { success: ExposureList, error: failures("upstream_failed") }),
    HttpApiEndpoint.post("create", "/edge/exposures", {
      payload: ExposureCreate,
      success: Exposure.pipe(HttpApiSchema.status(201)),
      error: failures(
        "ceiling_reached",
        "concurrent_change",
        "concurrent_deletion_state",
        "domain_claimed",
        "domain_in_use",
        "exposure_domain_refused",
        "exposure_name_taken",
        "exposure_target_refused",
        "tenant_not_found",
        "tier_unreadable",
        "upstream_conflict",
        "upstream_failed",
        "upstream_refused"
      )
    }).middleware(Creates),
    HttpApiEndpoint.get("show", "/edge/exposures/:exposure_id", {
      params: exposureId,
      success: Exposure,
      error: failures("exposure_not_found", "upstream_failed")
    }),
    HttpApiEndpoint.delete("remove", "/edge/exposures/:exposure_id", {
      params: exposureId,
      success: Exposure,
      error: failures("concurrent_change", "exposure_not_found", "upstream_failed")
    }),
    HttpApiEndpoint.post("verify", "/edge/exposures/:exposure_id/verify", {
      params: exposureId,
      success: ExposureVerified,
      error: failures(
        "concurrent_change",
        "domain_claimed",
        "exposure_not_found",
        "exposure_without_domain",
        "tenant_suspended",
        "upstream_failed"
      )
    }),
    HttpApiEndpoint.post("resync", "/edge/resync", {
      success: EdgeResync,
      error: failures("concurrent_change", "upstream_failed")
    })
  )
  .middleware(WellFormed)
  .middleware(TenantScoped)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}
