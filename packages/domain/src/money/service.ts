import { type BadGateway, Conflict, NotFound, Unprocessable } from "@portico/contract/Failures"
import { Billing } from "@portico/upstream/billing/Billing"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { Effect } from "effect"
import { badGateway } from "../badGateway.ts"

/** The billing API. Fails with 404 on a cloud that has none, like every optional service. */
export const billingService = Effect.gen(function* () {
  const { api } = yield* Billing
  return api ?? (yield* NotFound.service("billing"))
})

/** Passes on a 409 or 422 with the service's own message. Everything else is a failure of the service. */
export const refusal = (
  error: UpstreamError
): Conflict<"billing_conflict"> | Unprocessable<"billing_refused"> | BadGateway<"upstream_failed"> => {
  if (error.status === 409) return Conflict.billing(error.detail)
  return error.status === 422 ? Unprocessable.billing(error.detail) : badGateway(error)
}
