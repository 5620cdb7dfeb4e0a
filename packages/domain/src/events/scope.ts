import type { Caller } from "@portico/contract/Access"
import type { EventFilters } from "@portico/contract/EventRoutes"
import { budgetTopic, type TenantTopic, tenantTopics } from "@portico/contract/Events"
import { Conflict, Forbidden, NotFound } from "@portico/contract/Failures"
import { Effect } from "effect"
import type { Plane } from "../health/readiness.ts"

/**
 * Whose records a caller reads: a tenant's its own, whichever plane it is on;
 * a platform administrator's, on the operator plane, are all there are, those
 * of calls of nobody known too, or those of the project that is named. It need
 * not exist any longer.
 *
 * Errors: 404 for a tenant that names another project; 409 for an administrator on the customer plane.
 */
export const projectOf = Effect.fnUntraced(function* (caller: Caller, plane: Plane, named: string | undefined) {
  if (caller.tenant !== null) {
    const { projectId } = caller.tenant
    return named === undefined || named === projectId ? projectId : yield* NotFound.tenant(named)
  }
  return caller.admin && plane === "operator" ? named : yield* Conflict.tenantRequired()
})

/** Whose events a caller hears of, and of which topics: those of money only for those who may see it. */
export const scopeOf = Effect.fnUntraced(function* (caller: Caller, plane: Plane, { project_id, topic }: EventFilters) {
  const projectId = yield* projectOf(caller, plane, project_id)
  const asked = topic === undefined ? tenantTopics : tenantTopics.filter((_) => topic.includes(_))
  const topics = asked.filter((_) => caller.billing || !isOfMoney(_))
  return topics.length === 0 ? yield* Forbidden.billingAccess() : { projectId, topics }
})

const isOfMoney = (topic: TenantTopic): boolean => topic === budgetTopic
