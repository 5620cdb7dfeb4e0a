import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { described, LongRunning, meanings, titled } from "./describe.ts"
import { ceilingCodes, failures, upstreamCodes } from "./Failures.ts"
import { tenantRoutes } from "./groups.ts"
import { Creates } from "./Idempotency.ts"
import { addressOf } from "./Networks.ts"
import { wholeList } from "./Page.ts"

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

export const ExposureTarget = Schema.Struct({
  service: Schema.optionalKey(ServiceName).annotateKey({
    description:
      "A Kubernetes Service in the tenant's own namespace, by its name. It may come later. One of the type " +
      "ExternalName is not exposed. Absent for an address."
  }),
  address: Schema.optionalKey(Address).annotateKey({
    description: "A floating IP of the tenant's. Absent for a Service."
  }),
  port: Port.annotateKey({ description: "The TCP port of the Service or the address, 1 to 65535, which speaks HTTP." })
})
  .annotate({ description: "Where the edge sends the requests: either `service` or `address`." })
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
  name: Label.annotateKey({
    description:
      "The name, unique in the tenant, with which the exposure's host name begins. It never changes. 1 to 63 " +
      "characters a-z, 0-9 and hyphens, with a letter or a digit at both ends."
  }),
  target: ExposureTarget.annotateKey({ description: "Where the requests go. It never changes." }),
  domain: Schema.optionalKey(Schema.String.check(Schema.makeFilter(isDomain, { expected: domainRule }))).annotateKey({
    description:
      "A domain of the tenant's own, in addition to the host name that every exposure has: at least two labels, at " +
      "most " +
      `${longestDomain} characters, without a wildcard, internationalised names in their \`xn--\` form. It is kept in ` +
      "lower case, and routed once it is verified. Absent for none."
  })
}).annotate({ identifier: "ExposureCreate", description: "A new exposure." })
export type ExposureCreate = typeof ExposureCreate.Type

export const DomainChallenge = Schema.Struct({
  name: Schema.String.annotateKey({
    description: "The absolute name of the record, with the dot at its end: `_ig1-challenge.shop.example.`"
  }),
  type: Schema.Literal("TXT").annotateKey({ description: "The type of the record." }),
  value: Schema.String.annotateKey({ description: "The text of the record." })
}).annotate({
  identifier: "DomainChallenge",
  description: "The DNS record that proves the domain. Publish it, and keep it as long as the exposure has the domain."
})

export const ExposureDomain = Schema.Struct({
  name: Schema.String.annotateKey({ description: "The domain, in lower case and without a dot at its end." }),
  state: meanings("Whether the domain is the tenant's.", {
    pending: "Not proved yet: no route has the domain.",
    verified: "Proved: the edge routes the domain, and no other tenant can claim it while the record stays."
  }),
  challenge: DomainChallenge.annotateKey({ description: "The DNS record that proves the domain." }),
  claimed_at: Schema.String.annotateKey({ description: "When the exposure claimed the domain. RFC 3339, UTC." }),
  expires_at: Schema.NullOr(Schema.String).annotateKey({
    description:
      "Until then no other tenant can claim the domain. RFC 3339, UTC. Null when it is verified, and when the " +
      "domain had been claimed within 30 days before: only the first claim holds it."
  })
}).annotate({ identifier: "ExposureDomain", description: "A domain of the tenant's own, as an exposure claims it." })
export type ExposureDomain = typeof ExposureDomain.Type

