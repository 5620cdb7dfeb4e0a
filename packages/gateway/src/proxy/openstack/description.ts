import type { Caller, PermissionTier } from "@portico/contract/Access"
import { DateTime, Redacted } from "effect"
import { hash } from "node:crypto"
import type { Project } from "./scope.ts"

/** A token and what there is to say of it. Moments are milliseconds since the epoch. */
export interface Held {
  readonly token: Redacted.Redacted
  readonly caller: Caller
  readonly project: Project
  readonly expiresAt: number
  /** The id of the application credential that it was given for, if it was one. */
  readonly credential?: string
}

/** A token as Keystone describes it, but for its catalog. */
export const description = ({ caller, credential, expiresAt, project, token }: Held, now: number) => {
  const { credentialLabel, tier, userId, userName } = caller
  const { domain } = project
  return {
    methods: [credential === undefined ? "token" : "application_credential"],
    user: { id: userId, name: credentialLabel ?? (userName || userId), domain, password_expires_at: null },
    // As Keystone's, they name a token without being it.
    audit_ids: [hash("sha256", `audit:${Redacted.value(token)}`, "base64url").slice(0, 22)],
    issued_at: instant(now),
    expires_at: instant(expiresAt),
    project,
    is_domain: false,
    roles: roles[tier].map((name) => ({ id: name, name })),
    ...(credential === undefined
      ? {}
      : { application_credential: { id: credential, name: credentialLabel, restricted: true } })
  }
}

/** Words that clients know for what a tier allows. What is allowed is decided by the tier alone. */
const roles: Readonly<Record<PermissionTier, ReadonlyArray<string>>> = {
  0: ["reader"],
  1: ["reader", "member"],
  2: ["reader", "member"]
}

/** The last day that every client can read: a token without an end has one beyond it. */
const endOfTime = Date.UTC(9999, 11, 31)

const instant = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(Math.min(millis, endOfTime)))
