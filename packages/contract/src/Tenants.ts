import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { AnswersSecret, Authenticated, MinimumTier, PlatformAdmin, Validated, WellFormed } from "./Access.ts"
import { AdmissionNumbers } from "./Admission.ts"
import { failures } from "./Failures.ts"
import { Creates, OneTime } from "./Idempotency.ts"
import { pageFields, pageQuery } from "./Page.ts"
import { Tier } from "./Tiers.ts"

/** An organisation's name as people write it. The slug is derived from it, see docs/operators/onboarding.md. */
export const OrganisationName = Schema.String.check(
  Schema.isMinLength(1),
  Schema.isMaxLength(200),
  // Lone surrogates and control characters cannot be stored or displayed in every system.
  Schema.isPattern(/^[^\p{Cc}\p{Cs}]*$/u, { expected: "a string without control characters" })
)

export const OnboardRequest = Schema.Struct({
  name: OrganisationName,
  tier: Tier.pipe(Schema.withDecodingDefaultKey(Effect.succeed("discovery" as const))),
  tenant_name: Schema.optionalKey(OrganisationName)
}).annotate({ identifier: "OnboardRequest" })
export type OnboardRequest = typeof OnboardRequest.Type

const NovaQuotas = Schema.Struct({ cores: Schema.Int, ram: Schema.Int, instances: Schema.Int })
const CinderQuotas = Schema.Struct({
  volumes: Schema.Int,
  gigabytes: Schema.Int,
  backups: Schema.Int,
  backup_gigabytes: Schema.Int
})
const NeutronQuotas = Schema.Struct({ network: Schema.Int, router: Schema.Int, floatingip: Schema.Int })
const OctaviaQuotas = Schema.Struct({ loadbalancer: Schema.Int })

export const TenantNetwork = Schema.Struct({
  network_id: Schema.String,
  subnet_id: Schema.String,
  router_id: Schema.String,
  external_network_id: Schema.String
}).annotate({ identifier: "TenantNetwork" })
export type TenantNetwork = typeof TenantNetwork.Type

export const Onboarded = Schema.Struct({
  tenant: Schema.Struct({
    slug: Schema.String,
    project_id: Schema.String,
    project_name: Schema.String,
    tier: Tier,
    quotas: Schema.Struct({ nova: NovaQuotas, cinder: CinderQuotas, neutron: NeutronQuotas }),
    network: TenantNetwork
  }),
  credential: Schema.Struct({
    id: Schema.String,
    tier: Schema.Literal(2),
    client_id: Schema.String,
    /** Only in this response: it is not stored. */
    client_secret: OneTime
  }),
  admission: AdmissionNumbers
}).annotate({ identifier: "Onboarded" })
export type Onboarded = typeof Onboarded.Type

export const TenantRow = Schema.Struct({
  project_id: Schema.String,
  slug: Schema.String,
  /** The platform's name of the project, which confirms a deletion. */
  project_name: Schema.String,
  /** The organisation's name. */
  tenant_name: Schema.String,
  /** The same as `tenant_name`. */
  name: Schema.String,
  tier: Tier,
  suspended: Schema.Boolean,
  /** The tier of a quota write that stopped half way; posting it again repairs. Null when there is none. */
  pending_tier: Schema.NullOr(Schema.String),
  created_at: Schema.String
}).annotate({ identifier: "Tenant" })
export type TenantRow = typeof TenantRow.Type

/** A tenant that is being onboarded. Its project may still be rolled back; the journal has the details. */
export const PendingTenant = Schema.Struct({
  state: Schema.Literal("pending"),
  attempt_id: Schema.String,
  slug: Schema.String,
  name: Schema.String,
  tier: Tier,
  started_at: Schema.String
}).annotate({ identifier: "PendingTenant" })
export type PendingTenant = typeof PendingTenant.Type

export const TierRequest = Schema.Struct({ tier: Tier }).annotate({ identifier: "TierRequest" })

/** What a quota write applied. `cinder_held_at_usage` names the keys that stayed at the current usage. */
export const AppliedQuotas = Schema.Struct({
  nova: NovaQuotas,
  cinder: CinderQuotas,
  cinder_held_at_usage: Schema.Array(Schema.String),
  neutron: NeutronQuotas,
  octavia: OctaviaQuotas,
  object_storage: Schema.Struct({
    max_buckets: Schema.Int,
    max_size: Schema.Int,
    max_objects: Schema.Int
  })
}).annotate({ identifier: "AppliedQuotas" })
export type AppliedQuotas = typeof AppliedQuotas.Type

export const TierMoved = Schema.Struct({
  tenant: TenantRow,
  applied: AppliedQuotas,
  admission: AdmissionNumbers
}).annotate({ identifier: "TierMoved" })
export type TierMoved = typeof TierMoved.Type

export const Suspended = Schema.Struct({ tenant: TenantRow, applied: AppliedQuotas }).annotate({
  identifier: "Suspended"
})
export type Suspended = typeof Suspended.Type

const projectId = { project_id: Schema.String }

/** Operator plane. */
export class Tenants extends HttpApiGroup.make("tenants")
  .add(
    HttpApiEndpoint.get("list", "/tenants", {
      query: pageQuery,
      success: Schema.Struct({
        ...pageFields,
        tenants: Schema.Array(TenantRow),
        /** All onboardings under way, oldest first. They are not part of the pages. */
        pending: Schema.Array(PendingTenant)
      }).annotate({ identifier: "TenantList" })
    }),
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
    }),
    HttpApiEndpoint.post("suspend", "/tenants/:project_id/suspend", {
      params: projectId,
      success: Suspended,
      error: failures("concurrent_deletion_state", "quota_write_failed", "tenant_not_found", "tier_move_in_progress")
    })
  )
  // The role decides; an administrator holds tier 2.
  .annotateEndpoints(MinimumTier, 0)
  .middleware(WellFormed)
  .middleware(PlatformAdmin)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}
