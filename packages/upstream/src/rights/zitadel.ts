import { Config, Effect, Schema } from "effect"
import { postJson } from "../requests.ts"
import { management, self } from "../zitadel/management.ts"
import type { Missing, Rights } from "./Missing.ts"

const Permissions = Schema.Struct({ result: Schema.optionalKey(Schema.Array(Schema.String)) })
const Roles = Schema.Struct({ result: Schema.optionalKey(Schema.Array(Schema.Struct({ key: Schema.String }))) })

/** What making, granting and removing users takes. */
const needed = [
  "user.read",
  "user.write",
  "user.delete",
  "user.grant.read",
  "user.grant.write",
  "user.grant.delete",
  "project.role.read"
]

/**
 * The permissions of the service user, as Zitadel lists them, and the roles of the API's project.
 *
 * @param roles the keys of the project's roles that are granted to users
 */
export const zitadelRights = Effect.fnUntraced(function* (roles: ReadonlyArray<string>) {
  const manager = yield* management
  const own = yield* self
  const projectId = yield* Config.String("ZITADEL_PROJECT_ID")

  const permissions = Effect.map(
    own.write("list own permissions", postJson("/permissions/zitadel/me/_search", {}), Permissions),
    ({ result = [] }): ReadonlyArray<Missing> => {
      const missing = needed.filter((_) => !result.includes(_))
      return missing.length === 0
        ? []
        : [
            {
              what: `the permission ${missing.join(", ")} in the organisation of ZITADEL_ORG_ID`,
              fix: "Make the service user a manager of the organisation, with the role ORG_USER_MANAGER or ORG_OWNER"
            }
          ]
    }
  )

  const path = `/projects/${encodeURIComponent(projectId)}/roles/_search`
  const projectRoles = manager
    .write("list roles", postJson(path, { query: { offset: "0", limit: 1000, asc: true } }), Roles)
    .pipe(
      Effect.map(({ result = [] }): ReadonlyArray<Missing> => {
        const missing = roles.filter((role) => !result.some(({ key }) => key === role))
        return missing.length === 0
          ? []
          : [
              {
                what: `the role ${missing.join(", ")} of the project ZITADEL_PROJECT_ID`,
                fix: "Add it to the project, with exactly this key"
              }
            ]
      }),
      Effect.catchIf(
        ({ status }) => status === 404,
        () => Effect.succeed([{ what: "the project ZITADEL_PROJECT_ID", fix: "Set it to the id of the API's project" }])
      )
    )

  const rights: Rights = Effect.flatMap(permissions, (missing) =>
    missing.length > 0 ? Effect.succeed(missing) : projectRoles
  )
  return { "identity-provider": rights }
})
