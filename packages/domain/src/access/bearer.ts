import { Unauthorized } from "@portico/contract/Failures"
import { Effect } from "effect"
import { PresentedToken } from "./PresentedToken.ts"

/** RFC 6750: the scheme in any case, then one token68. */
const bearer = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i

/** The token of an Authorization header, or the 401 for a missing or malformed one. */
export const bearerToken = (
  header: string | undefined
): Effect.Effect<PresentedToken, Unauthorized<"missing_authorization">> => {
  const token = header === undefined ? undefined : bearer.exec(header)?.[1]
  return token === undefined ? Effect.fail(Unauthorized.missingBearer()) : Effect.succeed(new PresentedToken(token))
}
