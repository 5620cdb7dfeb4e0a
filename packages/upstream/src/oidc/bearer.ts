import { Schema } from "effect"

/** The `token_type` of an answer with a token that is used as a Bearer. It is compared without case (RFC 6749, section 5.1). */
export const BearerType = Schema.String.check(Schema.isPattern(/^bearer$/i, { expected: "Bearer" }))

/** Seconds by which two clocks may differ. */
const clockTolerance = 30

/**
 * What an answer may say of the kind of a token, lower case. `token_type` is of RFC 7662; `typ` is Keycloak's claim,
 * or RFC 9068's type where a provider repeats it; `token_use` is Hydra's and Cognito's.
 */
const kinds: Readonly<Record<string, ReadonlySet<string>>> = {
  token_type: new Set(["bearer"]),
  typ: new Set(["bearer", "at+jwt", "application/at+jwt", "jwt"]),
  token_use: new Set(["access", "access_token"])
}

/**
 * Whether an introspection answer (RFC 7662) is of an access token that whoever holds it may use now. Providers call
 * refresh tokens, ID tokens and tokens that are bound to a key active too, with the user, the roles and the audience
 * beside it; so every claim that says what the token is has to fit.
 *
 * RFC 7662, section 2.2, makes all of them optional.
 *
 * @param claims the members of the answer
 * @param now milliseconds since the epoch
 */
export const isBearer = (claims: Readonly<Record<string, unknown>>, now: number): boolean => {
  const { cnf, exp, nbf } = claims
  const seconds = now / 1000
  return (
    Object.entries(kinds).every(([name, allowed]) => isOneOf(claims[name], allowed)) &&
    // A token that is bound to a key proves nothing without the proof (RFC 7800, RFC 8705, RFC 9449).
    (cnf === undefined || cnf === null) &&
    !(typeof exp === "number" && exp + clockTolerance <= seconds) &&
    !(typeof nbf === "number" && nbf - clockTolerance > seconds)
  )
}

const isOneOf = (said: unknown, allowed: ReadonlySet<string>): boolean =>
  said === undefined || (typeof said === "string" && allowed.has(said.toLowerCase()))
