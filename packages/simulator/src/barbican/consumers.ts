import { Result } from "effect"
import { randomUUID } from "node:crypto"
import { stringAt } from "../Json.ts"
import { type Answer, json, type Routes, type Step } from "../Wire.ts"
import { toSeconds } from "../times.ts"
import { bodyOf, schemaViolation, refuse } from "./answers.ts"
import { findContainer, showContainer } from "./containers.ts"
import { call, mayRead, permitted, type Request } from "./policy.ts"
import { oneMore } from "./quotas.ts"
import { oldestFirst, pageOf } from "./refs.ts"
import { findSecret, showSecret } from "./secrets.ts"
import type { Container, ContainerConsumer, Secret, SecretConsumer } from "./state.ts"

/** The keys that identify each kind of consumer. */
interface Kind<Entity, Consumer> {
  readonly path: "containers" | "secrets"
  readonly operation: string
  readonly keys: ReadonlyArray<keyof Consumer & string>
  find(request: Request): Step<Entity>
  show(request: Request, entity: Entity): unknown
  /** A consumer of these values, in the order of the keys. */
  make(values: ReadonlyArray<string>, made: Made): Consumer
}

interface Made {
  readonly id: string
  readonly project_id: string
  readonly created: number
}

const valuesOf = (request: Request, operation: string, keys: ReadonlyArray<string>): Step<ReadonlyArray<string>> =>
  Result.gen(function* () {
    const given = yield* bodyOf(request.incoming, operation, "Consumer")
    const missing = keys.find((_) => !stringAt(given, _))
    if (missing !== undefined) {
      return yield* schemaViolation("Consumer", `'${missing}' is a required property`, missing)
    }
    return keys.map((_) => stringAt(given, _) ?? "")
  })

const routesOf = <
  Consumer extends Made,
  Entity extends {
    readonly id: string
    readonly project_id: string
    readonly creator_id: string
    readonly acl: Secret["acl"]
    consumers: ReadonlyArray<Consumer>
  }
>(
  kind: Kind<Entity, Consumer>
): Routes => {
  const found = (request: Request, operation: string): Step<Entity> =>
    permitted(request, operation, mayRead, kind.find(request))
  const same = (consumer: Consumer, values: ReadonlyArray<string>) =>
    kind.keys.every((key, i) => consumer[key] === values[i])

  const list = (request: Request): Step<Answer> =>
    Result.map(found(request, `${kind.operation}s(s) retrieval`), (entity) => {
      const shown = entity.consumers.toSorted(oldestFirst).map((_) => ({
        ...Object.fromEntries(kind.keys.map((key) => [key, _[key]])),
        status: "ACTIVE",
        created: toSeconds(_.created),
        updated: toSeconds(_.created)
      }))
      return json(200, pageOf(request, "consumers", `${kind.path}/${entity.id}/consumers`, shown))
    })

  /** Registering the same consumer again changes nothing. */
  const register = (request: Request): Step<Answer> =>
    Result.gen(function* () {
      const operation = `${kind.operation} creation`
      const entity = yield* found(request, operation)
      const values = yield* valuesOf(request, operation, kind.keys)
      const { projectId } = request.scope
      yield* oneMore(request, operation, "consumers", entity.consumers.filter((_) => _.project_id === projectId).length)
      if (!entity.consumers.some((_) => same(_, values))) {
        const made = { id: randomUUID(), project_id: projectId, created: request.incoming.now }
        entity.consumers = [...entity.consumers, kind.make(values, made)]
      }
      return json(200, kind.show(request, entity))
    })

  const drop = (request: Request): Step<Answer> =>
    Result.gen(function* () {
      const operation = `${kind.operation} deletion`
      const entity = yield* found(request, operation)
      const values = yield* valuesOf(request, operation, kind.keys)
      const consumer = entity.consumers.find((_) => same(_, values))
      if (consumer === undefined) return yield* refuse(404, "Consumer not found.")
      const { projectId } = request.scope
      if (consumer.project_id !== projectId && entity.project_id !== projectId) {
        return yield* refuse(403, "Not Allowed. Sorry, only the creator of a consumer can delete it.")
      }
      entity.consumers = entity.consumers.filter((_) => _ !== consumer)
      return json(200, kind.show(request, entity))
    })

  return {
    [`GET /v1/${kind.path}/:id/consumers`]: call(list),
    [`POST /v1/${kind.path}/:id/consumers`]: call(register),
    [`DELETE /v1/${kind.path}/:id/consumers`]: call(drop)
  }
}

const ofContainers: Kind<Container, ContainerConsumer> = {
  path: "containers",
  operation: "ContainerConsumer",
  keys: ["name", "URL"],
  find: findContainer,
  show: ({ incoming }, container) => showContainer(incoming, container),
  make: ([name = "", URL = ""], made) => ({ ...made, name, URL })
}

const ofSecrets: Kind<Secret, SecretConsumer> = {
  path: "secrets",
  operation: "SecretConsumer",
  keys: ["service", "resource_type", "resource_id"],
  find: findSecret,
  show: ({ incoming }, secret) => showSecret(incoming, secret),
  make: ([service = "", resource_type = "", resource_id = ""], made) => ({
    ...made,
    service,
    resource_type,
    resource_id
  })
}

export const consumerRoutes: Routes = { ...routesOf(ofContainers), ...routesOf(ofSecrets) }
