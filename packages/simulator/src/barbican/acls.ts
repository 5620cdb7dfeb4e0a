import { Result } from "effect"
import { booleanAt, has, objectAt, stringsAt } from "../Json.ts"
import { empty, json, type Routes } from "../Wire.ts"
import { bodyOf, misfit, stamp, type Step } from "./answers.ts"
import { findContainer } from "./containers.ts"
import { call, mayManage, mayReadAcl, permitOn, type Request } from "./policy.ts"
import { refOf } from "./refs.ts"
import { findSecret } from "./secrets.ts"
import type { Acl, Container, Secret } from "./state.ts"

type Entity = Secret | Container

/** Without an ACL the project's roles decide alone. */
const show = (acl: Acl | null) =>
  acl === null
    ? { read: { "project-access": true } }
    : {
        read: {
          "project-access": acl.project_access,
          users: acl.users,
          created: stamp(acl.created),
          updated: stamp(acl.updated)
        }
      }

interface Asked {
  readonly users: ReadonlyArray<string> | undefined
  readonly project_access: boolean | undefined
}

/** The only operation there is, and nothing beside it; undefined when it is not spoken of. */
const readOf = ({ incoming }: Request, operation: string): Step<Asked | undefined> =>
  Result.gen(function* () {
    const given = yield* bodyOf(incoming, operation, "ACL")
    const read = objectAt(given, "read")
    const unknown =
      Object.keys(given).find((_) => _ !== "read") ??
      Object.keys(read).find((_) => _ !== "users" && _ !== "project-access")
    if (unknown !== undefined) {
      const reason = `Additional properties are not allowed ('${unknown}' was unexpected)`
      return yield* misfit("ACL", reason, unknown)
    }
    const [users, project_access] = [stringsAt(read, "users"), booleanAt(read, "project-access")]
    if (has(read, "users") && users === undefined) return yield* misfit("ACL", "is not of type 'array'", "users")
    if (has(read, "project-access") && project_access === undefined) {
      return yield* misfit("ACL", "is not of type 'boolean'", "project-access")
    }
    return Object.keys(read).length === 0 ? undefined : { users, project_access }
  })

/** PUT begins anew, PATCH keeps what it does not speak of. */
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
        const entity = yield* find(request)
        yield* permitOn(request, operation, mayManage, entity)
        yield* write(request, operation, entity, mode)
        return json(200, { acl_ref: `${refOf(request.incoming, kind, entity.id)}/acl` })
      })
    )
  return {
    [`GET /v1/${kind}/:id/acl`]: call((request) =>
      Result.gen(function* () {
        const entity = yield* find(request)
        yield* permitOn(request, `${name}ACL(s) retrieval`, mayReadAcl, entity)
        return json(200, show(entity.acl))
      })
    ),
    [`PUT /v1/${kind}/:id/acl`]: writing("replace"),
    [`PATCH /v1/${kind}/:id/acl`]: writing("merge"),
    [`DELETE /v1/${kind}/:id/acl`]: call((request) =>
      Result.gen(function* () {
        const entity = yield* find(request)
        yield* permitOn(request, `${name}ACL(s) deletion`, mayManage, entity)
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
