import { createHash } from "node:crypto"
import { type Answer, type Incoming, json } from "../Wire.ts"
import { publishedKeys, type SigningKey, signedJwt, signingKey } from "../rsaKeys.ts"
import type { World } from "../World.ts"
import { issuerOf } from "./introspect.ts"
import type { Token } from "./state.ts"

/** Stock lifetime of an instance. */
const idTokenSeconds = 12 * 60 * 60

const keyOf = ({ zitadel }: World): SigningKey => signingKey(zitadel.signingKey)

/** The keys for verifiers of ID tokens. */
export const keys = ({ world }: Incoming): Answer => json(200, publishedKeys([keyOf(world)]))

/** The ID token of a login. Without the setting that puts the profile in it, it names the user by id alone. */
export const idTokenOf = (incoming: Incoming, token: Token, nonce: string | null): string => {
  // Libraries of clients compare it with the machine's clock, also where a test's clock stands still.
  const wallClock = performance.timeOrigin + performance.now()
  const seconds = Math.floor(Math.max(incoming.now, wallClock) / 1000)
  const hash = createHash("sha256").update(token.accessToken).digest()
  return signedJwt(keyOf(incoming.world), {
    iss: issuerOf(incoming),
    aud: token.audience,
    exp: seconds + idTokenSeconds,
    iat: seconds,
    ...(nonce === null ? {} : { nonce }),
    azp: token.clientId,
    client_id: token.clientId,
    // OpenID Connect Core 1.0, section 3.1.3.6: the left half of the hash.
    at_hash: hash.subarray(0, hash.length / 2).toString("base64url"),
    sub: token.userId
  })
}
