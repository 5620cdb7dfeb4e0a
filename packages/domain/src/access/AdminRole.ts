import { Config, Context, Effect, Layer } from "effect"

/** The key of the role that makes a platform administrator, in the API's project. */
export class AdminRole extends Context.Service<AdminRole, { readonly key: string }>()(
  "portico/domain/access/AdminRole"
) {
  static readonly layer = Layer.effect(
    AdminRole,
    Effect.map(Config.String("ADMIN_ROLE").pipe(Config.withDefault("admin")), (key) => AdminRole.of({ key }))
  )
}
