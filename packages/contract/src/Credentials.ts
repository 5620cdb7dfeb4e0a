import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import {
  AnswersSecret,
  Authenticated,
  MinimumTier,
  PermissionTier,
  TenantScoped,
  Validated,
  WellFormed,
  WhileClosing
} from "./Access.ts"
import { failures } from "./Failures.ts"
import { Creates, OneTime } from "./Idempotency.ts"
import { Networks } from "./Networks.ts"
import { pageFields, pageQuery } from "./Page.ts"

/** `api-key` for scripts, CI and infrastructure-as-code; `mcp` for agents. */
export const CredentialKind = Schema.Literals(["api-key", "mcp"])

const Label = Schema.String.check(
  Schema.isMinLength(1),
  Schema.isMaxLength(100),
  Schema.isPattern(/^[^\p{Cc}\p{Cs}]*$/u, { expected: "a string without control characters" })
)

export const MintRequest = Schema.Struct({
  kind: CredentialKind,
  tier: PermissionTier,
  label: Label,
  expires_in_days: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 365 }))),
  networks: Schema.optionalKey(Networks)
}).annotate({ identifier: "MintRequest" })
export type MintRequest = typeof MintRequest.Type

const entry = {
  credential_id: Schema.String,
  kind: CredentialKind,
  /** The effective tier: never more than that of the credential's makers. */
  tier: PermissionTier,
  /** The tier that it was minted with. It applies again when its makers' tiers allow it. */
  minted_tier: PermissionTier,
  label: Schema.String,
  project_id: Schema.String,
  state: Schema.Literals(["active", "expired", "suspended", "revoked"]),
  revoked: Schema.Boolean,
  client_id: Schema.String,
  created_at: Schema.String,
  created_by: Schema.String,
  expires_at: Schema.NullOr(Schema.String),
  revoked_at: Schema.NullOr(Schema.String),
  /** Why it is suspended. It works again when this list is empty. */
  held: Schema.Array(Schema.Literals(["project_deletion", "account_closure"])),
  /** The networks that it may be used from; null for any network. */
  networks: Schema.NullOr(Schema.Array(Schema.String)),
  /** The last accepted call, reads included, to the minute; null for none yet. */
  last_used_at: Schema.NullOr(Schema.String),
  last_used_from: Schema.NullOr(Schema.String),
  /** The successor after a rotation, and when this credential ends because of it. */
  rotated_to: Schema.NullOr(Schema.String),
  revokes_at: Schema.NullOr(Schema.String)
}

/**
 * What an agent's credential may mint: only a credential for agents, of tier 0
 * or 1, for seven days at most (contract, Authentication 8).
 */
export const agentMints = { kind: "mcp", tier: 1, days: 7 } as const

/** A credential as lists show it, without secrets. */
export const CredentialEntry = Schema.Struct(entry).annotate({ identifier: "Credential" })
export type CredentialEntry = typeof CredentialEntry.Type

/** The response of a mint: the only one that contains the secrets. */
export const Minted = Schema.Struct({ ...entry, client_secret: OneTime, pat: OneTime }).annotate({
  identifier: "MintedCredential"
})
export type Minted = typeof Minted.Type

export const RotateRequest = Schema.Struct({
  /** How long the old credential keeps working: up to a day, usually an hour. */
  overlap_seconds: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 86_400 })).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(3600))
  )
}).annotate({ identifier: "RotateRequest" })
export type RotateRequest = typeof RotateRequest.Type

/** The successor with its secrets, which only this response contains, and the credential that it replaces. */
export const Rotated = Schema.Struct({ ...Minted.fields, predecessor: CredentialEntry }).annotate({
  identifier: "RotatedCredential"
})
export type Rotated = typeof Rotated.Type

export const UsageEntry = Schema.Struct({
  credential_id: Schema.String,
  label: Schema.String,
  project_id: Schema.String,
  /** Completed writes, and tool calls of agents. Reads and mints do not count. */
  call_count: Schema.Int,
  /** The last counted call; null when there is none. */
  last_used_at: Schema.NullOr(Schema.String)
}).annotate({ identifier: "CredentialUsage" })
export type UsageEntry = typeof UsageEntry.Type

const BooleanParameter = Schema.Literals(["true", "false"]).pipe(
  Schema.withDecodingDefaultKey(Effect.succeed("false" as const))
)

/** Minting is for tenants. Both planes. */
const minting = HttpApiEndpoint.post("mint", "/credentials", {
  payload: MintRequest,
  success: Minted.pipe(HttpApiSchema.status(201)),
  error: failures(
    "agent_mints_agents",
    "credential_allowance_reached",
    "credential_beyond_own",
    "credential_chain_too_long",
    "credential_expired",
    "credential_outlives_own",
    "credential_revoked",
    "credential_suspended",
    "tier_too_low",
    "token_inactive",
    "upstream_failed"
  )
})
  // A caller may mint its own tier, so a tier-0 credential may mint another one.
  .annotate(MinimumTier, 0)
  .annotate(AnswersSecret, "new")
  .middleware(Creates)
  .middleware(TenantScoped)

/**
 * Like minting. A caller rotates its own credential with its tier; another one
 * needs tier 2, because that credential ends. Both planes.
 */
const rotating = HttpApiEndpoint.post("rotate", "/credentials/:credential_id/rotate", {
  params: { credential_id: Schema.String },
  payload: RotateRequest,
  success: Rotated.pipe(HttpApiSchema.status(201)),
  error: failures(
    "agent_mints_agents",
    "credential_beyond_own",
    "credential_expired",
    "credential_not_active",
    "credential_not_found",
    "credential_outlives_own",
    "credential_revoked",
    "credential_rotated",
    "credential_suspended",
    "policy_denied",
    "predecessor_lives",
    "rotation_in_progress",
    "tier_too_low",
    "token_inactive",
    "upstream_failed"
  )
})
  .annotate(MinimumTier, 0)
  .annotate(AnswersSecret, "new")
  .middleware(Creates)
  .middleware(TenantScoped)

/** `label` is the exact label; several credentials may have the same one. */
const listQuery = { include_revoked: BooleanParameter, label: Schema.optionalKey(Label), ...pageQuery }

/** Both planes. An administrator sees all credentials, a tenant its own. */
export class Credentials extends HttpApiGroup.make("credentials")
  .add(
    minting,
    HttpApiEndpoint.get("list", "/credentials", {
      query: listQuery,
      success: Schema.Struct({ ...pageFields, credentials: Schema.Array(CredentialEntry) }).annotate({
        identifier: "CredentialList"
      }),
      error: failures("tenant_required")
    }),
    HttpApiEndpoint.get("usage", "/credentials/usage", {
      query: listQuery,
      success: Schema.Struct({ ...pageFields, usage: Schema.Array(UsageEntry) }).annotate({
        identifier: "CredentialUsageList"
      }),
      error: failures("tenant_required")
    }),
    rotating,
    HttpApiEndpoint.delete("revoke", "/credentials/:credential_id", {
      params: { credential_id: Schema.String },
      success: CredentialEntry,
      error: failures("credential_not_found", "upstream_failed")
    })
      // A leaked key must be revocable before the others work again.
      .annotate(WhileClosing, true)
  )
  .middleware(WellFormed)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}
