import { type BadGateway, Conflict, NotFound, Unprocessable } from "@portico/contract/Failures"
import { Billing } from "@portico/upstream/billing/Billing"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { Effect } from "effect"
import { badGateway } from "../badGateway.ts"

/** The billing service; 404 on a cloud that has none, as for any service that a cloud may lack. */
export const billingService = Effect.gen(function* () {
  const { api } = yield* Billing
  return api ?? (yield* NotFound.service("billing"))
})

/** A refusal of what was asked goes on in the service's own words; everything else is its failure. */
export const refusal = (
  error: UpstreamError
): Conflict<"billing_conflict"> | Unprocessable<"billing_refused"> | BadGateway<"upstream_failed"> => {
  if (error.status === 409) return Conflict.billing(error.words)
  return error.status === 422 ? Unprocessable.billing(error.words) : badGateway(error)
}
