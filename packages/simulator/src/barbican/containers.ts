import { Result } from "effect"
import { has, type JsonObject, objectAt, stringAt } from "../Json.ts"
import { type Answer, empty, type Incoming, json, type Routes, type Step } from "../Wire.ts"
import { toSeconds } from "../times.ts"
import { bodyOf, issue, schemaViolation, refuse } from "./answers.ts"
import { containerOf } from "./newContainer.ts"
import { liveSecrets } from "./newSecret.ts"
import {
  adminOrCreator,
  allButAudit,
  call,
  mayManage,
  mayRead,
  mayRemoveContainer,
  permit,
  permitted,
  type Request
} from "./policy.ts"
import { oneMore } from "./quotas.ts"
import { find, hostHref, oldestFirst, pageOf, refOf } from "./refs.ts"
import type { Container, SecretRef } from "./state.ts"

export const findContainer = (request: Request): Step<Container> =>
  find(request, request.barbican.containers, "Container")

export const showContainer = (incoming: Incoming, container: Container) => ({
  container_ref: refOf(incoming, "containers", container.id),
  name: container.name,
  type: container.type,
  status: "ACTIVE",
  creator_id: container.creator_id,
  created: toSeconds(container.created),
  updated: toSeconds(container.updated),
  secret_refs: container.secrets.map(({ name, secret_id }) => ({
    name,
    secret_ref: refOf(incoming, "secrets", secret_id)
  })),
  consumers: container.consumers.map(({ URL, name }) => ({ name, URL }))
})

/** The required and the optional secret names of a typed container. */
const names = {
  rsa: { required: ["public_key", "private_key"], optional: ["private_key_passphrase"] },
  certificate: { required: ["certificate"], optional: ["private_key", "private_key_passphrase", "intermediates"] }
} as const

const typeOf = (given: JsonObject): Container["type"] | undefined => {
  const type = given["type"]
  return type === "generic" || type === "rsa" || type === "certificate" ? type : undefined
}

const schema = "Container"

const secretRefOf = (given: unknown): Step<SecretRef> => {
  const ref = stringAt(objectAt(given), "secret_ref")
  if (ref === undefined || ref === "") {
    return schemaViolation(schema, "'secret_ref' is a required property", "secret_refs")
  }
  const secret_id = ref.replace(/\/$/, "").split("/").at(-1) ?? ""
  return Result.succeed({ name: stringAt(objectAt(given), "name") ?? null, secret_id })
}

const refsOf = (incoming: Incoming, operation: string, given: JsonObject) =>
  Result.gen(function* () {
    const list = given["secret_refs"] ?? []
    if (!Array.isArray(list)) return yield* schemaViolation(schema, "is not of type 'array'", "secret_refs")
    const refs: Array<SecretRef> = []
    for (const one of list) {
      refs.push(yield* secretRefOf(one))
      if (!stringAt(objectAt(one), "secret_ref")?.startsWith(hostHref(incoming))) {
        return yield* issue(400, operation, "Provided field value is not supported")
      }
    }
    if (new Set(refs.map((_) => _.name ?? "")).size < refs.length) {
      return yield* schemaViolation(schema, "Duplicate reference names are not allowed", "secret_refs")
    }
    if (new Set(refs.map((_) => _.secret_id)).size < refs.length) {
      return yield* schemaViolation(schema, "Duplicate secret ids are not allowed", "secret_refs")
    }
    return refs
  })

const rightNames = (operation: string, type: Container["type"], refs: ReadonlyArray<SecretRef>): Step<void> => {
  if (type === "generic" || refs.length === 0) return Result.void
  const { optional, required } = names[type]
  const given = refs.map((_) => _.name ?? "")
  const allowed: ReadonlyArray<string> = [...required, ...optional]
  const unsupported = given.some((_) => !allowed.includes(_))
  const missing = required.some((_) => !given.includes(_))
  return unsupported || missing
    ? schemaViolation(schema, `only ${allowed.join(", ")} reference names are allowed for ${type} type`, "secret_refs")
    : Result.void
}

/** A container accepts only secrets of its own project. */
const present = (request: Request, { name, secret_id }: SecretRef): Step<void> => {
  const secret = liveSecrets(request.barbican, request.incoming.now)[secret_id]
  return secret?.project_id === request.scope.projectId
    ? Result.void
    : refuse(404, `Secret provided for '${name ?? ""}' doesn't exist.`)
}

