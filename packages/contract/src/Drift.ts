import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { described, meanings, titled } from "./describe.ts"
import { failures } from "./Failures.ts"
import { formerWords } from "./formerWords.ts"
import { operatorRoutes } from "./groups.ts"
import { pageList, pageQuery } from "./Page.ts"
import { AppliedQuotas, TenantRow } from "./Tenants.ts"
import { Tier } from "./Tiers.ts"

export const DriftState = meanings("Whether the value is as it should be.", {
  equal: "It is.",
  drifted: "It is not.",
  held:
    "It is above the wanted one because that much is in use: block storage takes no lower limit. This does not " +
    "count as drift.",
  absent: "The service has no value for the tenant, or the project does not exist. This counts as drift.",
  unreadable: "The service could not be read; `message` has the reason."
})
export type DriftState = typeof DriftState.Type

const reason = {
  message: Schema.NullOr(Schema.String).annotateKey({
    description: "Why the service could not be read, in its own message. Null unless `state` is `unreadable`."
  }),
  words: Schema.NullOr(Schema.String).annotateKey(formerWords)
}

export const DriftDimension = Schema.Struct({
  service: meanings("The service that enforces the quota.", {
    nova: "Compute, OpenStack Nova.",
    cinder: "Block storage, OpenStack Cinder.",
    neutron: "Networks, OpenStack Neutron.",
    octavia: "Load balancers, OpenStack Octavia.",
    rgw: "Object storage, Ceph RGW."
  }),
  dimension: Schema.String.annotateKey({ description: "The service's name of the quota, such as `cores`." }),
  wanted: Schema.Int.annotateKey({
    description:
      "The limit of the tenant's tier, 0 while the tenant is suspended, in the service's unit: MiB of memory, GiB " +
      "of block storage, bytes of object storage. -1 is unlimited for `max_objects`, and forbids every bucket for " +
      "`max_buckets`."
  }),
  actual: Schema.NullOr(Schema.Int).annotateKey({
    description:
      "The limit that the service enforces, in the same unit. Below zero is unlimited, except for `max_buckets`, " +
      "where it forbids every bucket and 0 is unlimited. Null when `state` is `absent` or `unreadable`."
  }),
  state: DriftState,
  ...reason
}).annotate({
  identifier: "DriftDimension",
  description: "One quota of a tenant: the wanted limit and the enforced one."
})
export type DriftDimension = typeof DriftDimension.Type

export const DriftTag = Schema.Struct({
  tiers: Schema.Array(Tier).annotateKey({
    description: "Every tier that a tag of the project names. No tier and several tiers are drift."
  }),
  suspended: Schema.Boolean.annotateKey({
    description: "Whether a tag of the project says that the tenant is suspended."
  }),
  state: DriftState,
  ...reason
}).annotate({
  identifier: "DriftTag",
  description: "The tier and the suspension, by the tags of the tenant's project."
})
export type DriftTag = typeof DriftTag.Type

export const TenantDrift = Schema.Struct({
  tenant: TenantRow.annotateKey({ description: "The tenant as the gateway records it." }),
  drifted: Schema.Boolean.annotateKey({
    description:
      "Whether the tag or a quota is `drifted` or `absent`. A `pending_tier` of the tenant often explains it."
  }),
  complete: Schema.Boolean.annotateKey({
    description: "Whether everything could be read. When false, there may be more drift than is shown."
  }),
  tag: DriftTag.annotateKey({ description: "The tier and the suspension, by the tags of the tenant's project." }),
  dimensions: Schema.Array(DriftDimension).annotateKey({ description: "Every quota of the tier, service by service." })
}).annotate({ identifier: "TenantDrift", description: "A tenant with its wanted and its enforced quotas." })
export type TenantDrift = typeof TenantDrift.Type

export const Repaired = Schema.Struct({
  tenant: TenantRow.annotateKey({ description: "The tenant." }),
  applied: AppliedQuotas.annotateKey({ description: "The quotas that the services enforce now." })
}).annotate({ identifier: "Repaired", description: "The outcome of a repair." })
export type Repaired = typeof Repaired.Type

/** Operator plane: compares what the tenants should have with what the services enforce. */
export class Drift extends HttpApiGroup.make("drift")
  .add(
    HttpApiEndpoint.get("show", "/tenants/drift", {
      query: {
        project_id: Schema.optionalKey(Schema.String).annotateKey({
          description:
            "The id of a project, to compare this tenant alone. Without it all tenants are compared, in pages."
        }),
        ...pageQuery
      },
      success: pageList("DriftList", {
        tenants: Schema.Array(TenantDrift).annotateKey({ description: "The tenants of this page, oldest first." })
      }),
      error: failures("tenant_not_found")
    }).annotateMerge(
      described(
        "Compare quotas with their tiers",
        "Reads, for each tenant of the page, the project's tags and the quotas that the services enforce, and compares " +
          "them with the limits of the tenant's tier. It changes nothing. Each tenant costs six upstream calls, " +
          "and four tenants are read at once, so ask for small pages. A service that does not answer fails " +
          "nothing: its values are `unreadable`."
      )
    ),
    HttpApiEndpoint.post("repair", "/tenants/:project_id/repair", {
      params: { project_id: Schema.String.annotateKey({ description: "The id of the tenant's project." }) },
      success: Repaired,
      error: failures("concurrent_deletion_state", "quota_write_failed", "tenant_not_found", "tier_move_in_progress")
    }).annotateMerge(
      described(
        "Repair a tenant's quotas",
        "Writes the quotas and tags of the tenant's tier to every service again; zero for a suspended tenant, which stays " +
          "suspended. It needs no room in the sellable budget, because the tenant gets no more than it was granted.\n\n" +
          "It takes seconds, and continues when the client disconnects; after 150 seconds it stops with a 502. " +
          "When a service fails, the 502 lists the quotas written before; repeat the call to write the rest. It is " +
          "a 409 while another quota write of the tenant runs, and while the tenant is being deleted or its " +
          "account is closing."
      )
    )
  )
  .annotateMerge(
    titled(
      "Quota Drift",
      "Quotas that differ from a tenant's tier. The services enforce quotas, and these differ when a person " +
        "changed one by hand or a service was restored from a backup. These operations find and repair such drift."
    )
  )
  .pipe(operatorRoutes) {}