const exposure = {
  exposure_id: Schema.String.annotateKey({ description: "The exposure's id: `edge-` and 12 hexadecimal digits." }),
  name: Schema.String.annotateKey({ description: "The name, unique in the tenant. It never changes." }),
  hostname: Schema.String.annotateKey({
    description:
      "The host name of the platform's that the exposure has from the start. It is never used again, and never " +
      "changes. A domain of the tenant's own points at it with a CNAME record."
  }),
  domain: Schema.NullOr(ExposureDomain).annotateKey({
    description: "The domain of the tenant's own. Null without one."
  }),
  target: ExposureTarget.annotateKey({ description: "Where the requests go. It never changes." }),
  state: meanings("Whether the exposure works as requested.", {
    pending:
      "A condition is not met; `reason` names it. With an unverified domain the exposure is served under " +
      "`hostname` alone.",
    active: "The domain, if any, is verified, and the edge has accepted the route."
  }),
  reason: Schema.NullOr(Schema.String).annotateKey({ description: "Why it is not active. Null while it is active." }),
  url: Schema.String.annotateKey({
    description: "The URL for visitors: with the domain once that is verified, else with `hostname`."
  }),
  created_at: Schema.String.annotateKey({ description: "When the exposure was created. RFC 3339, UTC." })
}

export const Exposure = Schema.Struct(exposure).annotate({
  identifier: "Exposure",
  description: "A host name at the platform's edge, and where its requests go."
})
export type Exposure = typeof Exposure.Type

export const DomainCheck = Schema.Struct({
  name: Schema.String.annotateKey({ description: "The name whose TXT records were looked up." }),
  records: Schema.Int.annotateKey({ description: "The number of TXT records at that name." }),
  proved: Schema.Boolean.annotateKey({ description: "Whether one of the records has the challenge's value." }),
  checked_at: Schema.String.annotateKey({ description: "When the DNS was asked. RFC 3339, UTC." })
}).annotate({ identifier: "DomainCheck", description: "The result of the DNS lookup of a domain's challenge." })

export const ExposureVerified = Schema.Struct({
  ...exposure,
  check: Schema.NullOr(DomainCheck).annotateKey({
    description:
      "The result of the DNS lookup. Null when the domain was verified before: then the gateway does not ask the DNS."
  })
}).annotate({ identifier: "ExposureVerified", description: "An exposure after its domain was checked." })
export type ExposureVerified = typeof ExposureVerified.Type

export const ExposureList = wholeList("ExposureList", {
  exposures: Schema.Array(Exposure).annotateKey({ description: "All exposures of the tenant, oldest first." })
})
export type ExposureList = typeof ExposureList.Type

export const ExposureResynced = Schema.Struct({
  exposure_id: Schema.String.annotateKey({ description: "The exposure's id." }),
  name: Schema.String.annotateKey({ description: "The exposure's name." }),
  changes: Schema.Array(
    Schema.Struct({
      object: meanings("The kind of Kubernetes object that was changed.", {
        HTTPRoute: "The route of the exposure's host names.",
        Service: "The Service for a target that is an address.",
        EndpointSlice: "The address behind that Service.",
        ReferenceGrant: "The permission for the route to lead to the tenant's Service."
      }),
      change: meanings("The change to the object.", {
        made: "It was missing.",
        mended: "Its content was not as it has to be.",
        removed: "It must not be there, because the target is not the tenant's, or the exposure is being removed."
      })
    }).annotate({ identifier: "ExposureChange", description: "A change of one object of an exposure." })
  ).annotateKey({ description: "The changed objects; empty when everything was in order." })
}).annotate({ identifier: "ExposureResynced", description: "The changes that a resync made to one exposure." })
export type ExposureResynced = typeof ExposureResynced.Type

export const EdgeResync = Schema.Struct({
  count: Schema.Int.annotateKey({ description: "The number of exposures." }),
  changed: Schema.Int.annotateKey({ description: "The number of exposures of which something was changed." }),
  exposures: Schema.Array(ExposureResynced).annotateKey({ description: "Every exposure, oldest first." })
}).annotate({ identifier: "EdgeResync", description: "The changes that a resync made." })
export type EdgeResync = typeof EdgeResync.Type

const exposureId = { exposure_id: Schema.String.annotateKey({ description: "The id of the exposure." }) }

/** An unverified domain keeps an exposure pending until the tenant proves it. */
const untilActive = { read: "edge.show", field: "state", done: ["active"], failed: [] }

