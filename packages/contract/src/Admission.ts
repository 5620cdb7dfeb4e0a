import { Schema } from "effect"
import { Tier } from "./Tiers.ts"

/** The dimensions of a tier that count against the sellable budget. Memory and storage are in GiB. */
export const Dimension = Schema.Literals(["cores", "ram_gib", "block_gib", "object_gib", "floating_ips"])
export type Dimension = typeof Dimension.Type

/**
 * One dimension of an admission: what the tier requests, what all tenants were
 * granted before, the sellable limit, and what was left before.
 */
export const AdmissionRow = Schema.Struct({
  dimension: Dimension,
  requested: Schema.Int,
  used: Schema.Int,
  limit: Schema.Int,
  remaining: Schema.Int,
  remaining_after: Schema.Int
}).annotate({ identifier: "AdmissionRow" })
export type AdmissionRow = typeof AdmissionRow.Type

/** The same shape in a success, in a refusal and in GET /v1/signups/capacity. */
export const AdmissionNumbers = Schema.Struct({
  tier: Tier,
  admitted: Schema.Boolean,
  dimensions: Schema.Array(AdmissionRow)
}).annotate({ identifier: "AdmissionNumbers" })
export type AdmissionNumbers = typeof AdmissionNumbers.Type
