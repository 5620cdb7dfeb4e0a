import { Unauthorized, Unavailable } from "@portico/contract/Failures"
import type { WorkloadIssuer } from "@portico/store/WorkloadIssuers"
import { Clock, Effect, Option, Result } from "effect"
import { decodeJwt, errors, jwtVerify } from "jose"
import { type Keys, KeySets } from "./KeySets.ts"

/**
 * The algorithms of clusters, and that of other providers with Ed25519 under both its names (RFC 8037, RFC 9864). Every
 * other one is refused by its name, `none` and the symmetric ones above all.
 */
const algorithms = ["RS256", "ES256", "EdDSA", "Ed25519"]

/** Seconds by which two clocks may differ. */
const clockTolerance = 30

/** The subject of a service account in Kubernetes. */
const serviceAccount = /^system:serviceaccount:[a-z0-9-]{1,63}:[a-z0-9.-]{1,253}$/

/**
 * The issuer that a token claims. The claim proves nothing: it only selects the
 * mapping. Undefined for a string that is no token.
 */
export const claimedIssuer = (token: string): string | undefined => {
  const { iss } = Option.getOrElse(decoded(token), () => ({ iss: undefined }))
  return typeof iss === "string" ? iss : undefined
}

const decoded = Option.liftThrowable(decodeJwt)

/**
 * The subject of a service account's token (reference: Kubernetes, projected
 * tokens), when the token is genuine, issued for this gateway, fresh, and of an
 * account that the mapping admits. Keys come only from the mapping's endpoint:
 * `jku`, `x5u`, `jwk` and `x5c` of the token are ignored.
 *
 * Errors: the same 401 whatever is wrong with the token; 503 when the keys
 * cannot be fetched.
 */
export const verifiedSubject = Effect.fn("workloadIdentity.verify")(function* (token: string, issuer: WorkloadIssuer) {
  const keySets = yield* KeySets
  const keys = yield* keySets.get(issuer)
  const first = yield* verifyWith(token, issuer, keys)
  if (first !== "no such key") return first
  // The cluster may have begun to sign with another key.
  const newer = yield* keySets.after(issuer, keys)
  const second = newer === undefined ? first : yield* verifyWith(token, issuer, newer)
  return second === "no such key" ? yield* Unauthorized.subjectToken() : second
})

const verifyWith = Effect.fnUntraced(function* (token: string, issuer: WorkloadIssuer, keys: Keys) {
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
    // The cluster wrote the claims: their types are not guaranteed.
    const known = typeof sub === "string" && isKnown(issuer, sub)
    if (known && exp - iat <= issuer.max_lifetime_seconds) return { subject: sub }
    return yield* Unauthorized.subjectToken()
  }
  if (result.failure instanceof errors.JWKSNoMatchingKey) return "no such key"
  // The endpoint returned something that is not a public key, which says nothing about the token.
  if (result.failure instanceof errors.JWKSInvalid) return yield* Unavailable.issuerUnreachable()
  return yield* Unauthorized.subjectToken()
})

const isKnown = ({ subjects }: WorkloadIssuer, subject: string): boolean =>
  serviceAccount.test(subject) && subjects.some((pattern) => fits(pattern, subject))

/** A `*` matches any characters within its part. Each part has at most one, so matching takes linear time. */
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
