import type { Caller, PermissionTier } from "@portico/contract/Access"
import { DateTime, Redacted } from "effect"
import { hash } from "node:crypto"
import type { Project } from "./scope.ts"

/** A token and its properties. Times are milliseconds since the epoch. */
export interface DescribedToken {
  readonly token: Redacted.Redacted
  readonly caller: Caller
  readonly project: Project
  /** When its holder logged in, or its credential was made: the same at each look, as Keystone's. */
  readonly issuedAt: number | undefined
  readonly expiresAt: number
  /** The id of the application credential for which the token was issued, if any. */
  readonly credential?: string
}

/** A token as Keystone describes it, without its catalog. */
export const description = (
  { caller, credential, expiresAt, issuedAt, project, token }: DescribedToken,
  now: number
) => {
  const { credentialLabel, tier, userId, userName } = caller
  const { domain } = project
  return {
    methods: [credential === undefined ? "token" : "application_credential"],
    user: { id: userId, name: credentialLabel ?? (userName || userId), domain, password_expires_at: null },
    // Like Keystone's, an audit id identifies a token without revealing it.
    audit_ids: [hash("sha256", `audit:${Redacted.value(token)}`, "base64url").slice(0, 22)],
    issued_at: instant(issuedAt ?? now),
    expires_at: instant(expiresAt),
    project,
    is_domain: false,
    roles: roles[tier].map((name) => ({ id: name, name })),
    ...(credential === undefined
      ? {}
      : { application_credential: { id: credential, name: credentialLabel, restricted: true } })
  }
}

/** Role names that clients know, by tier. Permissions depend on the tier alone. */
const roles: Readonly<Record<PermissionTier, ReadonlyArray<string>>> = {
  0: ["reader"],
  1: ["reader", "member"],
  2: ["reader", "member"]
}

/** The latest date that every client can parse. A token without an expiry has a later one. */
const latestDate = Date.UTC(9999, 11, 31)

const instant = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(Math.min(millis, latestDate)))
