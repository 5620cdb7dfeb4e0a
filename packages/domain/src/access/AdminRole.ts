import { Config, Context, Effect, Layer } from "effect"

/** The key of the role, in the API's project, that makes a user a platform administrator. */
export class AdminRole extends Context.Service<AdminRole, { readonly key: string }>()(
  "portico/domain/access/AdminRole"
) {
  static readonly layer = Layer.effect(
    AdminRole,
    Effect.map(Config.String("ADMIN_ROLE").pipe(Config.withDefault("admin")), (key) => AdminRole.of({ key }))
  )
}
