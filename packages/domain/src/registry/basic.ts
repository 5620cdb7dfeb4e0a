import { Redacted } from "effect"

/** RFC 7617. Clients of registries encode the pair as UTF-8. */
const header = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i

/** The user name and password of an Authorization header; undefined for none. The name ends at the first colon. */
export const basicCredentials = (
  authorization: string | undefined
): { readonly user: string; readonly password: Redacted.Redacted } | undefined => {
  const encoded = authorization === undefined ? undefined : header.exec(authorization)?.[1]
  if (encoded === undefined) return undefined
  const pair = Buffer.from(encoded, "base64").toString("utf8")
  const colon = pair.indexOf(":")
  return colon < 0 ? undefined : { user: pair.slice(0, colon), password: Redacted.make(pair.slice(colon + 1)) }
}
