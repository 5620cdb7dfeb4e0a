import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Authenticated, MinimumTier, PlatformAdmin, Validated, WellFormed } from "./Access.ts"
import { AdmissionNumbers } from "./Admission.ts"
import { BadGateway } from "./Failures.ts"

/** The sellable budget before and after one more tenant of each tier. */
export const Capacity = Schema.Struct({
  tenants: Schema.Struct({ discovery: Schema.Int, standard: Schema.Int, extension: Schema.Int }),
  tiers: Schema.Array(AdmissionNumbers)
}).annotate({ identifier: "Capacity" })
export type Capacity = typeof Capacity.Type

/** Operator plane. */
export class Signups extends HttpApiGroup.make("signups")
  .add(HttpApiEndpoint.get("capacity", "/signups/capacity", { success: Capacity, error: BadGateway }))
  // The role decides, and an administrator holds tier 2.
  .annotateEndpoints(MinimumTier, 0)
  .middleware(WellFormed)
  .middleware(PlatformAdmin)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}