export class Edge extends HttpApiGroup.make("edge")
  .add(
    HttpApiEndpoint.get("list", "/edge/exposures", {
      success: ExposureList,
      error: failures("upstream_failed")
    }).annotateMerge(
      described(
        "List exposures",
        "Returns all exposures of the tenant with their present state at the edge. There are no pages: the tier " +
          "allows 1, 4 or 10. One that is being removed is in the list until nothing of it is left."
      )
    ),
    HttpApiEndpoint.post("create", "/edge/exposures", {
      payload: ExposureCreate,
      success: Exposure.pipe(HttpApiSchema.status(201)),
      error: failures(
        ...ceilingCodes,
        ...upstreamCodes,
        "concurrent_deletion_state",
        "domain_claimed",
        "domain_in_use",
        "exposure_domain_refused",
        "exposure_name_taken",
        "exposure_target_refused"
      )
    })
      .annotateMerge(
        described(
          "Create an exposure",
          "Makes a Service or a floating IP reachable from the internet over HTTP and HTTPS, under a host name of " +
            "the platform's. The response comes before the edge has taken the route.\n\n- The tier allows 1, 4 or " +
            "10 exposures (409 `ceiling_reached` with the numbers).\n- An address must be one of the tenant's " +
            "floating IPs (422 `exposure_target_refused`). When the tenant releases it, the exposure is `pending` " +
            "until the tenant has it again.\n- A `domain` is claimed, and not routed yet: publish the record in " +
            "`domain.challenge`, then call `POST /v1/edge/exposures/{exposure_id}/verify`. The first claim keeps " +
            "other tenants from the domain for some days (72 hours as a rule); a domain that another tenant has " +
            "claimed or proved is a 409 (`domain_claimed`).\n\nA creation that fails leaves nothing behind."
        )
      )
      .annotate(LongRunning, untilActive)
      .middleware(Creates),
    HttpApiEndpoint.get("show", "/edge/exposures/:exposure_id", {
      params: exposureId,
      success: Exposure,
      error: failures("exposure_not_found", "upstream_failed")
    }).annotateMerge(
      described(
        "Show an exposure",
        "Returns an exposure with its present state at the edge, and the record that proves its domain."
      )
    ),
    HttpApiEndpoint.delete("remove", "/edge/exposures/:exposure_id", {
      params: exposureId,
      success: Exposure,
      error: failures("concurrent_change", "exposure_not_found", "upstream_failed")
    }).annotateMerge(
      described(
        "Delete an exposure",
        "Removes the route first, and then the exposure; its target stays. Its domain is free for other tenants, " +
          "and its host name is never used again. A deletion that is cut short (502) continues by itself and may " +
          "be repeated; meanwhile the exposure no longer counts against the tier."
      )
    ),
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
    }).annotateMerge(
      described(
        "Verify an exposure's domain",
        "Looks up the TXT record of `domain.challenge` now and, when it is there, gives the domain to the exposure " +
          "and routes it. It takes no body. A missing record is not an error: the response is a 200 whose `check` " +
          "has the result; publish the record and call again. The tenant that proves a domain first has it. When " +
          "its record is removed later, another tenant can claim and prove the domain: keep the record. The " +
          "gateway routes a verified domain again without a lookup."
      )
    ),
    HttpApiEndpoint.post("resync", "/edge/resync", {
      success: EdgeResync,
      error: failures("concurrent_change", "upstream_failed")
    }).annotateMerge(
      described(
        "Repair the exposures at the edge",
        "Compares the cluster's objects of all exposures with their wanted state, and repairs them now. It takes " +
          "no body. The platform does the same by itself, so this is for when something is wrong. Routes to targets " +
          "that are not the tenant's any more are removed, and unfinished deletions are completed. It may be " +
          "repeated: in good order it changes nothing."
      )
    )
  )
  .annotateMerge(
    titled(
      "Edge",
      "HTTP and HTTPS from the internet. The platform's edge is a proxy with public addresses. An exposure gives it " +
        "a host name and a target: a Service in the tenant's namespace of the Kubernetes cluster, or a floating IP. " +
        "Every exposure has a host name of the platform's at once; a domain of the tenant's own is routed too when " +
        "the tenant has proved with a DNS record that it is theirs."
    )
  )
  .pipe(tenantRoutes) {}
