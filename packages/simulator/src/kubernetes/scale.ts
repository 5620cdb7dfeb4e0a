import { Result } from "effect"
import { isObject, type JsonObject, numberAt, objectAt, stringAt, valueAt } from "../Json.ts"
import { type Answer, json, type Step } from "../Wire.ts"
import { definitionOf } from "./customResources.ts"
import { bodyOf, mediaTypeOf } from "./decode.ts"
import { jsonPatch, mergePatch } from "./jsonPatch.ts"
import { keeping } from "./managedFields.ts"
import type { Request } from "./request.ts"
import type { Thing } from "./state.ts"
import { badRequest, conflict, invalidUnless, invalidValue, refuse } from "./status.ts"
import { current, replace } from "./update.ts"

/** The path of the wanted replicas: `["spec", "replicas"]`. */
const pathOf = ({ kind, state }: Request): ReadonlyArray<string> => {
  if (!kind.custom) return ["spec", "replicas"]
  const path = stringAt(objectAt(definitionOf(state, kind), "subresources", "scale"), "specReplicasPath") ?? ""
  return path.split(".").filter((_) => _ !== "")
}

const replicasOf = (thing: JsonObject, path: ReadonlyArray<string>): number =>
  numberAt({ replicas: valueAt(thing, ...path) }, "replicas") ?? 0

const runningOf = ({ kind, state }: Request, thing: Thing): number => {
  if (!kind.custom) return numberAt(objectAt(thing, "status"), "replicas") ?? 0
  const path = stringAt(objectAt(definitionOf(state, kind), "subresources", "scale"), "statusReplicasPath") ?? ""
  return replicasOf(
    thing,
    path.split(".").filter((_) => _ !== "")
  )
}

/** The pods that are counted, as a query: for an autoscaler. */
const selectorOf = ({ kind, state }: Request, thing: Thing): string => {
  if (kind.custom) {
    const path = stringAt(objectAt(definitionOf(state, kind), "subresources", "scale"), "labelSelectorPath") ?? ""
    const value = valueAt(thing, ...path.split(".").filter((_) => _ !== ""))
    return typeof value === "string" ? value : ""
  }
  const { matchLabels } = objectAt(thing, "spec", "selector")
  return Object.entries(objectAt(matchLabels))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${String(value)}`)
    .join(",")
}

const shown = (request: Request, thing: Thing): JsonObject => {
  const replicas = replicasOf(thing, pathOf(request))
  const selector = selectorOf(request, thing)
  const { creationTimestamp, name, namespace, resourceVersion, uid } = thing.metadata
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: runningOf(request, thing),
      ...(selector === "" ? {} : { selector })
    }
  }
}

const withReplicas = (thing: JsonObject, [key = "", ...below]: ReadonlyArray<string>, value: number): JsonObject => ({
  ...thing,
  [key]: below.length === 0 ? value : withReplicas(objectAt(thing, key), below, value)
})

/** The `scale` sub-resource: the replicas of any scalable kind, in one format. */
export const scale = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const before = yield* current(request)
    if (request.info.verb === "get") return json(200, shown(request, before))
    const wanted = yield* wantedScale(request, shown(request, before))
    const { name } = objectAt(wanted, "metadata")
    if (name !== request.info.name) {
      return yield* badRequest(
        `the name of the object (${String(name)}) does not match the name on the URL (${request.info.name})`
      )
    }
    const version = stringAt(objectAt(wanted, "metadata"), "resourceVersion")
    if (version && version !== before.metadata.resourceVersion) return yield* conflict(request.kind, request.info.name)
    const replicas = numberAt(objectAt(wanted, "spec"), "replicas") ?? 0
    if (!Number.isInteger(replicas) || replicas < 0) {
      yield* invalidUnless({ group: "autoscaling", kind: "Scale" }, request.info.name, [
        invalidValue("spec.replicas", replicas, "must be greater than or equal to 0")
      ])
    }
    const candidate = withReplicas(before, pathOf(request), replicas)
    // A scale shows no zero, so that nobody owns it any more.
    const path = pathOf(request)
      .map((_) => `f:${_}`)
      .join("\n")
    const unowned = (before.metadata.managedFields ?? []).flatMap((_) => keeping(_, (own) => own !== path))
    const { thing } = yield* replace(request, before, candidate, replicas === 0 ? unowned : undefined)
    return json(200, shown(request, thing))
  })

const wantedScale = (request: Request, scale: JsonObject): Step<JsonObject> => {
  const { incoming, info } = request
  if (info.verb === "update") return bodyOf(incoming)
  const type = mediaTypeOf(incoming)
  if (type === "application/json-patch+json") {
    const result = Result.getOrUndefined(jsonPatch(scale, incoming.json))
    return isObject(result) ? Result.succeed(result) : badRequest("the patch does not apply")
  }
  return ["application/merge-patch+json", "application/strategic-merge-patch+json"].includes(type)
    ? Result.succeed(objectAt(mergePatch(scale, incoming.json)))
    : refuse(415, "UnsupportedMediaType", "the body of the request was in an unknown format")
}
