import { Option, Result, Schema } from "effect"
import { objectAt, stringAt } from "../../Json.ts"
import type { Answer } from "../../Wire.ts"
import type { World } from "../../World.ts"
import { kindsOf } from "../crds.ts"
import { createFrom } from "../create.ts"
import { type Kind, resourceOf } from "../kinds.ts"
import { remove } from "../remove.ts"
import type { Request } from "../request.ts"
import type { JsonObject, KubernetesState, Meta, OwnerReference, Task, Thing } from "../state.ts"
import { noSuchPath, type Step } from "../status.ts"
import { find, inNamespace, scheduleBy } from "../store.ts"
import { replace } from "../update.ts"
import type { Operator } from "./Operator.ts"

/** One look of an operator at the cluster, at the moment at which it was due. */
export interface Turn {
  readonly world: World
  readonly state: KubernetesState
  readonly now: number
  readonly operator: Operator
}

type Verb = "create" | "update"

const requestOf = (turn: Turn, verb: Verb, kind: Kind, namespace: string, name: string, subresource = ""): Request => {
  const { now, operator, state, world } = turn
  const query = new URLSearchParams({ fieldManager: operator.manager })
  const call = { service: "kubernetes", method: verb === "create" ? "POST" : "PUT", target: "", path: "" } as const
  return {
    incoming: { ...call, query, headers: {}, body: new Uint8Array(), params: {}, world, now, json: undefined },
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

/** The first served version of a resource; nothing once its definition is gone. */
const kindOf = (state: KubernetesState, resource: string): Kind | undefined =>
  kindsOf(state).find((_) => resourceOf(_) === resource)

/** Makes an object by way of admission, quotas and all. */
export const make = (turn: Turn, resource: string, body: JsonObject): Step<Thing> => {
  const kind = kindOf(turn.state, resource)
  if (kind === undefined) return Result.fail(noSuchPath)
  const metadata = objectAt(body, "metadata")
  const namespace = stringAt(metadata, "namespace") ?? ""
  const request = requestOf(turn, "create", kind, namespace, stringAt(metadata, "name") ?? "")
  return Result.map(
    createFrom(request, body, (_) => _),
    (_) => _.thing
  )
}

/** Makes an object unless one of its name is there. */
export const ensure = (turn: Turn, resource: string, body: JsonObject): Step<Thing> => {
  const { name, namespace } = objectAt(body, "metadata")
  const found = find(turn.state, resource, String(namespace), String(name))
  return found === undefined ? make(turn, resource, body) : Result.succeed(found)
}

const write = (turn: Turn, resource: string, before: Thing, after: JsonObject, subresource: string): Step<Thing> => {
  const kind = kindOf(turn.state, resource)
  if (kind === undefined) return Result.fail(noSuchPath)
  const { name, namespace = "" } = before.metadata
  const request = requestOf(turn, "update", kind, namespace, name, subresource)
  return Result.map(replace(request, before, after), (_) => _.thing)
}

/** Puts an object in the place of another, by way of admission, quotas and all. */
export const change = (turn: Turn, resource: string, before: Thing, after: JsonObject): Step<Thing> =>
  write(turn, resource, before, after, "")

/** Writes the status of an object that is there. Nothing happens when it says that already. */
export const writeStatus = (turn: Turn, resource: string, before: Thing, status: JsonObject): Thing =>
  Result.getOrElse(write(turn, resource, before, { ...before, status }, "status"), () => before)

export const removeThing = (turn: Turn, resource: string, thing: Thing): void => {
  remove(turn.state, resource, thing, turn.now)
}

/** Another look at an object no later than that. */
export const lookAgain = (turn: Turn, resource: string, thing: Thing, millis: number, task?: Task): void =>
  scheduleBy(turn.state, resource, thing, turn.now + millis, task)

const decodeStatus = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ message: Schema.String })))

/** The words of the API server's refusal. */
export const wordsOf = ({ body }: Answer): string =>
  Option.match(decodeStatus(body), { onNone: () => String(body), onSome: (_) => _.message })

export const ownedBy = (owner: Thing): OwnerReference & JsonObject => ({
  apiVersion: owner.apiVersion,
  kind: owner.kind,
  name: owner.metadata.name,
  uid: owner.metadata.uid,
  controller: true,
  blockOwnerDeletion: true
})

/** The parts of a namespace that carry a label. */
export const labelled = (
  state: KubernetesState,
  resource: string,
  namespace: string,
  label: string,
  value: string
): ReadonlyArray<Thing> => inNamespace(state, resource, namespace).filter((_) => _.metadata.labels?.[label] === value)

/** Clock milliseconds of the creation, in whole seconds as the API server keeps it. */
export const createdAt = ({ metadata }: { readonly metadata: Meta }): number => Date.parse(metadata.creationTimestamp)

/** What a key of a Secret holds, as text. */
export const secretText = (state: KubernetesState, namespace: string, reference: JsonObject): Option.Option<string> => {
  const secret = find(state, "secrets", namespace, stringAt(reference, "name") ?? "")
  const value = stringAt(objectAt(secret, "data"), stringAt(reference, "key") ?? "")
  return Option.map(Option.fromNullishOr(value), (_) => Buffer.from(_, "base64").toString())
}

export const encoded = (data: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")]))
