import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { AnswersSecret } from "./Access.ts"
import { AdmissionNumbers } from "./Admission.ts"
import { described, titled } from "./describe.ts"
import { failures } from "./Failures.ts"
import { operatorRoutes } from "./groups.ts"
import { Creates, OneTime } from "./Idempotency.ts"
import { pageFields, pageQuery } from "./Page.ts"
import { plainText } from "./Text.ts"
import { Tier } from "./Tiers.ts"

/** An organisation's name as people write it. The slug is derived from it, see docs/operators/onboarding.md. */
export const OrganisationName = plainText(200)

export const OnboardRequest = Schema.Struct({
  name: OrganisationName.annotateKey({
    description:
      "The organisation's name. The slug is derived from it: lower case, " +
      "accents removed, every run of other characters than a-z and 0-9 one hyphen, cut to 40 characters."
  }),
  tier: Tier.annotateKey({ description: "The tier of the new tenant. Default: `discovery`." }).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed("discovery" as const))
  ),
  tenant_name: Schema.optionalKey(OrganisationName).annotateKey({
    description:
      "Replaces `name` when that is taken or makes no slug: the tenant has this name then, and the slug is derived from " +
      "it."
  })
}).annotate({ identifier: "OnboardRequest", description: "A new tenant." })
export type OnboardRequest = typeof OnboardRequest.Type

const int = (description: string) => Schema.Int.annotateKey({ description })
const string = (description: string) => Schema.String.annotateKey({ description })

const NovaQuotas = Schema.Struct({
  cores: int("Virtual CPU cores."),
  ram: int("Memory, in MiB."),
  instances: int("Servers.")
})
const CinderQuotas = Schema.Struct({
  volumes: int("Volumes."),
  gigabytes: int("The size of volumes and snapshots together, in GiB."),
  backups: int("Backups of volumes."),
  backup_gigabytes: int("The size of backups together, in GiB.")
})
const NeutronQuotas = Schema.Struct({
  network: int("Networks."),
  router: int("Routers."),
  floatingip: int("Floating IP addresses.")
})
const OctaviaQuotas = Schema.Struct({ loadbalancer: int("Load balancers.") })

const compute = { description: "Quotas of the compute service." }
const blockStorage = { description: "Quotas of the block storage service." }
const networking = { description: "Quotas of the network service." }

export const TenantNetwork = Schema.Struct({
  network_id: string("The tenant's first network, `<slug>-net`."),
  subnet_id: string("Its subnet, `<slug>-subnet`."),
  router_id: string(
    "The tenant's router, `<slug>-router`, which connects the subnet to the external network with SNAT."
  ),
  external_network_id: string("The platform's external network.")
}).annotate({ identifier: "TenantNetwork", description: "The ids of the parts of a new tenant's network." })
export type TenantNetwork = typeof TenantNetwork.Type

export const Onboarded = Schema.Struct({
  tenant: Schema.Struct({
    slug: string("The name of the tenant's project, derived from the organisation's name. It never changes."),
    project_id: string("The id of the tenant's project, by which every other operation names the tenant."),
    project_name: string("The same as `slug`."),
    tier: Tier.annotateKey({ description: "The tenant's tier." }),
    quotas: Schema.Struct({
      nova: NovaQuotas.annotateKey(compute),
      cinder: CinderQuotas.annotateKey(blockStorage),
      neutron: NeutronQuotas.annotateKey(networking)
    }).annotateKey({ description: "The quotas of the tier, as the services enforce them." }),
    network: TenantNetwork.annotateKey({ description: "The tenant's first network." })
  }).annotateKey({ description: "The new tenant." }),
  credential: Schema.Struct({
    id: string("The credential's id, `cred-…`."),
    tier: Schema.Literal(2).annotateKey({ description: "The permission tier of a first credential: always 2." }),
    client_id: string("The machine user's name at the identity provider, for the `client_credentials` grant."),
    client_secret: OneTime.annotateKey({
      description: "The secret that belongs to `client_id`. The gateway stores it nowhere."
    })
  }).annotateKey({ description: "The tenant's first credential. It has no maker and never expires." }),
  admission: AdmissionNumbers.annotateKey({ description: "The sellable budget before and after this tenant." })
}).annotate({ identifier: "Onboarded", description: "A new tenant with its first credential." })
export type Onboarded = typeof Onboarded.Type