const create = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const operation = "Container creation"
    const { barbican, incoming, scope } = request
    yield* permit(request, operation, adminOrCreator)
    const given = yield* bodyOf(incoming, operation, schema)
    const type = typeOf(given)
    if (type === undefined) {
      return yield* schemaViolation(
        schema,
        `'${String(given["type"])}' is not one of ['generic', 'rsa', 'certificate']`,
        "type"
      )
    }
    const secrets = yield* refsOf(incoming, operation, given)
    yield* rightNames(operation, type, secrets)
    const held = Object.values(barbican.containers).filter((_) => _.project_id === scope.projectId).length
    yield* oneMore(request, operation, "containers", held)
    for (const ref of secrets) yield* present(request, ref)
    const made = { project_id: scope.projectId, creator_id: scope.userId }
    const container = containerOf({ type, name: stringAt(given, "name")?.trim() ?? null, secrets }, incoming.now, made)
    barbican.containers[container.id] = container
    const container_ref = refOf(incoming, "containers", container.id)
    return json(201, { container_ref }, { location: container_ref })
  })

const list = (request: Request): Step<Answer> =>
  Result.map(permit(request, "Containers(s) retrieval", allButAudit), () => {
    const { barbican, incoming, scope } = request
    const name = incoming.query.get("name")
    const found = Object.values(barbican.containers)
      .filter((_) => _.project_id === scope.projectId && (!name || _.name === name))
      .toSorted(oldestFirst)
      .map((_) => showContainer(incoming, _))
    return json(200, pageOf(request, "containers", "containers", found))
  })

/** Only generic containers can be changed. */
const ofGeneric = (
  operation: string,
  handler: (request: Request, container: Container, ref: SecretRef) => Step<Answer>
) =>
  call((request) =>
    Result.gen(function* () {
      const container = yield* permitted(request, operation, mayManage, findContainer(request))
      if (container.type !== "generic") return yield* refuse(400, "Only 'generic' containers can be modified.")
      const given = yield* bodyOf(request.incoming, operation, "ContainerSecret")
      if (!has(given, "secret_ref")) {
        return yield* schemaViolation("ContainerSecret", "'secret_ref' is a required property", "secret_ref")
      }
      const ref = yield* secretRefOf(given)
      yield* present(request, ref)
      container.updated = request.incoming.now
      return yield* handler(request, container, ref)
    })
  )

const addSecret = ({ incoming }: Request, container: Container, ref: SecretRef): Step<Answer> => {
  if (container.secrets.some((_) => _.secret_id === ref.secret_id && _.name === ref.name)) {
    return refuse(
      409,
      "Conflict. A secret with that name and ID is already stored in this container. The same secret can exist in a " +
        "container as long as the name is unique."
    )
  }
  container.secrets = [...container.secrets, ref]
  const container_ref = refOf(incoming, "containers", container.id)
  return Result.succeed(json(201, { container_ref }, { location: container_ref }))
}

const dropSecret = (_: Request, container: Container, ref: SecretRef): Step<Answer> => {
  const rest = container.secrets.filter((one) => one.secret_id !== ref.secret_id || one.name !== ref.name)
  if (rest.length === container.secrets.length) return refuse(404, "Secret provided is not in the container")
  container.secrets = rest
  return Result.succeed(empty(204))
}

export const containerRoutes: Routes = {
  "GET /v1/containers": call(list),
  "POST /v1/containers": call(create),
  "GET /v1/containers/:id": call((request) =>
    Result.map(permitted(request, "Container retrieval", mayRead, findContainer(request)), (_) =>
      json(200, showContainer(request.incoming, _))
    )
  ),
  "DELETE /v1/containers/:id": call((request) =>
    Result.map(permitted(request, "Container deletion", mayRemoveContainer, findContainer(request)), ({ id }) => {
      delete request.barbican.containers[id]
      return empty(204)
    })
  ),
  "POST /v1/containers/:id/secrets": ofGeneric("Container Secret creation", addSecret),
  "DELETE /v1/containers/:id/secrets": ofGeneric("Container Secret deletion", dropSecret)
}
