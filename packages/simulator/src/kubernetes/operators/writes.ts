import { Option, Result, Schema } from "effect"
import { type JsonObject, objectAt, stringAt } from "../../Json.ts"
import { newRequestId } from "../../requestIds.ts"
import type { Answer, Step } from "../../Wire.ts"
import type { World } from "../../World.ts"
import { kindsOf } from "../customResources.ts"
import { createFrom } from "../create.ts"
import { type Kind, resourceOf } from "../kinds.ts"
import { remove } from "../finalization.ts"
import type { Request } from "../request.ts"
import type { KubernetesState, Meta, OwnerReference, Task, Thing } from "../state.ts"
import { noSuchPath } from "../status.ts"
import { find, inNamespace, scheduleBy } from "../store.ts"
import { replace } from "../update.ts"
import type { Operator } from "./Operator.ts"

/** One reconcile pass of an operator, at its due time. */
export interface Pass {
  readonly world: World
  readonly state: KubernetesState
  readonly now: number
  readonly operator: Operator
}

type Verb = "create" | "update"

const requestOf = (pass: Pass, verb: Verb, kind: Kind, namespace: string, name: string, subresource = ""): Request => {
  const { now, operator, state, world } = pass
  const query = new URLSearchParams({ fieldManager: operator.manager })
  const call = { service: "kubernetes", method: verb === "create" ? "POST" : "PUT", target: "", path: "" } as const
  return {
    incoming: {
      ...call,
      query,
      headers: {},
      body: new Uint8Array(),
      params: {},
      world,
      now,
      requestId: newRequestId(),
      json: undefined
    },
    state,
    now,
    who: { name: operator.account, uid: "", groups: ["system:masters", "system:authenticated"], extra: {} },
    kind,
    info: {
      isResource: true,
      verb,
      group: kind.group,
      version: kind.version,
      namespace,
      resource: kind.plural,
      subresource,
      name,
      rest: []
    }
  }
}

/** The first served version of a resource; undefined once its definition is gone. */
const kindOf = (state: KubernetesState, resource: string): Kind | undefined =>
  kindsOf(state).find((_) => resourceOf(_) === resource)

/** Creates an object through admission and quotas. */
export const make = (pass: Pass, resource: string, body: JsonObject): Step<Thing> => {
  const kind = kindOf(pass.state, resource)
  if (kind === undefined) return Result.fail(noSuchPath)
  const metadata = objectAt(body, "metadata")
  const namespace = stringAt(metadata, "namespace") ?? ""
  const request = requestOf(pass, "create", kind, namespace, stringAt(metadata, "name") ?? "")
  return Result.map(
    createFrom(request, body, (_) => _),
    (_) => _.thing
  )
}

/** Creates an object unless one with its name exists. */
export const ensure = (pass: Pass, resource: string, body: JsonObject): Step<Thing> => {
  const { name, namespace } = objectAt(body, "metadata")
  const found = find(pass.state, resource, String(namespace), String(name))
  return found === undefined ? make(pass, resource, body) : Result.succeed(found)
}

const write = (pass: Pass, resource: string, before: Thing, after: JsonObject, subresource: string): Step<Thing> => {
  const kind = kindOf(pass.state, resource)
  if (kind === undefined) return Result.fail(noSuchPath)
  const { name, namespace = "" } = before.metadata
  const request = requestOf(pass, "update", kind, namespace, name, subresource)
  return Result.map(replace(request, before, after), (_) => _.thing)
}

/** Replaces an object through admission and quotas. */
export const change = (pass: Pass, resource: string, before: Thing, after: JsonObject): Step<Thing> =>
  write(pass, resource, before, after, "")

/** Writes an object's status. Equal status changes nothing. */
export const writeStatus = (pass: Pass, resource: string, before: Thing, status: JsonObject): Thing =>
  Result.getOrElse(write(pass, resource, before, { ...before, status }, "status"), () => before)

export const removeThing = (pass: Pass, resource: string, thing: Thing): void => {
  remove(pass.state, resource, thing, pass.now)
}

/** Schedules another pass over an object, no later than the given delay. */
export const requeue = (pass: Pass, resource: string, thing: Thing, millis: number, task?: Task): void =>
  scheduleBy(pass.state, resource, thing, pass.now + millis, task)

const decodeStatus = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ message: Schema.String })))

/** The message of the API server's refusal. */
export const messageOf = ({ body }: Answer): string =>
  Option.match(decodeStatus(body), { onNone: () => String(body), onSome: (_) => _.message })

export const ownedBy = (owner: Thing): OwnerReference & JsonObject => ({
  apiVersion: owner.apiVersion,
  kind: owner.kind,
  name: owner.metadata.name,
  uid: owner.metadata.uid,
  controller: true,
  blockOwnerDeletion: true
})

/** Metadata of an object that an operator creates for an owner, with the labels of its kind. */
export const ownedMeta = (owner: Thing, name: string, labels: Readonly<Record<string, string>>): JsonObject => ({
  name,
  namespace: owner.metadata.namespace,
  labels,
  ownerReferences: [ownedBy(owner)]
})

/** A claim of one volume, of a storage class or of the default one. */
export const newClaim = (metadata: JsonObject, storage: string, storageClass: string | undefined): JsonObject => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata,
  spec: {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage } },
    ...(storageClass === undefined ? {} : { storageClassName: storageClass })
  }
})

/** The objects of a namespace with a label. */
export const labelled = (
  state: KubernetesState,
  resource: string,
  namespace: string,
  label: string,
  value: string
): ReadonlyArray<Thing> => inNamespace(state, resource, namespace).filter((_) => _.metadata.labels?.[label] === value)

/** The creation time in clock milliseconds, in whole seconds as the API server stores it. */
export const createdAt = ({ metadata }: { readonly metadata: Meta }): number => Date.parse(metadata.creationTimestamp)

/** The value of a Secret's key, as text. */
export const secretText = (state: KubernetesState, namespace: string, reference: JsonObject): Option.Option<string> => {
  const secret = find(state, "secrets", namespace, stringAt(reference, "name") ?? "")
  const value = stringAt(objectAt(secret, "data"), stringAt(reference, "key") ?? "")
  return Option.map(Option.fromNullishOr(value), (_) => Buffer.from(_, "base64").toString())
}

export const encoded = (data: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")]))
