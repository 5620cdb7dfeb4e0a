import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Authenticated, MinimumTier, PermissionTier, TenantScoped, Validated, WellFormed } from "./Access.ts"
import { BadGateway, Conflict, Forbidden, NotFound } from "./Failures.ts"

/** `api-key` for scripts, CI and infrastructure-as-code; `mcp` for agents. */
export const CredentialKind = Schema.Literals(["api-key", "mcp"])

export const MintRequest = Schema.Struct({
  kind: CredentialKind,
  tier: PermissionTier,
  label: Schema.String.check(
    Schema.isMinLength(1),
    Schema.isMaxLength(100),
    Schema.isPattern(/^[^\p{Cc}\p{Cs}]*$/u, { expected: "a string without control characters" })
  ),
  expires_in_days: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 365 })))
}).annotate({ identifier: "MintRequest" })
export type MintRequest = typeof MintRequest.Type

const entry = {
  credential_id: Schema.String,
  kind: CredentialKind,
  tier: PermissionTier,
  label: Schema.String,
  project_id: Schema.String,
  state: Schema.Literals(["active", "expired", "suspended", "revoked"]),
  revoked: Schema.Boolean,
  client_id: Schema.String,
  created_at: Schema.String,
  created_by: Schema.String,
  expires_at: Schema.NullOr(Schema.String),
  revoked_at: Schema.NullOr(Schema.String)
}

/** A credential as lists show it: no secrets. */
export const CredentialEntry = Schema.Struct(entry).annotate({ identifier: "Credential" })
export type CredentialEntry = typeof CredentialEntry.Type

/** The answer of a mint: the only place where the secrets are. */
export const Minted = Schema.Struct({ ...entry, client_secret: Schema.String, pat: Schema.String }).annotate({
  identifier: "MintedCredential"
})
export type Minted = typeof Minted.Type

const BooleanParameter = Schema.Literals(["true", "false"]).pipe(
  Schema.withDecodingDefaultKey(Effect.succeed("false" as const))
)

/** Minting is for tenants. Both planes. */
const minting = HttpApiEndpoint.post("mint", "/credentials", {
  payload: MintRequest,
  success: Minted.pipe(HttpApiSchema.status(201)),
  error: [Forbidden, Conflict, BadGateway]
})
  // Whoever holds a tier may mint it, so a tier-0 credential may mint another.
  .annotate(MinimumTier, 0)
  .middleware(TenantScoped)

/** Both planes. An administrator sees all credentials, a tenant its own. */
export class Credentials extends HttpApiGroup.make("credentials")
  .add(
    minting,
    HttpApiEndpoint.get("list", "/credentials", {
      query: { include_revoked: BooleanParameter },
      success: Schema.Struct({ count: Schema.Int, credentials: Schema.Array(CredentialEntry) }).annotate({
        identifier: "CredentialList"
      })
    }),
    HttpApiEndpoint.delete("revoke", "/credentials/:credential_id", {
      params: { credential_id: Schema.String },
      success: CredentialEntry,
      error: [NotFound, BadGateway]
    })
  )
  .middleware(WellFormed)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}
