import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { WithoutTenant } from "./Access.ts"
import { described, meanings, titled } from "./describe.ts"
import { failures, overrideCodes } from "./Failures.ts"
import { callerRoutes } from "./groups.ts"
import { Tier } from "./Tiers.ts"

const unavailable = "The service could not be read within 10 seconds: `used` is null. Ask again later."

export const QuotaUsage = Schema.Struct({
  limit: Schema.Int.annotateKey({
    description: "The most that the project may have, in the unit of the row. -1 is unlimited."
  }),
  used: Schema.NullOr(Schema.Int).annotateKey({
    description:
      "The usage of the project, in the unit of the row. Null, never 0, when it is not counted or cannot be read."
  }),
  source: meanings("Where `used` comes from.", {
    nova: "The compute service, OpenStack Nova.",
    cinder: "The block storage service, OpenStack Cinder.",
    neutron: "The network service, OpenStack Neutron.",
    octavia: "The load balancer service, OpenStack Octavia.",
    rgw: "The object gateway, Ceph RGW.",
    designate: "The DNS service, OpenStack Designate.",
    kubernetes: "The Kubernetes cluster that runs the databases.",
    gateway: "The gateway's own records.",
    tier: "Nothing counts it: `used` is null.",
    unavailable
  })
}).annotate({ identifier: "QuotaUsage", description: "The limit and the usage of a project for one kind of resource." })
export type QuotaUsage = typeof QuotaUsage.Type

export const ObjectStorageUsage = Schema.Struct({
  limit: Schema.Int.annotateKey({ description: "The tier's limit; 0 for a suspended project." }),
  enforced: Schema.NullOr(Schema.Int).annotateKey({
    description:
      "The limit that the object gateway enforces. -1 is unlimited. Null when it was not read, and while the project has " +
      "no S3 user."
  }),
  used: Schema.NullOr(Schema.Int).annotateKey({
    description:
      "The usage of the project. Bytes count all versions and the parts of unfinished uploads. Null when it " +
      "cannot be read."
  }),
  source: meanings("Where `used` comes from.", {
    rgw: "The object gateway, Ceph RGW.",
    tier: "The project has no S3 user yet: `used` is 0.",
    unavailable
  }),
  matches_tier: Schema.NullOr(Schema.Boolean).annotateKey({
    description: "Whether `enforced` equals `limit`. Null when `enforced` is null."
  })
}).annotate({
  identifier: "ObjectStorageUsage",
  description: "The limit, the enforced limit and the usage of a project's object storage."
})
export type ObjectStorageUsage = typeof ObjectStorageUsage.Type

const row = (description: string) => QuotaUsage.annotateKey({ description })
const objectRow = (description: string) => ObjectStorageUsage.annotateKey({ description })

export const Quotas = Schema.Struct({
  project_id: Schema.String.annotateKey({ description: "The project." }),
  tier: Tier.annotateKey({ description: "The project's tier, from which the limits follow." }),
  suspended: Schema.Boolean.annotateKey({
    description:
      "True while the platform's operators have suspended the project: nothing new can be created, and the limits are 0 " +
      "or the present use, except those of API calls and credentials."
  }),
  compute: Schema.Struct({
    cores: row("Virtual CPU cores."),
    ram: row("Memory, in MiB."),
    instances: row("Servers.")
  }).annotateKey({ description: "Servers. The compute service enforces these limits." }),
  block_storage: Schema.Struct({
    volumes: row("Volumes."),
    gigabytes: row("The size of volumes and snapshots together, in GiB."),
    backups: row("Backups of volumes."),
    backup_gigabytes: row("The size of backups together, in GiB.")
  }).annotateKey({ description: "Volumes. The block storage service enforces these limits." }),
  network: Schema.Struct({
    networks: row("Networks."),
    routers: row("Routers."),
    floating_ips: row("Floating IP addresses.")
  }).annotateKey({ description: "Networks. The network service enforces these limits." }),
  load_balancers: row("Load balancers. The load balancer service enforces the limit."),
  nat_gateways: row("NAT gateways."),
  dns_zones: row("DNS zones."),
  edge_exposures: row("Exposures: services that are reachable from the internet over HTTP."),
  object_storage: Schema.Struct({
    buckets: objectRow("Buckets."),
    bytes: objectRow("Stored data, in bytes.")
  }).annotateKey({ description: "Object storage. The object gateway enforces these limits." }),
  databases: Schema.Struct({
    gigabytes: row("The storage of all volume claims in the namespace of the databases, in whole GiB."),
    claims: row("The volume claims in the namespace of the databases.")
  }).annotateKey({ description: "Managed databases." }),
  clusters: row("Kubernetes clusters. A limit of the tier that is not counted."),
  workers: row("Workers of Kubernetes clusters. A limit of the tier that is not counted."),
  api_rpm: row(
    "Calls of the API a minute, of all the project's credentials together. The `RateLimit-*` headers of every response " +
      "have the remaining calls."
  ),
  credentials: row("Live credentials, memberships of people included.")
}).annotate({
  identifier: "Quotas",
  description: "The limits and the usage of a project. Memory is in MiB, storage in GiB, object storage in bytes."
})
export type Quotas = typeof Quotas.Type

/** Both planes. A service that cannot be read is marked in its own rows, and does not affect the others. */
export class QuotasGroup extends HttpApiGroup.make("quotas")
  .add(
    HttpApiEndpoint.get("show", "/quotas", {
      query: {
        project: Schema.optionalKey(Schema.String).annotateKey({
          description:
            "The id of a project, to show its quotas instead of the caller's own. Only for platform administrators on the operator plane, " +
            "who must send it; every other caller that sends it gets the same 403, whether or not the project exists."
        })
      },
      success: Quotas,
      error: failures(...overrideCodes, "tier_unreadable")
    })
      .annotate(WithoutTenant, true)
      .annotateMerge(
        described(
          "Show limits and usage",
          "Returns the limits and the usage of the caller's project, each with the system that it is from. The " +
            "gateway asks all services at this moment and at once, for 10 seconds at most; a service that cannot " +
            "be read is marked `unavailable` in its own rows and fails nothing else. A tier that cannot be read " +
            "fails the call with a 503, because the limits follow from it. Only the platform's operators change a " +
            "project's tier."
        )
      )
  )
  .annotateMerge(
    titled(
      "Quotas",
      "The limits and the usage of a project. The limits follow from the project's tier (`discovery`, `standard` " +
        "or `extension`). The platform's services enforce some of them, and the gateway enforces the rest."
    )
  )
  .pipe(callerRoutes) {}
