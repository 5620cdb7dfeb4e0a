import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { MinimumTier, PermissionTier, WithoutTenant } from "./Access.ts"
import { described, meanings, titled } from "./describe.ts"
import { callerRoutes } from "./groups.ts"

export const Whoami = Schema.Struct({
  user_id: Schema.String.annotateKey({
    description:
      "The user's id at the identity provider. For a workload's token it is `<mapping id>/<namespace>/<service account>`."
  }),
  user_name: Schema.String.annotateKey({
    description: "The person's login name. Empty for machine credentials and workloads."
  }),
  user_email: Schema.String.annotateKey({
    description: "The person's e-mail address. Empty for machine credentials and workloads."
  }),
  roles: Schema.Array(Schema.String).annotateKey({
    description:
      "For a member of an account the one role in it, such as `customer-owner`; for every other user of the identity " +
      "provider the roles there; empty for a workload's token."
  }),
  tenant: Schema.NullOr(
    Schema.Struct({
      id: Schema.String.annotateKey({ description: "The id of the project that the caller acts in." }),
      name: Schema.String.annotateKey({ description: "The organisation's name; empty when it is not known." }),
      source: meanings("The reason for which the caller belongs to the project.", {
        credential_store: "A credential that was minted in the project, or a membership of its account.",
        tenant_map: "The platform's static configuration, which names the user.",
        workload_identity: "The mapping of a Kubernetes cluster, whose service account exchanged its token."
      })
    })
  ).annotateKey({ description: "The caller's project. Null for a platform administrator, who has none." }),
  all_projects: Schema.Boolean.annotateKey({
    description: "True for a platform administrator on the operator plane, who acts on the projects of all accounts."
  }),
  tier: PermissionTier.annotateKey({
    description:
      "The permission tier that the caller has now, after its makers and the account's access policies have lowered it."
  }),
  credential_id: Schema.NullOr(Schema.String).annotateKey({
    description:
      "The credential's id (`cred-…`), the membership's (`member-…`), or the cluster mapping's (`wi-…`). Null for " +
      "platform administrators and for users of the static configuration."
  }),
  credential_label: Schema.NullOr(Schema.String).annotateKey({
    description:
      "The credential's label, the member's e-mail address, or the workload's service account. Null with `credential_id`."
  })
}).annotate({ identifier: "Whoami", description: "The caller, as the gateway resolved it from the presented token." })
export type Whoami = typeof Whoami.Type

/** Both planes. */
export class Identity extends HttpApiGroup.make("identity")
  .add(
    HttpApiEndpoint.get("whoami", "/whoami", { success: Whoami })
      .annotate(MinimumTier, 0)
      .annotate(WithoutTenant, true)
      .annotateMerge(
        described(
          "Show who the caller is",
          "Returns the user, the project, the permission tier and the credential that the gateway resolved from the " +
            "presented token; nothing else in a request can change them. Use it to test a credential: it changes nothing " +
            "and needs no role."
        )
      )
  )
  .annotateMerge(titled("Identity", "The caller and its rights. The gateway reads both from the token."))
  .pipe(callerRoutes) {}
