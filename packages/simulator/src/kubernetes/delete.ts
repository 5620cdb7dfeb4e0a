import { Result } from "effect"
import { type JsonObject, numberAt, objectAt, stringAt, stringsAt } from "../Json.ts"
import { type Answer, json, type Step } from "../Wire.ts"
import { crdResource, inVersion, terminating } from "./customResources.ts"
import { collectMillis, foreground, orphaning } from "./garbageCollection.ts"
import { apiVersionOf, resourceOf } from "./kinds.ts"
import { isAnsweredWhole, remove } from "./finalization.ts"
import { isDryRun, type Request } from "./request.ts"
import { item } from "./lists.ts"
import { selectionOf } from "./selectors.ts"
import type { Thing } from "./state.ts"
import { checkListOptions } from "./listOptions.ts"
import { checkDeletion } from "./options.ts"
import { forbidden, refuse } from "./status.ts"
import { allOf, drop, inNamespace, schedule, withMeta } from "./store.ts"
import { current } from "./update.ts"

/** Delete options, from the body or the query. */
const optionsOf = ({ incoming }: Request) => {
  const body = objectAt(incoming.json)
  const grace = incoming.query.get("gracePeriodSeconds")
  return {
    grace: numberAt(body, "gracePeriodSeconds") ?? (grace === null ? undefined : Number(grace)),
    propagation: stringAt(body, "propagationPolicy") ?? incoming.query.get("propagationPolicy") ?? "Background",
    preconditions: objectAt(body, "preconditions"),
    dryRun: stringsAt(body, "dryRun") ?? []
  }
}

const undeletable: ReadonlySet<string> = new Set(["default", "kube-public", "kube-system"])

const precondition = ({ kind, info: { name } }: Request, what: string, wanted: string, is: string, how: string) =>
  refuse(
    409,
    "Conflict",
    `Operation cannot be fulfilled on ${kind.kind}${kind.group === "" ? "" : `.${kind.group}`} "${name}": the ${what} in ` +
      `the precondition (${wanted}) does not match the ${what} in record (${is}). The object might have been ${how}`,
    { name, ...(kind.group === "" ? {} : { group: kind.group }), kind: kind.kind }
  )

const allowed = (request: Request, thing: Thing, preconditions: JsonObject): Step<void> => {
  const { name, resourceVersion, uid } = thing.metadata
  if (request.kind.plural === "namespaces" && undeletable.has(name)) {
    return forbidden(request.kind, name, "this namespace may not be deleted")
  }
  const wanted = stringAt(preconditions, "uid")
  if (wanted !== undefined && wanted !== uid) {
    return precondition(request, "UID", wanted, uid, "deleted and then recreated")
  }
  const version = stringAt(preconditions, "resourceVersion")
  if (version === undefined || version === resourceVersion) return Result.void
  return precondition(request, "ResourceVersion", version, resourceVersion, "modified")
}

/**
 * `DELETE` of one object. The garbage collector removes its dependents a moment later, with foreground and
 * background propagation.
 */
export const deleteOne = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { kind, now, state } = request
    const options = optionsOf(request)
    yield* checkDeletion([...options.dryRun, ...request.incoming.query.getAll("dryRun")], options.propagation)
    const thing = yield* current(request)
    const { dryRun, grace, preconditions, propagation } = options
    yield* allowed(request, thing, preconditions)
    const dry = isDryRun(request) || dryRun.length > 0
    const held = (thing.metadata.finalizers ?? []).length > 0
    const left = dry ? (held ? thing : null) : removed(request, thing, propagation, grace)
    if (!dry && resourceOf(kind) === crdResource) {
      removeInstances(request, thing)
      drop(state, crdResource, thing, now)
      return json(200, terminating(thing, now))
    }
    if (left !== null || isAnsweredWhole(kind)) return json(200, inVersion(kind, left ?? thing))
    const { name, uid } = thing.metadata
    const details = { name, ...(kind.group === "" ? {} : { group: kind.group }), kind: kind.plural, uid }
    return json(200, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details })
  })

/** What the garbage collector has to do before an object is gone stands among its finalizers. */
const finalizerOf: Readonly<Record<string, string>> = { Orphan: orphaning, Foreground: foreground }

const removed = ({ kind, now, state }: Request, thing: Thing, propagation: string, grace?: number): Thing | null => {
  const resource = resourceOf(kind)
  const finalizer = finalizerOf[propagation]
  const others = (thing.metadata.finalizers ?? []).filter((_) => _ !== orphaning && _ !== foreground)
  const marked = finalizer === undefined ? thing : withMeta(thing, { finalizers: [...others, finalizer] })
  const left = remove(state, resource, marked, now, grace)
  if (left !== null && finalizer !== undefined) schedule(state, resource, left, now + collectMillis, "collect")
  return left
}

/** Deleting a definition deletes its objects. */
const removeInstances = ({ now, state }: Request, definition: Thing): void => {
  for (const thing of allOf(state, definition.metadata.name)) remove(state, definition.metadata.name, thing, now)
  if (allOf(state, definition.metadata.name).length === 0) delete state.objects[definition.metadata.name]
}

/** `DELETE` of a collection, filtered by the selectors. */
export const deleteMany = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { incoming, info, kind, state } = request
    const { dryRun, grace, propagation } = optionsOf(request)
    yield* checkDeletion([...dryRun, ...incoming.query.getAll("dryRun")], propagation)
    yield* checkListOptions(request)
    const { matches } = yield* selectionOf(kind, incoming.query)
    const resource = resourceOf(kind)
    const all = info.namespace === "" ? allOf(state, resource) : inNamespace(state, resource, info.namespace)
    const found = all.filter(matches)
    const dry = isDryRun(request) || dryRun.length > 0
    if (!dry) for (const _ of found) removed(request, _, propagation, grace)
    return json(200, {
      kind: `${kind.kind}List`,
      apiVersion: apiVersionOf(kind),
      metadata: { ...(kind.custom ? { continue: "" } : {}), resourceVersion: String(state.counters.version) },
      items: found.map((_) => item(kind, inVersion(kind, _)))
    })
  })
