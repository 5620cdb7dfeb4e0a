import { DateTime, Duration, Schema } from "effect"
import { moment } from "./rows.ts"

/**
 * Why an exposure is on its way out: somebody deleted it, or its creation
 * failed, and then its claim counts as never made.
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

/** As the table has it. */
export const ExposureRow = Schema.Struct(exposure)
export type ExposureRow = typeof ExposureRow.Type

/** With its claim; the claim's columns are null without a domain, and when another exposure has taken the claim over. */
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

/** A claim, and whether its exposure is on its way out. */
export const ClaimInUse = Schema.Struct({ ...ClaimRow.fields, removing: Schema.NullOr(Removing) })
export type ClaimInUse = typeof ClaimInUse.Type

/** For so long it is remembered that a tenant claimed a name before. */
export const remembered = Duration.days(30)

/** Before a new exposure is looked at for the first time, whoever creates it is mostly done, and holds the lease if not. */
export const firstLook = Duration.seconds(5)

/** After how long an exposure is due again, by what its target is. */
export interface Intervals {
  readonly address: Duration.Duration
  readonly service: Duration.Duration
}

/** What somebody wants to claim. */
export interface Claiming {
  readonly project_id: string
  /** The value of its TXT record. */
  readonly challenge: string
  /** How long the first claim of a name keeps others from it. */
  readonly hold: Duration.Duration
  /** The challenge of a verified claim whose record is gone, and which therefore keeps nobody out. */
  readonly overlooking: string | undefined
}

/**
 * Whether a name can be claimed, given all claims of it that are remembered;
 * and until when the claim keeps others from it. Only the first claim of a
 * name does that: nobody can block the true owner by claiming again and again.
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
  // What a failed creation has claimed is claimed on, for as long as it was.
  if (own !== undefined) return { held_until: own.held_until }
  return { held_until: claims.length === 0 ? DateTime.addDuration(now, hold) : null }
}

const blocks = (claim: ClaimRow, overlooking: string | undefined, now: DateTime.Utc): boolean =>
  claim.verified_at !== null
    ? claim.challenge !== overlooking
    : claim.held_until !== null && DateTime.isGreaterThan(claim.held_until, now)

/**
 * Whether a claim can be proved now, and which verified claim ends with it.
 * `gone`: it was released or taken over since it was read. `claimed`: another
 * tenant has proved the name.
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

/** A claim of a creation that failed was the first of its name: then it is as if it had never been made. */
export const isForgotten = (claim: Pick<ClaimRow, "held_until">, removing: Removing | null): boolean =>
  removing === "rollback" && claim.held_until !== null
