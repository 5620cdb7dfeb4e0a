import { Result } from "effect"
import { numberAt, objectAt, stringsAt } from "../Json.ts"
import { type Answer, json, type Step } from "../Wire.ts"
import { thingOf } from "./decode.ts"
import { resourceOf } from "./kinds.ts"
import { remove } from "./finalization.ts"
import type { Request } from "./request.ts"
import { drop, put } from "./store.ts"
import { current } from "./update.ts"

/** `namespaces/finalize`: removes a terminating namespace without finalizers, whatever is left in it. */
export const finalize = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { kind, now, state } = request
    const namespace = yield* current(request)
    const body = yield* thingOf(request.incoming, kind)
    const finalizers = stringsAt(objectAt(body, "spec"), "finalizers") ?? []
    const stored = put(state, resourceOf(kind), { ...namespace, spec: { finalizers } }, now)
    if (stored.metadata.deletionTimestamp !== undefined && finalizers.length === 0) {
      drop(state, resourceOf(kind), stored, now)
    }
    return json(200, stored)
  })

/** `pods/eviction`: a deletion that a disruption budget could refuse; the simulator has none. */
export const evict = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { incoming, kind, now, state } = request
    const pod = yield* current(request)
    const grace = numberAt(objectAt(incoming.json, "deleteOptions"), "gracePeriodSeconds")
    remove(state, resourceOf(kind), pod, now, grace)
    return json(201, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 })
  })
