import { Schema } from "effect"
import { meanings } from "./describe.ts"
import { Tier } from "./Tiers.ts"

export const Dimension = meanings("A resource of a tier that counts against the sellable budget, with its unit.", {
  cores: "Virtual CPU cores.",
  ram_gib: "Memory, in GiB.",
  block_gib: "Block storage, in GiB.",
  object_gib: "Object storage, in GiB.",
  floating_ips: "Floating IP addresses."
})
export type Dimension = typeof Dimension.Type

export const AdmissionRow = Schema.Struct({
  dimension: Dimension,
  requested: Schema.Int.annotateKey({ description: "The share of one tenant of the tier, in the dimension's unit." }),
  used: Schema.Int.annotateKey({
    description: "The sum granted to all other tenants and to unfinished onboardings, in the dimension's unit."
  }),
  limit: Schema.Int.annotateKey({ description: "The sellable budget, in the dimension's unit." }),
  remaining: Schema.Int.annotateKey({
    description: "`limit` minus `used`. Below zero when more was granted than can be sold."
  }),
  remaining_after: Schema.Int.annotateKey({ description: "`remaining` minus `requested`." })
}).annotate({ identifier: "AdmissionRow", description: "One dimension of the sellable budget, before and after." })
export type AdmissionRow = typeof AdmissionRow.Type

export const AdmissionNumbers = Schema.Struct({
  tier: Tier.annotateKey({ description: "The tier that is asked for." }),
  admitted: Schema.Boolean.annotateKey({
    description:
      "Whether the tier fits into the sellable budget. A tenant that moves is never refused for a dimension that does " +
      "not grow."
  }),
  dimensions: Schema.Array(AdmissionRow).annotateKey({ description: "The numbers, one entry for each dimension." })
}).annotate({
  identifier: "AdmissionNumbers",
  description: "Whether one more tenant of a tier fits into the platform's sellable budget, with the numbers."
})
export type AdmissionNumbers = typeof AdmissionNumbers.Type