export const TenantRow = Schema.Struct({
  project_id: string("The id of the tenant's project; it never changes."),
  slug: string("The name of the tenant's project, derived from the organisation's name. It never changes."),
  project_name: string("The same as `slug`. `confirm` takes it when the project is deleted."),
  tenant_name: string("The organisation's name."),
  name: string("The same as `tenant_name`."),
  tier: Tier.annotateKey({ description: "The tenant's tier. A suspended tenant keeps it." }),
  suspended: Schema.Boolean.annotateKey({
    description:
      "Whether the tenant is suspended: running resources keep running, and nothing new can be created. A move to " +
      "a tier ends it."
  }),
  pending_tier: Schema.NullOr(Schema.String).annotateKey({
    description:
      "The goal of a quota write that runs or stopped half way: a tier, or `suspended`. Repeat the move or the " +
      "suspension to complete it. Null without such a write."
  }),
  created_at: string("When the tenant went live: RFC 3339, UTC.")
}).annotate({
  identifier: "Tenant",
  description: "A tenant: one project with a tier, quotas, credentials and members."
})
export type TenantRow = typeof TenantRow.Type

export const PendingTenant = Schema.Struct({
  state: Schema.Literal("pending").annotateKey({ description: "Always `pending`." }),
  attempt_id: string("The id of the onboarding, as in GET /v1/journal."),
  slug: string("The name that its project has or is going to have."),
  name: string("The organisation's name."),
  tier: Tier.annotateKey({ description: "The tier that it is going to have." }),
  started_at: string("When the onboarding began: RFC 3339, UTC.")
}).annotate({
  identifier: "PendingTenant",
  description: "A tenant that is being onboarded. It may still be rolled back; GET /v1/journal has the details."
})
export type PendingTenant = typeof PendingTenant.Type

export const TierRequest = Schema.Struct({
  tier: Tier.annotateKey({
    description: "The tier to move to. The tenant's own tier writes its quotas again and ends a suspension."
  })
}).annotate({ identifier: "TierRequest", description: "A move to a tier." })

export const AppliedQuotas = Schema.Struct({
  nova: NovaQuotas.annotateKey(compute),
  cinder: CinderQuotas.annotateKey(blockStorage),
  cinder_held_at_usage: Schema.Array(Schema.String).annotateKey({
    description:
      "The names of the block storage quotas that stayed at the present use, because the service takes no lower " +
      "limit. Empty when all were written as the tier has them."
  }),
  neutron: NeutronQuotas.annotateKey(networking),
  octavia: OctaviaQuotas.annotateKey({ description: "Quotas of the load balancer service." }),
  object_storage: Schema.Struct({
    max_buckets: int(
      "Buckets. A number below zero forbids every bucket, because the object gateway takes 0 as unlimited."
    ),
    max_size: int("Stored data, in bytes."),
    max_objects: int("Objects. -1 is unlimited.")
  }).annotateKey({ description: "Quotas of the object gateway." })
}).annotate({ identifier: "AppliedQuotas", description: "The quotas that were written, service by service." })
export type AppliedQuotas = typeof AppliedQuotas.Type

const written = { description: "The quotas that the services enforce now." }

export const TierMoved = Schema.Struct({
  tenant: TenantRow.annotateKey({ description: "The tenant in its tier." }),
  applied: AppliedQuotas.annotateKey(written),
  admission: AdmissionNumbers.annotateKey({ description: "The sellable budget before and after the move." })
}).annotate({ identifier: "TierMoved", description: "The outcome of a move to a tier." })
export type TierMoved = typeof TierMoved.Type

export const Suspended = Schema.Struct({
  tenant: TenantRow.annotateKey({ description: "The suspended tenant." }),
  applied: AppliedQuotas.annotateKey(written)
}).annotate({ identifier: "Suspended", description: "The outcome of a suspension." })
export type Suspended = typeof Suspended.Type

const projectId = { project_id: string("The id of the tenant's project.") }

