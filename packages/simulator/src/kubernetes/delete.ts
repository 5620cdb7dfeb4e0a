import { Result } from "effect"
import { type JsonObject, numberAt, objectAt, stringAt } from "../Json.ts"
import { type Answer, json, type Step } from "../Wire.ts"
import { crdResource, inVersion } from "./customResources.ts"
import { orphan } from "./garbageCollection.ts"
import { apiVersionOf, resourceOf } from "./kinds.ts"
import { isAnsweredWhole, remove } from "./finalization.ts"
import { isDryRun, type Request } from "./request.ts"
import { checkListOptions } from "./listOptions.ts"
import { selectionOf } from "./selectors.ts"
import type { Thing } from "./state.ts"
import { conflict, forbidden, invalidUnless, notSupported } from "./status.ts"
import { allOf, inNamespace } from "./store.ts"
import { current } from "./update.ts"

/** Delete options, from the body or the query. */
const optionsOf = ({ incoming }: Request) => {
  const body = objectAt(incoming.json)
  const grace = incoming.query.get("gracePeriodSeconds")
  return {
    grace: numberAt(body, "gracePeriodSeconds") ?? (grace === null ? undefined : Number(grace)),
    propagation: stringAt(body, "propagationPolicy") ?? incoming.query.get("propagationPolicy") ?? "Background",
    preconditions: objectAt(body, "preconditions"),
    dryRun: Array.isArray(body["dryRun"]) && body["dryRun"].includes("All")
  }
}

const policies = ["Background", "Foreground", "Orphan"]
const undeletable: ReadonlySet<string> = new Set(["default", "kube-public", "kube-system"])

const allowed = (request: Request, thing: Thing, preconditions: JsonObject): Step<void> => {
  const { name, resourceVersion, uid } = thing.metadata
  if (request.kind.plural === "namespaces" && undeletable.has(name)) {
    return forbidden(request.kind, name, "this namespace may not be deleted")
  }
  const wanted = stringAt(preconditions, "uid")
  if (wanted !== undefined && wanted !== uid) {
    return conflict(
      request.kind,
      name,
      `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${uid}`
    )
  }
  const version = stringAt(preconditions, "resourceVersion")
  if (version === undefined || version === resourceVersion) return Result.void
  const detail = `ResourceVersion in precondition: ${version}, ResourceVersion in object meta: ${resourceVersion}`
  return conflict(request.kind, name, `Precondition failed: ${detail}`)
}

/**
 * `DELETE` of one object. The garbage collector removes its dependents a moment later, with foreground and
 * background propagation.
 */
export const deleteOne = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { kind, now, state } = request
    const thing = yield* current(request)
    const { dryRun, grace, preconditions, propagation } = optionsOf(request)
    if (!policies.includes(propagation)) {
      yield* invalidUnless({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", [
        notSupported("propagationPolicy", propagation, [...policies, "nil"])
      ])
    }
    yield* allowed(request, thing, preconditions)
    const dry = isDryRun(request) || dryRun
    if (!dry && propagation === "Orphan") orphan(state, thing, now)
    const left = dry ? thing : remove(state, resourceOf(kind), thing, now, grace)
    if (left === null && resourceOf(kind) === crdResource) removeInstances(request, thing)
    if (left !== null || isAnsweredWhole(kind)) return json(200, inVersion(kind, left ?? thing))
    const { name, uid } = thing.metadata
    const details = { name, ...(kind.group === "" ? {} : { group: kind.group }), kind: kind.plural, uid }
    return json(200, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details })
  })

/** Deleting a definition deletes its objects. */
const removeInstances = ({ now, state }: Request, definition: Thing): void => {
  for (const thing of allOf(state, definition.metadata.name)) remove(state, definition.metadata.name, thing, now)
  if (allOf(state, definition.metadata.name).length === 0) delete state.objects[definition.metadata.name]
}

/** `DELETE` of a collection, filtered by the selectors. */
export const deleteMany = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { incoming, info, kind, now, state } = request
    yield* checkListOptions(request)
    const { matches } = yield* selectionOf(kind, incoming.query)
    const resource = resourceOf(kind)
    const all = info.namespace === "" ? allOf(state, resource) : inNamespace(state, resource, info.namespace)
    const found = all.filter(matches)
    const { dryRun, grace } = optionsOf(request)
    const left = found.map((_) => (isDryRun(request) || dryRun ? _ : (remove(state, resource, _, now, grace) ?? _)))
    return json(200, {
      kind: `${kind.kind}List`,
      apiVersion: apiVersionOf(kind),
      metadata: { resourceVersion: String(state.counters.version) },
      items: left.map((_) => inVersion(kind, _))
    })
  })
