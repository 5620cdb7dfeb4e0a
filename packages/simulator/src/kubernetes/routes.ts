import { randomUUID } from "node:crypto"
import { Result } from "effect"
import { type Answer, type Handler, type Incoming, json, type Matched, type Step } from "../Wire.ts"
import { findKind, inVersion } from "./customResources.ts"
import { create, type Written } from "./create.ts"
import { deleteMany, deleteOne } from "./delete.ts"
import { discover } from "./discovery.ts"
import { attach, exec, portforward, proxied } from "./exec.ts"
import { identify } from "./identity.ts"
import { builtInKind, type Kind } from "./kinds.ts"
import { get, list, shownAs } from "./lists.ts"
import { evict, finalize } from "./namespaces.ts"
import { formatOf } from "./negotiate.ts"
import { openapiOf } from "./openapi.ts"
import { patch } from "./patch.ts"
import { podLog } from "./podLog.ts"
import { inJson } from "./protobuf.ts"
import { allows, type Identity } from "./rbac.ts"
import type { Request } from "./request.ts"
import { type PathRequest, requestInfoOf, type ResourceRequest, routeOf } from "./requestInfo.ts"
import { review } from "./reviews.ts"
import { scale } from "./scale.ts"
import { followUp, settle } from "./settle.ts"
import { failure, forbidden, methodNotAllowed, noSuchPath, refuse } from "./status.ts"
import { requestToken } from "./tokenRequest.ts"
import { makesByPut, update } from "./update.ts"
import { watch } from "./watch.ts"

/** Every path has a route, so that authentication precedes the 404. */
export const kubernetesRouter = (method: string, path: string): Matched => ({
  route: routeOf(requestInfoOf({ method, path, query: new URLSearchParams() })),
  handler: answer,
  params: {}
})

const answer: Handler = (received) => {
  const incoming = inJson(received)
  const { now, world } = incoming
  settle(world, now)
  const answered = Result.merge(Result.flatMap(identify(incoming), (who) => authorized(incoming, who)))
  followUp(world.kubernetes, now)
  const headers = { "audit-id": randomUUID(), "cache-control": "no-cache, private", ...answered.headers }
  return { ...answered, headers }
}

const authorized = (incoming: Incoming, who: Identity): Step<Answer> => {
  const info = requestInfoOf(incoming)
  return info.isResource ? ofResource(incoming, who, info) : ofPath(incoming, who, info)
}

const ofPath = (incoming: Incoming, who: Identity, { path, verb }: PathRequest): Step<Answer> => {
  const decision = allows(incoming.world.kubernetes, who, { verb, path })
  if (!decision.allowed) return refuse(403, "Forbidden", `forbidden: ${decision.reason}`)
  if (incoming.method !== "GET" && !(incoming.method === "HEAD" && takesAnyMethod.test(path))) {
    return Result.succeed(notHere(incoming))
  }
  const group = /^\/openapi\/v3\/apis?\/(.+)$/.exec(path)?.[1]
  return Result.succeed(group === undefined ? discover(incoming) : (openapiOf(group) ?? noSuchPath))
}

/** Most non-resource paths accept only GET; these accept any method. */
const takesAnyMethod = /^\/($|healthz|livez|readyz|openapi\/)/

const notHere = (incoming: Incoming): Answer => {
  const found = discover({ ...incoming, method: "GET" })
  return found.status === 404
    ? found
    : failure(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {})
}

const ofResource = (incoming: Incoming, who: Identity, info: ResourceRequest): Step<Answer> => {
  const state = incoming.world.kubernetes
  const decision = allows(state, who, info)
  if (!decision.allowed) {
    const named: Kind = { ...builtInKind("pods"), group: info.group, plural: info.resource }
    return forbidden(named, info.name, decision.reason)
  }
  const kind = findKind(state, info.group, info.version, info.resource)
  if (kind === undefined || !isPlaced(kind, info)) return Result.fail(noSuchPath)
  return dispatch({ incoming, state, now: incoming.now, who, kind, info })
}

/** Namespaced objects need a namespace for a create and for a name; cluster-scoped objects must not have one. */
const isPlaced = (kind: Kind, info: ResourceRequest): boolean => {
  if (kind.plural === "namespaces" && kind.group === "") return true
  if (!kind.namespaced) return info.namespace === ""
  return info.namespace !== "" || ["list", "watch"].includes(info.verb)
}

type Verb = (request: Request) => Step<Answer>

/** Sub-resources of single kinds, by name, with their verbs. */
const ownSubresources: Readonly<Record<string, readonly [verbs: string, handler: Verb]>> = {
  "pods/log": ["get", podLog],
  "pods/exec": ["get create", exec],
  "pods/attach": ["get create", attach],
  "pods/portforward": ["get create", portforward],
  "pods/eviction": ["create", evict],
  "pods/proxy": ["*", proxied],
  "services/proxy": ["*", proxied],
  "nodes/proxy": ["*", proxied],
  "serviceaccounts/token": ["create", requestToken],
  "namespaces/finalize": ["update", finalize]
}

const dispatch = (request: Request): Step<Answer> => {
  const { incoming, info, kind } = request
  // Built-in kinds accept GET without HEAD; custom kinds and `proxy` paths accept HEAD too.
  if (incoming.method === "HEAD" && !kind.custom && info.subresource !== "proxy") return methodNotAllowed
  if (info.subresource !== "") return onSubresource(request, `${kind.plural}/${info.subresource}`)
  if (!kind.stored) return info.verb === "create" ? review(request) : methodNotAllowed
  return verbs(request)[info.verb]?.(request) ?? methodNotAllowed
}

const onSubresource = (request: Request, path: string): Step<Answer> => {
  const { info, kind } = request
  const [taken = "", handler] = (kind.group === "" ? ownSubresources[path] : undefined) ?? []
  if (handler !== undefined) {
    return taken === "*" || taken.split(" ").includes(info.verb) ? handler(request) : methodNotAllowed
  }
  if (!kind.subresources.includes(info.subresource) || info.rest.length > 0) return Result.fail(noSuchPath)
  if (!["get", "update", "patch"].includes(info.verb)) return methodNotAllowed
  if (info.subresource === "scale") return scale(request)
  return verbs(request)[info.verb]?.(request) ?? methodNotAllowed
}

/** The verbs of an object, and of a collection. */
const verbs = ({ info, kind }: Request): Readonly<Record<string, Verb>> =>
  info.name === "" || ["list", "watch", "deletecollection"].includes(info.verb)
    ? {
        list,
        watch,
        create: (_) => written(_, 201, create),
        ...(kind.plural === "namespaces" ? {} : { deletecollection: deleteMany })
      }
    : { get, update: put, patch: patched, delete: deleteOne }

const put: Verb = (request) => (makesByPut(request) ? written(request, 201, create) : written(request, 200, update))

const patched: Verb = (request) => Result.flatMap(patch(request), (_) => shown(request, _.created ? 201 : 200, _))

const written = (request: Request, status: number, write: (request: Request) => Step<Written>): Step<Answer> =>
  Result.flatMap(write(request), (_) => shown(request, status, _))

const shown = (request: Request, status: number, { thing, warnings }: Written): Step<Answer> =>
  Result.map(formatOf(request.incoming, request.kind.custom), (format) => {
    const warning = warnings.map((_) => `299 - ${JSON.stringify(_)}`).join(", ")
    const object = shownAs(request, format, inVersion(request.kind, thing))
    return json(status, object, warning === "" ? {} : { warning })
  })
