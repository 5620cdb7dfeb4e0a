import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Authenticated, MinimumTier, PermissionTier, Validated, WellFormed, WithoutTenant } from "./Access.ts"

/**
 * The identity of the credential, as the server resolved it. Names are empty
 * for machine users, which request no profile scope.
 */
export const Whoami = Schema.Struct({
  user_id: Schema.String,
  user_name: Schema.String,
  user_email: Schema.String,
  roles: Schema.Array(Schema.String),
  tenant: Schema.NullOr(
    Schema.Struct({
      id: Schema.String,
      name: Schema.String,
      source: Schema.Literals(["credential_store", "tenant_map", "workload_identity"])
    })
  ),
  all_projects: Schema.Boolean,
  tier: PermissionTier,
  credential_id: Schema.NullOr(Schema.String),
  credential_label: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Whoami" })
export type Whoami = typeof Whoami.Type

/** Both planes. */
export class Identity extends HttpApiGroup.make("identity")
  .add(
    HttpApiEndpoint.get("whoami", "/whoami", { success: Whoami }).annotate(MinimumTier, 0).annotate(WithoutTenant, true)
  )
  .middleware(WellFormed)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}
