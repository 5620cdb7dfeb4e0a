import { tidied } from "@portico/contract/EmailAddress"
import { TooManyRequests } from "@portico/contract/Failures"
import type { SignupReceived, SignupRequest } from "@portico/contract/Signups"
import { Signups } from "@portico/store/Signups"
import { Effect, Option } from "effect"
import { randomUUID } from "node:crypto"
import { siteOf } from "../access/networks.ts"
import { SignupLimits } from "./SignupLimits.ts"

/** The answer to every signup. It is always the same, so it does not disclose who uses the service. */
const received: SignupReceived = {
  status: "received",
  detail:
    "Thank you, the signup was received. If it is approved, an e-mail with a link goes to its address. " +
    "If your organisation uses the service already, nobody has to approve anything: ask its owner to invite you."
}

/**
 * Queues a signup: one row and nothing else. The answer and the work are the
 * same for an address that is new, queued, known, or has sent too many signups.
 *
 * @param source the client's IP address, if the connection is still open
 *
 * Errors: 429 when too many came from that IP address, or in total.
 */
export const requestSignup = Effect.fn("signups.request")(function* (
  { email, org_name }: SignupRequest,
  source: string | undefined
) {
  const { permits, limits } = yield* SignupLimits
  const signups = yield* Signups
  const name = org_name.trim()
  const signup = { signup_id: `signup-${randomUUID()}`, email: tidied(email), org_name: name, org_key: keyOf(name) }
  const admitted = yield* permits.withPermitsIfAvailable(1)(signups.request(signup, siteOf(source ?? ""), limits))
  return Option.getOrElse(admitted, () => false) ? received : yield* TooManyRequests.rateLimited("signups")
})

/** Normalises a name: two spellings of it are one organisation. */
const keyOf = (name: string): string => name.normalize("NFKC").toLowerCase().replaceAll(/\s+/gu, " ")
