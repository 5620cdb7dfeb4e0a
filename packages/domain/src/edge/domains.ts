import { plainDomain } from "@portico/contract/Edge"
import { Conflict, Unprocessable } from "@portico/contract/Failures"
import { Exposures } from "@portico/store/Exposures"
import { Resolver } from "@portico/upstream/dns/Resolver"
import { Effect } from "effect"
import { domainToASCII, domainToUnicode } from "node:url"
import { EdgeSettings } from "./EdgeSettings.ts"
import { challengeName } from "./view.ts"

/**
 * A domain that a tenant may expose, in the spelling in which it is kept.
 *
 * Errors: 422 for the platform's own names and all below them, and for an
 * `xn--` label that stands for nothing.
 */
export const foreignDomain = Effect.fnUntraced(function* (text: string) {
  const { reserved } = yield* EdgeSettings
  const domain = plainDomain(text)
  if (!domain.split(".").every(standsForItself)) {
    return yield* Unprocessable.exposureDomain("one of its labels is not the xn-- form of any name")
  }
  if (reserved.some((_) => domain === _ || domain.endsWith(`.${_}`))) {
    return yield* Unprocessable.exposureDomain("it lies within the platform's own names")
  }
  return domain
})

/** Of an `xn--` label there is a name that it is the one form of (RFC 5891, section 5.4). */
const standsForItself = (label: string): boolean => {
  const name = domainToUnicode(label)
  return !label.startsWith("xn--") || (name !== label && domainToASCII(name) === label)
}

/** The values of the TXT records that prove the domain. Errors: UpstreamError. */
export const proofsOf = Effect.fnUntraced(function* (domain: string) {
  return (yield* (yield* Resolver).txt(challengeName(domain))).map((_) => _.trim())
})

/**
 * The challenge of another tenant's verified claim whose record is gone, and
 * which is therefore nobody's in the way; undefined when there is no such
 * claim. It stays until somebody else proves the name.
 *
 * Errors: 409 while the other's record is there, and when nobody can tell.
 */
export const staleClaim = Effect.fnUntraced(function* (domain: string, projectId: string) {
  const challenge = yield* (yield* Exposures).challengeOfOther(domain, projectId)
  if (challenge === undefined) return undefined
  const proofs = yield* Effect.catchTag(proofsOf(domain), "UpstreamError", () => Conflict.domainClaimed())
  return proofs.includes(challenge) ? yield* Conflict.domainClaimed() : challenge
})
