import { Result } from "effect"
import { entry, has, type JsonObject, objectAt } from "../Json.ts"
import type { Scope } from "../keystone/state.ts"
import { type Answer, empty, type Handler, json, type Routes, type Step } from "../Wire.ts"
import { type Attributes, checkBody } from "./attributes.ts"
import { badRequest, hidden, notFound, policyRefused, ruleRefused } from "./errors.ts"
import { filtered, paged, pick } from "./lists.ts"
import { checkQuota } from "./quotas.ts"
import { call, ifMatch, mayWrite, newThing, owns, param, projectOf, type Request, touch, wrapped } from "./request.ts"
import { tagRoutes } from "./tags.ts"
import type { NeutronState, Thing } from "./state.ts"

/** A kind of object with its properties; the generic controller below serves all kinds, as upstream's does. */
export interface Kind<T extends Thing> {
  readonly resource: string
  /** As in the URL with dashes for underscores. */
  readonly collection: string
  /** As in `NetworkNotFound`. */
  readonly title: string
  readonly attributes: Attributes
  readonly updates: boolean
  /** The database finds another project's object, and the policy hides it. */
  readonly policed?: true
  /** Fields that only the answer to a create shows. */
  created?(thing: T): JsonObject
  /** The answer to an update, where it is not what a read shows. */
  updated?(thing: T, given: JsonObject, shown: JsonObject): JsonObject
  things(neutron: NeutronState): Record<string, T>
  /** Visible to every project, such as an external network. */
  shared?(neutron: NeutronState, thing: T, scope: Scope): boolean
  show(neutron: NeutronState, thing: T, scope: Scope): JsonObject
  /** Runs before the quota and the policy: whether the project may use the parent. */
  attach?(request: Request, project: string, given: JsonObject): Step<void>
  /** Values that the policy refuses to a member, although it may set the attribute. */
  permit?(request: Request, method: "create" | "update" | "delete", given: JsonObject, thing: T | undefined): Step<void>
  beforeList?(request: Request): Step<void>
  /** Validates all objects of a bulk create before the first is created. */
  beforeBulk?(request: Request, given: ReadonlyArray<JsonObject>): Step<void>
  create(request: Request, thing: Thing, given: JsonObject): Step<T>
  update(request: Request, thing: T, given: JsonObject): Step<void>
  remove(request: Request, thing: T): Step<void>
}

/** Fields of every object, in addition to its attributes. */
export const common = ({ project_id, ...thing }: Thing): JsonObject => ({ ...thing, project_id, tenant_id: project_id })

/** The 404 for another project's object: for most kinds the database does not find it. */
const foreign = <T extends Thing>({ policed, title }: Kind<T>, id: string): Step<never> =>
  policed === true ? hidden : notFound(title, id)

/** The object of the path for a read. */
export const readable = <T extends Thing>(kind: Kind<T>, request: Request, id: string): Step<T> => {
  const thing = entry(kind.things(request.neutron), id)
  if (thing === undefined) return notFound(kind.title, id)
  return owns(request.scope, thing) || kind.shared?.(request.neutron, thing, request.scope) === true
    ? Result.succeed(thing)
    : foreign(kind, id)
}

export const writable = <T extends Thing>(kind: Kind<T>, request: Request, id: string): Step<T> => {
  const thing = entry(kind.things(request.neutron), id)
  if (thing === undefined) return notFound(kind.title, id)
  if (owns(request.scope, thing)) return Result.succeed(thing)
  // The fields that a project sees of an object that is shared with it.
  return kind.shared?.(request.neutron, thing, request.scope) === true
    ? ruleRefused(`${request.incoming.method === "DELETE" ? "delete" : "update"}_${kind.resource}`)
    : foreign(kind, id)
}

/** An object that a body references: an invisible one does not exist. */
export const referred = <T extends Thing>(kind: Kind<T>, { neutron, scope }: Request, id: string): Step<T> => {
  const thing = entry(kind.things(neutron), id)
  return thing !== undefined && (owns(scope, thing) || kind.shared?.(neutron, thing, scope) === true)
    ? Result.succeed(thing)
    : notFound(kind.title, id)
}

const permitted = <T extends Thing>(
  kind: Kind<T>,
  request: Request,
  method: "create" | "update",
  body: JsonObject,
  thing?: T
): Step<void> =>
  Result.gen(function* () {
    const rule = `${method}_${kind.resource}`
    yield* mayWrite(request, rule)
    if (request.scope.admin) return
    const reserved = Object.keys(body).find((_) => kind.attributes[_]?.admin === true)
    if (reserved !== undefined) return yield* policyRefused(`${rule} and rule:${rule}:${reserved}`)
    if (kind.permit !== undefined) yield* kind.permit(request, method, body, thing)
  })

const bodiesOf = <T extends Thing>(kind: Kind<T>, request: Request): Step<ReadonlyArray<JsonObject>> => {
  const body = objectAt(request.incoming.json)
  const many = body[kind.collection]
  if (has(body, kind.resource) || !Array.isArray(many)) return Result.map(wrapped(request, kind.resource), (_) => [_])
  // A bulk item may have an envelope of its own, which upstream removes.
  const items = many.map((_) => (has(_, kind.resource) ? objectAt(_, kind.resource) : objectAt(_)))
  return items.length === 0 ? badRequest("Resources required") : Result.succeed(items)
}

