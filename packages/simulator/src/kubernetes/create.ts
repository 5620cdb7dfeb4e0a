import { randomInt, randomUUID } from "node:crypto"
import { Result } from "effect"
import { type JsonObject, objectAt, stringAt } from "../Json.ts"
import type { Step } from "../Wire.ts"
import { toSecondsUtc } from "../times.ts"
import { admitCreate, checkAdmission } from "./admission.ts"
import { prepareClaim, provisionMillis } from "./claims.ts"
import { crdResource, established, storedVersions } from "./customResources.ts"
import { thingOf, typed } from "./decode.ts"
import { initialStatus } from "./defaults.ts"
import { checkEscalation } from "./escalation.ts"
import { resourceOf } from "./kinds.ts"
import { afterUpdate } from "./managedFields.ts"
import { checkOptions } from "./options.ts"
import { checkWebhooks, mutated, warningsOf } from "./operators/webhooks.ts"
import { begin } from "./pods.ts"
import { isDryRun, type Request, writerOf } from "./request.ts"
import { rootCertificate } from "./rootCertificate.ts"
import { rootCertificateNote } from "./seeds.ts"
import { shapeOf } from "./shapes.ts"
import type { KubernetesState, Meta, Thing } from "./state.ts"
import { alreadyExists, badRequest, refuse } from "./status.ts"
import { find, omit, put, schedule, withManaged, withMeta } from "./store.ts"
import { validate } from "./validate.ts"

/** A written object, and the fields that were pruned from it. */
export interface Written {
  readonly thing: Thing
  readonly warnings: ReadonlyArray<string>
}

/** Consonants and digits, so that a generated name contains no word. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789"

const suffix = () => Array.from({ length: 5 }, () => alphabet[randomInt(alphabet.length)]).join("")

const nameOf = (metadata: JsonObject): string => {
  const base = stringAt(metadata, "generateName") ?? ""
  return stringAt(metadata, "name") || (base === "" ? "" : `${base.slice(0, 58)}${suffix()}`)
}

export const create = (request: Request): Step<Written> =>
  Result.gen(function* () {
    yield* checkOptions(request.incoming.query, "CreateOptions")
    const body = yield* thingOf(request.incoming, request.kind)
    return yield* createFrom(request, body, (_) => _)
  })

/** Creates an object from a body of the right kind. `stamped` sets its managed fields. */
export const createFrom = (request: Request, body: JsonObject, stamped: (thing: Thing) => Thing): Step<Written> =>
  Result.gen(function* () {
    const { kind, now, state } = request
    const given = objectAt(body, "metadata")
    if (stringAt(given, "resourceVersion")) {
      return yield* refuse(500, "", "resourceVersion should not be set on objects to be created")
    }
    const { object, warnings } = yield* typed(request, body)
    const fresh = yield* newThing(request, object)
    const prepared = prepare(state, request, fresh)
    const admitted = yield* admitCreate(state, kind, mutated(kind, prepared))
    yield* validate(state, kind, admitted)
    yield* checkWebhooks(kind, admitted, null)
    yield* checkEscalation(request, admitted)
    yield* checkAdmission(state, kind, admitted, null)
    const { name, namespace } = admitted.metadata
    if (find(state, resourceOf(kind), namespace, name) !== undefined) return yield* alreadyExists(kind, name)
    const writer = { ...writerOf(request, "Update"), subresource: "" }
    // What the server adds after decoding has no owner.
    const decoded = kind.subresources.includes("status") ? omit(object, "status") : object
    const thing = stamped(withManaged(admitted, afterUpdate({}, decoded, [], shapeOf(state, kind), writer)))
    const stored = isDryRun(request) ? thing : store(state, resourceOf(kind), thing, now)
    return { thing: stored, warnings: [...warnings, ...warningsOf(kind, thing)] }
  })

