import type { Caller } from "@portico/contract/Access"
import { Conflict, Forbidden, NotFound } from "@portico/contract/Failures"
import type { BillingGrant } from "@portico/contract/Org"
import { Members } from "@portico/store/Members"
import { Tenants } from "@portico/store/Tenants"
import { Humans } from "@portico/upstream/zitadel/Humans"
import { Effect } from "effect"
import { Records } from "../access/Records.ts"
import { badGateway } from "../badGateway.ts"
import { projectOf } from "../access/reach.ts"
import { namesOf, toWire } from "./row.ts"

/**
 * Gives a member access to the account's costs, or takes it away, for the
 * member and for all credentials that the member made. Every process is
 * notified at once; none uses the old record for longer than 60 seconds.
 *
 * Errors: 403 for everybody but the account's owners and platform
 * administrators; the same 404 for an unknown user and for another account's;
 * 409 when it is to be taken from an owner; 502 when the identity provider does
 * not say who the user is, and then nothing was changed.
 */
export const setBilling = Effect.fn("org.setBilling")(function* (
  caller: Caller,
  userId: string,
  { billing_access }: BillingGrant
) {
  if (!caller.admin && caller.role !== "customer-owner") return yield* Forbidden.ownerRequired()
  const members = yield* Members
  const row = yield* members.find(userId, projectOf(caller))
  if (row === undefined || row.state !== "active") return yield* NotFound.user(userId)
  if (row.role === "customer-owner" && !billing_access) return yield* Conflict.ownerSeesBilling()
  const human = yield* Effect.mapError((yield* Humans).find(userId), badGateway)
  const tenant = yield* (yield* Tenants).find(row.project_id)
  const changed = yield* members.setBilling(userId, billing_access)
  yield* (yield* Records).forgetMaker(row)
  return yield* changed === undefined ? NotFound.user(userId) : Effect.succeed(toWire(changed, namesOf(tenant), human))
})
