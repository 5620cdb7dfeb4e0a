import { containersIn } from "../pods.ts"
import type { JsonObject } from "../state.ts"
import { stamp } from "../store.ts"

export interface Condition {
  readonly type: string
  readonly status: "True" | "False" | "Unknown"
  readonly reason: string
  readonly message: string
}

/** A status with a condition in it; the time of it changes only with the condition's status. */
export const withCondition = (
  status: JsonObject,
  condition: Condition,
  now: number,
  more: JsonObject = {}
): JsonObject => {
  const all = containersIn(status, "conditions")
  const known = all.find((_) => _["type"] === condition.type)
  const since = known?.["status"] === condition.status ? known["lastTransitionTime"] : stamp(now)
  const next = { ...condition, ...more, lastTransitionTime: since }
  const conditions = known === undefined ? [...all, next] : all.map((_) => (_ === known ? next : _))
  return { ...status, conditions }
}

export const withoutCondition = (status: JsonObject, type: string): JsonObject => ({
  ...status,
  conditions: containersIn(status, "conditions").filter((_) => _["type"] !== type)
})

export const conditionOf = (status: JsonObject, type: string): JsonObject | undefined =>
  containersIn(status, "conditions").find((_) => _["type"] === type)
