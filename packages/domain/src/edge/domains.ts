import { plainDomain } from "@portico/contract/Edge"
import { Conflict, Unprocessable } from "@portico/contract/Failures"
import { Exposures } from "@portico/store/Exposures"
import { Resolver } from "@portico/upstream/dns/Resolver"
import { Effect } from "effect"
import { domainToASCII, domainToUnicode } from "node:url"
import { EdgeSettings } from "./EdgeSettings.ts"
import { challengeName } from "./list.ts"

/**
 * The canonical form of a domain that a tenant may expose.
 *
 * Errors: 422 for the platform's own names and all below them, and for an invalid `xn--` label.
 */
export const foreignDomain = Effect.fnUntraced(function* (text: string) {
  const { reserved } = yield* EdgeSettings
  const domain = plainDomain(text)
  if (!domain.split(".").every(isCanonicalLabel)) {
    return yield* Unprocessable.exposureDomain("one of its labels is not the xn-- form of any name")
  }
  if (reserved.some((_) => domain === _ || domain.endsWith(`.${_}`))) {
    return yield* Unprocessable.exposureDomain("it lies within the platform's own names")
  }
  return domain
})

/**
 * Whether a label that starts with `xn--` is the canonical form of a name (RFC 5891, section 5.4);
 * true for any other label.
 */
const isCanonicalLabel = (label: string): boolean => {
  const name = domainToUnicode(label)
  return !label.startsWith("xn--") || (name !== label && domainToASCII(name) === label)
}

/**
 * The values of the TXT records at the domain's challenge name.
 *
 * Errors: UpstreamError.
 */
export const proofsOf = Effect.fnUntraced(function* (domain: string) {
  return (yield* (yield* Resolver).txt(challengeName(domain))).map((_) => _.trim())
})

/**
 * The challenge of another tenant's verified claim whose TXT record is gone, so it no longer blocks
 * the domain; undefined without such a claim. The claim stays until another tenant proves the name.
 *
 * Errors: 409 while the other tenant's record exists, and when the name servers cannot tell.
 */
export const staleClaim = Effect.fnUntraced(function* (domain: string, projectId: string) {
  const challenge = yield* (yield* Exposures).challengeOfOther(domain, projectId)
  if (challenge === undefined) return undefined
  const proofs = yield* Effect.catchTag(proofsOf(domain), "UpstreamError", () => Conflict.domainClaimed())
  return proofs.includes(challenge) ? yield* Conflict.domainClaimed() : challenge
})
