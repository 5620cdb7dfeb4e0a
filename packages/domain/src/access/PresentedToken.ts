import { Unauthorized } from "@portico/contract/Failures"
import { Effect, Equal, Hash, Redacted } from "effect"
import { hash } from "node:crypto"

/** RFC 6750: the scheme in any case, then one token68. */
const bearer = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i

/** The token of an Authorization header, or the 401 for a missing or malformed one. */
export const bearerToken = (
  header: string | undefined
): Effect.Effect<PresentedToken, Unauthorized<"missing_authorization">> => {
  const token = header === undefined ? undefined : bearer.exec(header)?.[1]
  return token === undefined ? Effect.fail(Unauthorized.missingBearer()) : Effect.succeed(new PresentedToken(token))
}

/** SHA-256, base64url: caches and tables identify tokens by it. */
export const hashOf = (token: Redacted.Redacted): string => sha256(Redacted.value(token))

const sha256 = (token: string): string => hash("sha256", token, "base64url")

/**
 * A token as a client presents it. Two are equal when their hashes are. A private field holds the
 * token, so nothing prints it. A `Redacted` would be an entry in a weak map, and every request
 * would leave one to the garbage collector.
 */
export class PresentedToken implements Equal.Equal {
  readonly #token: string
  readonly hash: string

  constructor(token: string) {
    this.#token = token
    this.hash = sha256(token)
  }

  static readonly of = (token: Redacted.Redacted): PresentedToken => new PresentedToken(Redacted.value(token))

  /** For tokens that are recognized by their prefix. */
  startsWith(prefix: string): boolean {
    return this.#token.startsWith(prefix)
  }

  /** For callers that pass it on. */
  get redacted(): Redacted.Redacted {
    return Redacted.make(this.#token)
  }

  [Hash.symbol](): number {
    return Hash.string(this.hash)
  }

  [Equal.symbol](that: Equal.Equal): boolean {
    return that instanceof PresentedToken && that.hash === this.hash
  }
}
