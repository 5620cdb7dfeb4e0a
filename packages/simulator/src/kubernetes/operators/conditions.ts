import { type JsonObject, objectsAt } from "../../Json.ts"
import { toSecondsUtc } from "../../times.ts"

export interface Condition {
  readonly type: string
  readonly status: "True" | "False" | "Unknown"
  readonly reason: string
  readonly message: string
}

/** A status with a condition; its transition time changes only with the condition's status. */
export const withCondition = (
  status: JsonObject,
  condition: Condition,
  now: number,
  more: JsonObject = {}
): JsonObject => {
  const all = objectsAt(status, "conditions")
  const known = all.find((_) => _["type"] === condition.type)
  const since = known?.["status"] === condition.status ? known["lastTransitionTime"] : toSecondsUtc(now)
  const next = { ...condition, ...more, lastTransitionTime: since }
  const conditions = known === undefined ? [...all, next] : all.map((_) => (_ === known ? next : _))
  return { ...status, conditions }
}

export const withoutCondition = (status: JsonObject, type: string): JsonObject => ({
  ...status,
  conditions: objectsAt(status, "conditions").filter((_) => _["type"] !== type)
})

export const conditionOf = (status: JsonObject, type: string): JsonObject | undefined =>
  objectsAt(status, "conditions").find((_) => _["type"] === type)