/** Operator plane. */
export class Tenants extends HttpApiGroup.make("tenants")
  .add(
    HttpApiEndpoint.get("list", "/tenants", {
      query: pageQuery,
      success: Schema.Struct({
        ...pageFields,
        tenants: Schema.Array(TenantRow).annotateKey({ description: "The live tenants of this page, oldest first." }),
        pending: Schema.Array(PendingTenant).annotateKey({
          description: "All onboardings that are going forward, oldest first. They are not part of the pages."
        })
      }).annotate({ identifier: "TenantList" })
    }).annotateMerge(
      described(
        "List tenants",
        "Lists the live tenants of the platform, suspended ones and those being deleted too, oldest first, and beside " +
          "the pages the unfinished onboardings. A tenant with a `pending_tier` has a quota write that runs or " +
          "stopped half way."
      )
    ),
    HttpApiEndpoint.post("onboard", "/tenants", {
      payload: OnboardRequest,
      success: Onboarded.pipe(HttpApiSchema.status(201)),
      error: failures(
        "budget_exceeded",
        "login_taken",
        "onboarding_failed",
        "onboarding_in_progress",
        "organisation_name_taken",
        "unusable_name",
        "upstream_failed"
      )
    })
      .annotate(AnswersSecret, "new")
      .annotateMerge(
        described(
          "Onboard a tenant",
          "Creates a tenant whole or not at all: a project with the quotas of its tier, a network with a subnet and a " +
            "router, an object storage user, an account, and a first credential of permission tier 2. Only this " +
            "response has the secret of that credential. The tenant has no members; approve a signup to create a " +
            "tenant with an owner.\n\n" +
            "- It needs room in the sellable budget and a free name; otherwise it is a 409 and nothing is created. A name " +
            "that makes no slug of at least two characters, or a reserved one, is a 422; send `tenant_name`.\n" +
            "- It takes seconds, and after 90 seconds it turns back. When a step fails, or the client disconnects, " +
            "everything is removed again and the name is free. The 502 has the upstream's message, and `left` " +
            "names the parts that could not be removed yet.\n" +
            "- GET /v1/journal shows onboardings that are running or could not be removed completely."
        )
      )
      .middleware(Creates),
    HttpApiEndpoint.post("moveTier", "/tenants/:project_id/tier", {
      params: projectId,
      payload: TierRequest,
      success: TierMoved,
      error: failures(
        "budget_exceeded",
        "concurrent_deletion_state",
        "quota_write_failed",
        "tenant_not_found",
        "tier_move_in_progress",
        "upstream_failed"
      )
    }).annotateMerge(
      described(
        "Move a tenant to a tier",
        "Writes the quotas of the tier to every service, in a fixed order, and the project's tags last. A move ends a " +
          "suspension. Resources in use stay, also where they are above a smaller tier's limits.\n\n" +
          "- A larger tier needs room in the sellable budget, otherwise it is a 409 with the numbers.\n" +
          "- It takes seconds, and continues when the client disconnects. After 150 seconds it stops with a 502.\n" +
          "- When a service fails, the 502 lists the quotas written before and says whether the failure may pass. " +
          "Repeat the call to write the rest; a move to the tenant's own tier repairs its quotas.\n" +
          "- It is a 409 while another quota write of the tenant runs, and while the tenant is being deleted or " +
          "its account is closing."
      )
    ),
    HttpApiEndpoint.post("suspend", "/tenants/:project_id/suspend", {
      params: projectId,
      success: Suspended,
      error: failures("concurrent_deletion_state", "quota_write_failed", "tenant_not_found", "tier_move_in_progress")
    }).annotateMerge(
      described(
        "Suspend a tenant",
        "Refuses every creation in the tenant from now on, with a 403, and writes zero quotas to every service. " +
          "Running resources keep running and keep costing; reads, changes, power actions and deletions still " +
          "work. Block storage quotas stay at the present use. The tenant keeps its tier and its share of the " +
          "sellable budget.\n\n" +
          "Move the tenant to a tier, its own for example, to end the suspension. The times, the 502 and the 409 are " +
          "those of a move to a tier."
      )
    )
  )
  .annotateMerge(
    titled(
      "Tenants",
      "The tenants of the platform. A tenant is one project with its tier, quotas, credentials and members. Platform administrators create tenants, " +
        "move them between tiers and suspend them. The resources that all tenants were granted together stay inside the " +
        "platform's sellable budget."
    )
  )
  .pipe(operatorRoutes) {}
