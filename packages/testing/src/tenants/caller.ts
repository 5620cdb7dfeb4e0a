import { Caller, CallerTenant } from "@portico/contract/Access"
import type { Tier } from "@portico/contract/Tiers"
import { PresentedToken } from "@portico/domain/access/PresentedToken"
import { Callers } from "@portico/domain/access/Callers"
import type { Plane } from "@portico/domain/health/readiness"
import { onboard } from "@portico/domain/onboarding/onboard"
import { Effect, type Redacted } from "effect"
import { inTime } from "../clock.ts"
import { accessToken } from "./tokens.ts"

/** A tenant that is live, and whom its first credential makes the caller. */
export const ownerOf = Effect.fnUntraced(function* (tier: Tier, name = "Acme GmbH") {
  const { credential } = yield* inTime(onboard({ name, tier }))
  const token = yield* accessToken(credential.client_id, credential.client_secret)
  if (token === undefined) return yield* Effect.die("the first credential does not work")
  const caller = yield* (yield* Callers).resolve(PresentedToken.of(token), "operator")
  if (caller.tenant === null) return yield* Effect.die("the first credential has no tenant")
  return { caller, tenant: caller.tenant, token, credentialId: credential.id }
})

/** Whom a token makes the caller, or the failure. */
export const resolve = Effect.fnUntraced(function* (
  token: string | Redacted.Redacted,
  source?: string,
  plane: Plane = "operator"
) {
  return yield* (yield* Callers).resolve(
    typeof token === "string" ? new PresentedToken(token) : PresentedToken.of(token),
    plane,
    source === undefined ? undefined : () => source
  )
})

/** The words with which a token is refused. */
export const refused = (token: string | Redacted.Redacted, source?: string) =>
  Effect.match(resolve(token, source), { onSuccess: () => "accepted", onFailure: (_) => `${_._tag}: ${_.detail}` })

export const administrator = new Caller({
  userId: "operator",
  userName: "operator",
  userEmail: "",
  roles: ["admin"],
  tier: 2,
  tenant: null,
  admin: true,
  human: false,
  credentialId: null,
  credentialLabel: null,
  role: null,
  billing: true
})

/** The caller with a lesser permission tier. */
export const withTier = (caller: Caller, tier: 0 | 1 | 2): Caller => new Caller({ ...caller, tier })

/** A tenant's caller out of nothing but a project's id. */
export const callerOf = (projectId: string): Caller =>
  new Caller({
    ...administrator,
    userId: `user-of-${projectId}`,
    admin: false,
    tenant: new CallerTenant({ projectId, name: "", source: "tenant_map" })
  })