/** The object with the metadata that only the server sets. */
const newThing = ({ info, kind, now }: Request, object: JsonObject): Step<Thing> => {
  const given = objectAt(object, "metadata")
  const namespace = stringAt(given, "namespace") || info.namespace
  if (kind.namespaced && namespace === "") {
    return badRequest("an empty namespace may not be set during creation")
  }
  if (kind.namespaced && namespace !== info.namespace) {
    return badRequest("the namespace of the provided object does not match the namespace sent on the request")
  }
  const kept = omit(given, "deletionTimestamp", "generation", "managedFields", "namespace")
  const metadata: Meta = {
    ...kept,
    name: nameOf(given),
    ...(kind.namespaced ? { namespace } : {}),
    uid: randomUUID(),
    resourceVersion: "",
    creationTimestamp: toSecondsUtc(now),
    ...(kind.counted ? { generation: 1 } : {})
  }
  const status = initialStatus(resourceOf(kind))
  const keepsStatus = !kind.subresources.includes("status") || kind.plural === "namespaces"
  return Result.succeed({
    ...(keepsStatus ? object : omit(object, "status")),
    ...(status === undefined ? {} : { status }),
    apiVersion: String(object["apiVersion"]),
    kind: kind.kind,
    metadata
  })
}

/** What the strategies of some kinds add to a new object. */
const prepare = (state: KubernetesState, request: Request, thing: Thing): Thing => {
  const { name } = thing.metadata
  switch (resourceOf(request.kind)) {
    case "namespaces":
      return withMeta(thing, { labels: { ...thing.metadata.labels, "kubernetes.io/metadata.name": name } })
    case "services":
      return withAddress(state, thing, isDryRun(request))
    case "persistentvolumeclaims":
      return prepareClaim(thing)
    case crdResource:
      return {
        ...thing,
        status: { conditions: null, acceptedNames: { plural: "", kind: "" }, storedVersions: storedVersions(thing) }
      }
    default:
      return thing
  }
}

/** A dry run takes no address, and shows the next one. */
const withAddress = (state: KubernetesState, service: Thing, isDry: boolean): Thing => {
  const spec = objectAt(service, "spec")
  if (spec["type"] === "ExternalName" || stringAt(spec, "clusterIP")) return service
  const address = state.counters.address + 1
  if (!isDry) state.counters.address = address
  const clusterIP = `10.96.${Math.floor(address / 250)}.${(address % 250) + 2}`
  const families = { ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" }
  return { ...service, spec: { ...families, ...spec, clusterIP, clusterIPs: [clusterIP] } }
}

/** Stores a new object and schedules the work of its controllers. */
const store = (state: KubernetesState, resource: string, thing: Thing, now: number): Thing => {
  if (resource === "pods") return begin(state, thing, now)
  if (resource === crdResource) {
    const { metadata } = put(state, resource, established(thing, now), now)
    // The answer comes before the controllers do.
    return withMeta(thing, { resourceVersion: metadata.resourceVersion })
  }
  const stored = put(state, resource, thing, now)
  if (resource === "namespaces") seedNamespace(state, thing.metadata.name, now)
  if (resource === "persistentvolumeclaims") schedule(state, resource, stored, now + provisionMillis)
  return stored
}

/** The default objects of a namespace. Upstream the controllers take a moment to create them. */
const seedNamespace = (state: KubernetesState, namespace: string, now: number): void => {
  const add = (
    resource: string,
    kind: string,
    name: string,
    annotations: Readonly<Record<string, string>>,
    content = {}
  ) =>
    put(
      state,
      resource,
      {
        apiVersion: "v1",
        kind,
        metadata: {
          name,
          namespace,
          uid: randomUUID(),
          resourceVersion: "",
          creationTimestamp: toSecondsUtc(now),
          ...(Object.keys(annotations).length === 0 ? {} : { annotations })
        },
        ...content
      },
      now
    )
  add("serviceaccounts", "ServiceAccount", "default", {})
  add("configmaps", "ConfigMap", "kube-root-ca.crt", rootCertificateNote, { data: { "ca.crt": rootCertificate } })
}
