import { Result } from "effect"
import { booleanAt, has, objectAt, stringsAt } from "../Json.ts"
import { empty, json, type Routes, type Step } from "../Wire.ts"
import { toSeconds } from "../times.ts"
import { bodyOf, schemaViolation } from "./answers.ts"
import { findContainer } from "./containers.ts"
import { call, mayManage, mayReadAcl, permitted, type Request } from "./policy.ts"
import { refOf } from "./refs.ts"
import { findSecret } from "./secrets.ts"
import type { Acl, Container, Secret } from "./state.ts"

type Entity = Secret | Container

/** Without an ACL only the roles in the project decide. */
const show = (acl: Acl | null) =>
  acl === null
    ? { read: { "project-access": true } }
    : {
        read: {
          "project-access": acl.project_access,
          users: acl.users,
          created: toSeconds(acl.created),
          updated: toSeconds(acl.updated)
        }
      }

interface Asked {
  readonly users: ReadonlyArray<string> | undefined
  readonly project_access: boolean | undefined
}

/** `read`, the only operation, with no other key beside it; undefined when the body has no `read`. */
const readOf = ({ incoming }: Request, operation: string): Step<Asked | undefined> =>
  Result.gen(function* () {
    const given = yield* bodyOf(incoming, operation, "ACL")
    const read = objectAt(given, "read")
    const unknown =
      Object.keys(given).find((_) => _ !== "read") ??
      Object.keys(read).find((_) => _ !== "users" && _ !== "project-access")
    if (unknown !== undefined) {
      const reason = `Additional properties are not allowed ('${unknown}' was unexpected)`
      return yield* schemaViolation("ACL", reason, unknown)
    }
    const [users, project_access] = [stringsAt(read, "users"), booleanAt(read, "project-access")]
    if (has(read, "users") && users === undefined)
      return yield* schemaViolation("ACL", "is not of type 'array'", "users")
    if (has(read, "project-access") && project_access === undefined) {
      return yield* schemaViolation("ACL", "is not of type 'boolean'", "project-access")
    }
    return Object.keys(read).length === 0 ? undefined : { users, project_access }
  })

/** PUT replaces the ACL, PATCH keeps the keys that the body omits. */
const write = (request: Request, operation: string, entity: Entity, mode: "replace" | "merge"): Step<void> =>
  Result.map(readOf(request, operation), (asked) => {
    const { now } = request.incoming
    const before = mode === "merge" ? entity.acl : null
    if (asked === undefined) {
      entity.acl = before
      return
    }
    entity.acl = {
      users: asked.users ?? before?.users ?? [],
      project_access: asked.project_access ?? before?.project_access ?? true,
      created: entity.acl?.created ?? now,
      updated: now
    }
  })

const routesOf = (kind: "secrets" | "containers", name: string, find: (request: Request) => Step<Entity>): Routes => {
  const writing = (mode: "replace" | "merge") =>
    call((request) =>
      Result.gen(function* () {
        const operation = `${name}ACL(s) Update`
        const entity = yield* permitted(request, operation, mayManage, find(request))
        yield* write(request, operation, entity, mode)
        return json(200, { acl_ref: `${refOf(request.incoming, kind, entity.id)}/acl` })
      })
    )
  return {
    [`GET /v1/${kind}/:id/acl`]: call((request) =>
      Result.gen(function* () {
        const entity = yield* permitted(request, `${name}ACL(s) retrieval`, mayReadAcl, find(request))
        return json(200, show(entity.acl))
      })
    ),
    [`PUT /v1/${kind}/:id/acl`]: writing("replace"),
    [`PATCH /v1/${kind}/:id/acl`]: writing("merge"),
    [`DELETE /v1/${kind}/:id/acl`]: call((request) =>
      Result.map(permitted(request, `${name}ACL(s) deletion`, mayManage, find(request)), (entity) => {
        entity.acl = null
        return empty(200)
      })
    )
  }
}

export const aclRoutes: Routes = {
  ...routesOf("secrets", "Secret", findSecret),
  ...routesOf("containers", "Container", findContainer)
}