/** The hooks run in upstream's order: body 400, parent 403/404, quota 409, policy 403, and then the plugin. */
const create = <T extends Thing>(kind: Kind<T>, request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { neutron, scope } = request
    const bodies = yield* bodiesOf(kind, request)
    const items: Array<{ readonly project: string; readonly body: JsonObject; readonly given: JsonObject }> = []
    for (const body of bodies) {
      const project = yield* projectOf(request, body)
      items.push({ project, body, given: yield* checkBody(kind.attributes, body, "POST") })
    }
    for (const { given, project } of items) if (kind.attach !== undefined) yield* kind.attach(request, project, given)
    for (const [project, group] of Map.groupBy(items, (_) => _.project)) {
      yield* checkQuota(neutron, project, kind.resource, group.length)
    }
    for (const { body } of items) yield* permitted(kind, request, "create", body)
    if (kind.beforeBulk !== undefined) {
      yield* kind.beforeBulk(
        request,
        items.map((_) => ({ ..._.given, project_id: _.project }))
      )
    }
    const created: Array<T> = []
    for (const { given, project } of items) {
      const thing = yield* kind.create(request, newThing(request.now, project, given), given)
      kind.things(neutron)[thing.id] = thing
      created.push(thing)
    }
    const shown = created.map((_) => ({ ...kind.show(neutron, _, scope), ...kind.created?.(_) }))
    return json(
      201,
      has(request.incoming.json, kind.resource) ? { [kind.resource]: shown[0] } : { [kind.collection]: shown }
    )
  })

/** A refused create leaves no object behind, whichever item of a bulk was refused. */
const atomically = (request: Request, step: (request: Request) => Step<Answer>): Step<Answer> => {
  const before = structuredClone(request.neutron)
  const done = step(request)
  if (Result.isFailure(done)) Object.assign(request.neutron, before)
  return done
}

const list = <T extends Thing>(kind: Kind<T>, request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { incoming, neutron, scope } = request
    const visible = () =>
      Object.values(kind.things(neutron))
        .filter((_) => owns(scope, _) || kind.shared?.(neutron, _, scope) === true)
        .map((_) => kind.show(neutron, _, scope))
    yield* filtered(kind.attributes, incoming.query, [])
    if (kind.beforeList !== undefined) yield* kind.beforeList(request)
    const found = yield* filtered(kind.attributes, incoming.query, visible())
    return json(200, yield* paged(request, kind.collection, kind.title, found))
  })

const show = <T extends Thing>(kind: Kind<T>, request: Request): Step<Answer> =>
  Result.map(readable(kind, request, param(request, "id")), (thing) =>
    json(200, { [kind.resource]: pick(request.incoming.query, kind.show(request.neutron, thing, request.scope)) })
  )

const update = <T extends Thing>(kind: Kind<T>, request: Request): Step<Answer> =>
  Result.gen(function* () {
    const body = yield* wrapped(request, kind.resource)
    const given = yield* checkBody(kind.attributes, body, "PUT")
    const thing = yield* writable(kind, request, param(request, "id"))
    yield* permitted(kind, request, "update", body, thing)
    yield* ifMatch(request, thing)
    yield* kind.update(request, thing, given)
    const shown = changed(kind, request, thing)
    return json(200, { [kind.resource]: kind.updated?.(thing, given, shown) ?? shown })
  })

const remove = <T extends Thing>(kind: Kind<T>, request: Request): Step<Answer> =>
  Result.gen(function* () {
    const thing = yield* writable(kind, request, param(request, "id"))
    yield* mayWrite(request, `delete_${kind.resource}`)
    if (kind.permit !== undefined && !request.scope.admin) yield* kind.permit(request, "delete", {}, thing)
    yield* ifMatch(request, thing)
    yield* kind.remove(request, thing)
    delete kind.things(request.neutron)[thing.id]
    return empty(204)
  })

/** A route that a member may call on the object of its path; the result is a 200. */
export const action = <T extends Thing>(
  kind: Kind<T>,
  rule: string,
  act: (request: Request, thing: T) => Step<unknown>
): Handler =>
  call((request) =>
    Result.gen(function* () {
      const thing = yield* writable(kind, request, param(request, "id"))
      yield* mayWrite(request, rule)
      return json(200, yield* act(request, thing))
    })
  )

/** The object after a change, as every answer shows it. */
export const changed = <T extends Thing>(kind: Kind<T>, { neutron, now, scope }: Request, thing: T): JsonObject => {
  touch(thing, now)
  return kind.show(neutron, thing, scope)
}

export const routesOf = <T extends Thing>(kind: Kind<T>): Routes => {
  const url = `/v2.0/${kind.collection.replaceAll("_", "-")}`
  return {
    [`GET ${url}`]: call((request) => list(kind, request)),
    [`POST ${url}`]: call((request) => atomically(request, (_) => create(kind, _))),
    [`GET ${url}/:id`]: call((request) => show(kind, request)),
    ...(kind.updates ? { [`PUT ${url}/:id`]: call((request) => update(kind, request)) } : {}),
    [`DELETE ${url}/:id`]: call((request) => remove(kind, request)),
    // Every caller that sees an object may tag it (CVE-2024-53916).
    ...tagRoutes(url, (request) => readable(kind, request, param(request, "id")))
  }
}
