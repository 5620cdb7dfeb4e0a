import { DateTime, Duration, Schema } from "effect"
import { moment } from "./rows.ts"

/**
 * Why an exposure is being removed. `deletion`: the tenant deleted it.
 * `rollback`: its creation failed, and then its claim counts as never made.
 */
export const Removing = Schema.Literals(["deletion", "rollback"])
export type Removing = typeof Removing.Type

const exposure = {
  exposure_id: Schema.String,
  project_id: Schema.String,
  name: Schema.String,
  hostname: Schema.String,
  /** One of service and address is null. */
  service: Schema.NullOr(Schema.String),
  address: Schema.NullOr(Schema.String),
  port: Schema.Int,
  domain: Schema.NullOr(Schema.String),
  lost: Schema.Boolean,
  removing: Schema.NullOr(Removing),
  due_at: moment,
  created_at: moment
}

/** The columns of the table. */
export const ExposureRow = Schema.Struct(exposure)
export type ExposureRow = typeof ExposureRow.Type

/**
 * An exposure with its claim. The claim's columns are null without a domain,
 * and when another exposure has taken the claim over.
 */
export const ExposureEntry = Schema.Struct({
  ...exposure,
  challenge: Schema.NullOr(Schema.String),
  claimed_at: Schema.NullOr(moment),
  held_until: Schema.NullOr(moment),
  verified_at: Schema.NullOr(moment)
})
export type ExposureEntry = typeof ExposureEntry.Type

export type NewExposure = Omit<ExposureRow, "lost" | "removing" | "due_at" | "created_at">

export const ClaimRow = Schema.Struct({
  domain: Schema.String,
  project_id: Schema.String,
  exposure_id: Schema.NullOr(Schema.String),
  challenge: Schema.String,
  claimed_at: moment,
  held_until: Schema.NullOr(moment),
  verified_at: Schema.NullOr(moment),
  released_at: Schema.NullOr(moment)
})
export type ClaimRow = typeof ClaimRow.Type

/** A claim, and whether its exposure is being removed. */
export const ClaimInUse = Schema.Struct({ ...ClaimRow.fields, removing: Schema.NullOr(Removing) })
export type ClaimInUse = typeof ClaimInUse.Type

/** How long a released claim is kept as the record that a tenant claimed the name before. */
export const claimRetention = Duration.days(30)

/**
 * The delay before a new exposure is reconciled first. By then its creation is
 * mostly done, and otherwise holds the lease.
 */
export const firstDueAfter = Duration.seconds(5)

/** The reconcile interval by the kind of target. */
export interface Intervals {
  readonly address: Duration.Duration
  readonly service: Duration.Duration
}

/** A tenant's attempt to claim a name. */
export interface Claiming {
  readonly project_id: string
  /** The value of the TXT record that proves the claim. */
  readonly challenge: string
  /** How long the first claim of a name blocks other tenants. */
  readonly hold: Duration.Duration
  /** The challenge of a verified claim whose TXT record is gone, and which therefore blocks no other tenant. */
  readonly overlooking: string | undefined
}

/**
 * Decides whether a name can be claimed, given all stored claims of it, and
 * until when the claim blocks other tenants. Only the first claim of a name
 * does that: repeated claims cannot block the true owner.
 *
 * `claimed`: another tenant has it. `in_use`: another exposure of the tenant
 * has it. `busy`: an exposure of the tenant that has it is being removed.
 */
export const claimable = (
  claims: ReadonlyArray<ClaimInUse>,
  { hold, overlooking, project_id }: Claiming,
  now: DateTime.Utc
): "claimed" | "in_use" | "busy" | { readonly held_until: DateTime.Utc | null } => {
  const live = claims.filter((_) => _.released_at === null)
  const others = live.filter((_) => _.project_id !== project_id)
  if (others.some((_) => blocks(_, overlooking, now))) return "claimed"
  const own = live.find((_) => _.project_id === project_id)
  if (own !== undefined && own.removing === null) return "in_use"
  if (own?.removing === "deletion") return "busy"
  // The claim of a failed creation passes on, with its original hold.
  if (own !== undefined) return { held_until: own.held_until }
  return { held_until: claims.length === 0 ? DateTime.addDuration(now, hold) : null }
}

const blocks = (claim: ClaimRow, overlooking: string | undefined, now: DateTime.Utc): boolean =>
  claim.verified_at !== null
    ? claim.challenge !== overlooking
    : claim.held_until !== null && DateTime.isGreaterThan(claim.held_until, now)

/**
 * Decides whether a claim can be verified now, and which verified claim it
 * displaces. `gone`: the claim was released or taken over since it was read.
 * `claimed`: another tenant has verified the name.
 */
export const provable = (
  claims: ReadonlyArray<ClaimRow>,
  { exposureId, overlooking }: { readonly exposureId: string; readonly overlooking: string | undefined }
): "gone" | "claimed" | { readonly displaced: ClaimRow | undefined } => {
  const own = claims.find((_) => _.exposure_id === exposureId)
  if (own === undefined) return "gone"
  const verified = claims.find((_) => _.verified_at !== null && _.exposure_id !== exposureId)
  return verified === undefined || verified.challenge === overlooking ? { displaced: verified } : "claimed"
}

/** True for the first claim of a name whose creation failed: it counts as never made. */
export const isForgotten = (claim: Pick<ClaimRow, "held_until">, removing: Removing | null): boolean =>
  removing === "rollback" && claim.held_until !== null
