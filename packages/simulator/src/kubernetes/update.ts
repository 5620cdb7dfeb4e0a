import { Result } from "effect"
import { type JsonObject, objectAt, stringAt } from "../Json.ts"
import type { Step } from "../Wire.ts"
import { checkAdmission } from "./admission.ts"
import { provisionMillis } from "./claims.ts"
import { crdResource, established } from "./customResources.ts"
import type { Written } from "./create.ts"
import { ofKind, thingOf, typed } from "./decode.ts"
import { checkEscalation } from "./escalation.ts"
import { type Kind, resourceOf } from "./kinds.ts"
import { afterUpdate } from "./managedFields.ts"
import { checkOptions } from "./options.ts"
import { checkWebhooks, mutated } from "./operators/webhooks.ts"
import { isDryRun, type Request, writerOf } from "./request.ts"
import { shapeOf } from "./shapes.ts"
import type { KubernetesState, Meta, Thing } from "./state.ts"
import { badRequest, conflict, invalidUnless, invalidValue, notFound } from "./status.ts"
import { drop, find, omit, put, schedule, withManaged } from "./store.ts"
import { canonicalJson } from "./canonicalJson.ts"
import { validateChange } from "./validateChange.ts"

/** The object that the path names, if it exists. */
export const stored = ({ info, kind, state }: Request): Thing | undefined =>
  find(state, resourceOf(kind), kind.namespaced ? info.namespace : undefined, info.name)

export const current = (request: Request): Step<Thing> => {
  const found = stored(request)
  return found === undefined ? notFound(request.kind, request.info.name) : Result.succeed(found)
}

/** Kinds whose strategy has AllowCreateOnUpdate in kubernetes/kubernetes, pkg/registry: a PUT makes what is not there. */
const madeByPut: ReadonlySet<string> = new Set([
  "endpoints",
  "events",
  "events.events.k8s.io",
  "leases.coordination.k8s.io",
  "limitranges",
  "podtemplates",
  "rolebindings.rbac.authorization.k8s.io",
  "roles.rbac.authorization.k8s.io",
  "services"
])

/** A `PUT` names the version that it replaces: custom kinds, and those without AllowUnconditionalUpdate. */
const needsVersion = (kind: Kind): boolean => kind.custom || resourceOf(kind) === "leases.coordination.k8s.io"

/** Whether a `PUT` makes the object. */
export const makesByPut = (request: Request): boolean =>
  request.info.subresource === "" && madeByPut.has(resourceOf(request.kind)) && stored(request) === undefined

/** `PUT`: the object as a whole, or its status when that is asked for. */
export const update = (request: Request): Step<Written> =>
  Result.gen(function* () {
    const { info, kind } = request
    yield* checkOptions(request.incoming.query, "UpdateOptions")
    const body = yield* thingOf(request.incoming, kind)
    const metadata = objectAt(body, "metadata")
    const name = stringAt(metadata, "name") ?? ""
    if (name === "") return yield* unnamed(info.name)
    if (name !== info.name) {
      return yield* badRequest(`the name of the object (${name}) does not match the name on the URL (${info.name})`)
    }
    const before = yield* current(request)
    if (needsVersion(kind) && !stringAt(metadata, "resourceVersion")) {
      yield* invalidUnless({ group: kind.group, kind: kind.plural }, name, [
        invalidValue("metadata.resourceVersion", 0, "must be specified for an update")
      ])
    }
    return yield* replace(request, before, body)
  })

/** Puts a candidate in the place of an object, as far as it may take it. */
export const replace = (
  request: Request,
  before: Thing,
  candidate: JsonObject,
  /** Managed fields that are decided already, by an apply. */
  managed?: Meta["managedFields"]
): Step<Written> =>
  Result.gen(function* () {
    const { kind, state } = request
    yield* matches(request, before, candidate)
    const { object, warnings } = yield* typed(request, yield* ofKind(candidate, kind))
    // Webhooks are asked about the objects themselves, and not about their sub-resources: `scale` goes past them.
    const whole = request.info.subresource === ""
    const next = assembled(request, before, object)
    const after = counted(kind, before, whole ? mutated(kind, next) : next)
    yield* validateChange(state, kind, before, after, request.info.subresource !== "status")
    if (request.info.subresource !== "status") {
      if (whole) yield* checkWebhooks(kind, after, before)
      if (content(before) !== content(after)) yield* checkEscalation(request, after)
      yield* checkAdmission(state, kind, after, before)
    }
    const writer = writerOf(request, "Update")
    const managedFields =
      managed ?? afterUpdate(before, next, next.metadata.managedFields ?? [], shapeOf(state, kind), writer)
    const thing = withManaged(after, managedFields)
    // A write that changes nothing is none: the version stays, and nobody who watches hears of it.
    if (content(before) === content(thing) && sameOwners(before, thing)) return { thing: before, warnings }
    return { thing: isDryRun(request) ? thing : store(state, resourceOf(kind), before, thing, request.now), warnings }
  })

