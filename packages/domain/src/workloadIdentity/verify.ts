import { Unauthorized, Unavailable } from "@portico/contract/Failures"
import type { WorkloadIssuer } from "@portico/store/WorkloadIssuers"
import { Clock, Effect, Option, Result } from "effect"
import { decodeJwt, errors, jwtVerify } from "jose"
import { type Keys, KeySets } from "./KeySets.ts"

/** What clusters sign with. Anything else, `none` and the symmetric ones first of all, is refused by its name. */
const algorithms = ["RS256", "ES256"]

/** Seconds by which two clocks may differ. */
const clockTolerance = 30

/** A service account as Kubernetes writes it. */
const serviceAccount = /^system:serviceaccount:[a-z0-9-]{1,63}:[a-z0-9.-]{1,253}$/

/**
 * Whom a token says that it is from, which proves nothing: it only tells in
 * which mapping to look. Undefined for what is no token.
 */
export const claimedIssuer = (token: string): string | undefined => {
  const { iss } = Option.getOrElse(decoded(token), () => ({ iss: undefined }))
  return typeof iss === "string" ? iss : undefined
}

const decoded = Option.liftThrowable(decodeJwt)

/**
 * The subject of a service account's token (reference: Kubernetes, projected
 * tokens), when it is genuine, meant for us, fresh, and of an account that the
 * mapping lets in. Keys come from the mapping's endpoint and from nowhere
 * else: `jku`, `x5u`, `jwk` and `x5c` of the token are not looked at.
 *
 * Errors: 401 in the same words, whatever is wrong with it; 503 when the keys
 * cannot be had.
 */
export const verifiedSubject = Effect.fn("workloadIdentity.verify")(function* (token: string, issuer: WorkloadIssuer) {
  const keySets = yield* KeySets
  const keys = yield* keySets.get(issuer)
  const first = yield* judged(token, issuer, keys)
  if (first !== "no such key") return first
  // The cluster may have begun to sign with another one.
  const newer = yield* keySets.after(issuer, keys)
  const second = newer === undefined ? first : yield* judged(token, issuer, newer)
  return second === "no such key" ? yield* Unauthorized.subjectToken() : second
})

const judged = Effect.fnUntraced(function* (token: string, issuer: WorkloadIssuer, keys: Keys) {
  const now = yield* Clock.currentTimeMillis
  const verified = Effect.tryPromise({
    try: () =>
      jwtVerify(token, keys.find, {
        issuer: issuer.issuer,
        audience: issuer.audience,
        algorithms,
        requiredClaims: ["exp", "iat", "sub"],
        clockTolerance,
        maxTokenAge: issuer.max_lifetime_seconds,
        currentDate: new Date(now)
      }),
    catch: (error) => error
  })
  const result = yield* Effect.result(verified)
  if (Result.isSuccess(result)) {
    const { exp = Infinity, iat = 0, sub } = result.success.payload
    // Claims are what the cluster wrote, whatever their types say.
    const known = typeof sub === "string" && isKnown(issuer, sub)
    if (known && exp - iat <= issuer.max_lifetime_seconds) return { subject: sub }
    return yield* Unauthorized.subjectToken()
  }
  if (result.failure instanceof errors.JWKSNoMatchingKey) return "no such key"
  // The endpoint hands out what is no public key: nothing is said of the token.
  if (result.failure instanceof errors.JWKSInvalid) return yield* Unavailable.issuerUnreachable()
  return yield* Unauthorized.subjectToken()
})

const isKnown = ({ subjects }: WorkloadIssuer, subject: string): boolean =>
  serviceAccount.test(subject) && subjects.some((pattern) => fits(pattern, subject))

/** A `*` stands for any run of letters in its own part; there is one in each part at most, so that this takes no time. */
const fits = (pattern: string, subject: string): boolean => {
  const parts = subject.split(":")
  return pattern.split(":").every((wanted, i) => {
    const part = parts[i] ?? ""
    const [before = "", after] = wanted.split("*")
    return after === undefined
      ? part === before
      : part.length >= before.length + after.length && part.startsWith(before) && part.endsWith(after)
  })
}
