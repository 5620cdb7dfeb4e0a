import { type JsonObject, objectAt, objectsAt, stringAt, stringsAt } from "../Json.ts"
import { toSecondsUtc } from "../times.ts"
import { apiVersionOf, builtIns, crdResource, type Kind, resourceOf } from "./kinds.ts"

export { crdResource }
import { allOf, withMeta } from "./store.ts"
import type { KubernetesState, Thing } from "./state.ts"

/** The versions of a definition, in its own order. */
export const versionsOf = (definition: JsonObject): ReadonlyArray<JsonObject> =>
  objectsAt(definition, "spec", "versions")

/** Objects are never changed in place, so that a definition is read once. */
const known = new WeakMap<Thing, ReadonlyArray<Kind>>()

const kindsOfDefinition = (definition: Thing): ReadonlyArray<Kind> => {
  const found = known.get(definition) ?? kindsIn(definition)
  known.set(definition, found)
  return found
}

const kindsIn = (definition: Thing): ReadonlyArray<Kind> => {
  const spec = objectAt(definition, "spec")
  const names = objectAt(spec, "names")
  return versionsOf(definition)
    .filter((_) => _["served"] === true)
    .map((version) => ({
      group: stringAt(spec, "group") ?? "",
      version: stringAt(version, "name") ?? "",
      kind: stringAt(names, "kind") ?? "",
      plural: stringAt(names, "plural") ?? "",
      singular: stringAt(names, "singular") ?? (stringAt(names, "kind") ?? "").toLowerCase(),
      shortNames: stringsAt(names, "shortNames") ?? [],
      categories: stringsAt(names, "categories") ?? [],
      namespaced: stringAt(spec, "scope") === "Namespaced",
      stored: true,
      subresources: ["status", "scale"].filter((_) => Object.hasOwn(objectAt(version, "subresources"), _)),
      counted: true,
      custom: true
    }))
}

/** All served kinds: the built-in ones and those of every definition. */
export const kindsOf = (state: KubernetesState): ReadonlyArray<Kind> => [
  ...builtIns,
  ...allOf(state, crdResource).flatMap(kindsOfDefinition)
]

export const findKind = (state: KubernetesState, group: string, version: string, plural: string): Kind | undefined =>
  kindsOf(state).find((_) => _.group === group && _.version === version && _.plural === plural)

/** The definition of a custom kind, in the requested version. */
export const definitionOf = (state: KubernetesState, kind: Kind): JsonObject => {
  const definition = state.objects[crdResource]?.[`/${kind.plural}.${kind.group}`]
  return versionsOf(definition ?? {}).find((_) => _["name"] === kind.version) ?? {}
}

/** An object in the requested version; only `apiVersion` is converted. */
export const inVersion = (kind: Kind, thing: Thing): Thing =>
  kind.custom ? { ...thing, apiVersion: apiVersionOf(kind) } : thing

const condition = (type: string, reason: string, message: string, now: number) => ({
  type,
  status: "True",
  lastTransitionTime: toSecondsUtc(now),
  reason,
  message
})

const cleanup = "customresourcecleanup.apiextensions.k8s.io"

/** A definition that is being deleted: its objects go first. */
export const terminating = (definition: Thing, now: number): Thing => {
  const status = objectAt(definition, "status")
  const message = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"
  const conditions = [
    ...objectsAt(status, "conditions"),
    condition("Terminating", "InstanceDeletionPending", message, now)
  ]
  return {
    ...withMeta(definition, { deletionTimestamp: toSecondsUtc(now), finalizers: [cleanup] }),
    status: { ...status, conditions }
  }
}

/** A definition as its controllers leave it: names accepted, established at once. */
export const established = (definition: Thing, now: number): Thing => ({
  ...withMeta(definition, { finalizers: [...new Set([...(definition.metadata.finalizers ?? []), cleanup])] }),
  status: {
    conditions: [
      condition("NamesAccepted", "NoConflicts", "no conflicts found", now),
      condition("Established", "InitialNamesAccepted", "the initial names have been accepted", now)
    ],
    acceptedNames: objectAt(definition, "spec", "names"),
    storedVersions: storedVersions(definition)
  }
})

export const storedVersions = (definition: JsonObject): ReadonlyArray<unknown> =>
  versionsOf(definition)
    .filter((_) => _["storage"] === true)
    .map((_) => _["name"])

/** The objects of the cluster, by resource; the watch history is not included. */
export const shownKubernetes = (state: KubernetesState): Readonly<Record<string, ReadonlyArray<Thing>>> =>
  Object.fromEntries(
    kindsOf(state)
      .filter((_) => _.stored)
      .map((kind) => [resourceOf(kind), allOf(state, resourceOf(kind))])
  )