const unnamed = (name: string) =>
  badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`)

const matches = ({ info, kind }: Request, before: Thing, candidate: JsonObject): Step<void> => {
  const metadata = objectAt(candidate, "metadata")
  const { name, namespace, resourceVersion, uid } = before.metadata
  const given = (key: string) => stringAt(metadata, key) || undefined
  if (given("name") === undefined) return unnamed(name)
  if ((given("namespace") ?? namespace) !== namespace) {
    return badRequest("the namespace of the provided object does not match the namespace sent on the request")
  }
  if ((given("name") ?? name) !== name) {
    return badRequest(`the name of the object (${given("name")}) does not match the name on the URL (${name})`)
  }
  const wanted = given("uid") ?? uid
  if (wanted !== uid) {
    const key = ["/registry", kind.custom ? kind.group : "", kind.plural, info.namespace, name].filter((_) => _ !== "")
    return conflict(
      kind,
      name,
      `StorageError: invalid object, Code: 4, Key: ${key.join("/")}, ResourceVersion: 0, AdditionalErrorMsg: ` +
        `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${uid}`
    )
  }
  return (given("resourceVersion") ?? resourceVersion) === resourceVersion ? Result.void : conflict(kind, name)
}

/** What of the candidate counts; the rest is as it was. */
const assembled = ({ info, kind }: Request, before: Thing, object: JsonObject): Thing => {
  const { deletionGracePeriodSeconds, deletionTimestamp, generation } = before.metadata
  const { managedFields, ...given } = objectAt(object, "metadata")
  const fixed = {
    name: before.metadata.name,
    uid: before.metadata.uid,
    resourceVersion: before.metadata.resourceVersion,
    creationTimestamp: before.metadata.creationTimestamp,
    managedFields: Array.isArray(managedFields) ? managedFields : (before.metadata.managedFields ?? []),
    ...(before.metadata.namespace === undefined ? {} : { namespace: before.metadata.namespace }),
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    ...(deletionGracePeriodSeconds === undefined ? {} : { deletionGracePeriodSeconds }),
    ...(generation === undefined ? {} : { generation })
  }
  if (info.subresource === "status") {
    return { ...before, status: object["status"], metadata: { ...before.metadata, managedFields: fixed.managedFields } }
  }
  const separate = kind.subresources.includes("status")
  const { status: _, ...rest } = object
  return {
    ...(separate ? rest : object),
    ...(separate && before["status"] !== undefined ? { status: before["status"] } : {}),
    // What the scheduler and the provisioner have filled in stays when the client leaves it out.
    ...(before["spec"] !== undefined && !kind.custom
      ? { spec: addressed(kind, before, { ...filledIn(kind, before), ...objectAt(rest, "spec") }) }
      : {}),
    apiVersion: before.apiVersion,
    kind: before.kind,
    metadata: { ...given, ...fixed }
  }
}

/** The two fields of a Service's address follow each other. */
const addressed = (kind: Kind, before: Thing, spec: JsonObject): JsonObject => {
  const { clusterIP } = spec
  const changed = resourceOf(kind) === "services" && clusterIP !== objectAt(before, "spec")["clusterIP"]
  return changed && typeof clusterIP === "string" ? { ...spec, clusterIPs: [clusterIP] } : spec
}

/** Fields that are the system's to fill in, and that an update may leave out. */
const systemFields: Readonly<Record<string, ReadonlyArray<string>>> = {
  services: ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"],
  pods: ["serviceAccountName", "serviceAccount", "preemptionPolicy", "priority", "tolerations", "nodeName"],
  persistentvolumeclaims: ["volumeName", "storageClassName", "volumeMode"]
}

const filledIn = (kind: Kind, before: Thing): JsonObject =>
  Object.fromEntries(
    Object.entries(objectAt(before, "spec")).filter(([key]) => systemFields[resourceOf(kind)]?.includes(key) === true)
  )

const content = ({ metadata, ...rest }: Thing): string => {
  return canonicalJson({ ...rest, metadata: omit(metadata, "managedFields", "resourceVersion") })
}

const sameOwners = (before: Thing, after: Thing): boolean => {
  const owners = ({ metadata }: Thing) =>
    canonicalJson((metadata.managedFields ?? []).map(({ time: _, ...rest }) => rest))
  return owners(before) === owners(after)
}

const counted = (kind: Kind, before: Thing, after: Thing): Thing => {
  const specified = ({ metadata: _, status, ...rest }: Thing) =>
    canonicalJson(kind.subresources.includes("status") ? rest : { ...rest, status })
  if (!kind.counted || specified(before) === specified(after)) return after
  return { ...after, metadata: { ...after.metadata, generation: (before.metadata.generation ?? 1) + 1 } }
}

const store = (state: KubernetesState, resource: string, before: Thing, after: Thing, now: number): Thing => {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = after.metadata
  if (deletionTimestamp !== undefined && finalizers.length === 0 && resource !== "namespaces") {
    // The last finalizer is gone, and with it the object, unless containers are still to stop.
    const stored = put(state, resource, after, now)
    if (resource !== "pods" || deletionGracePeriodSeconds === 0) drop(state, resource, stored, now)
    return stored
  }
  if (resource === crdResource) return put(state, resource, established(after, now), now)
  const stored = put(state, resource, after, now)
  const grown = canonicalJson(before["spec"]) !== canonicalJson(after["spec"])
  if (resource === "persistentvolumeclaims" && grown) schedule(state, resource, stored, now + provisionMillis)
  return stored
}
