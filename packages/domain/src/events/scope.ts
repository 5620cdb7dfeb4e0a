import type { Caller } from "@portico/contract/Access"
import type { EventFilters } from "@portico/contract/EventRoutes"
import { budgetTopic, type TenantTopic, tenantTopics } from "@portico/contract/Events"
import { Conflict, Forbidden, NotFound } from "@portico/contract/Failures"
import { Effect } from "effect"
import type { Plane } from "../health/readiness.ts"

/**
 * The project whose records a caller reads. A tenant reads its own, on either plane. A platform
 * administrator on the operator plane reads all records, including those of anonymous calls, or
 * those of the given project, which need not exist any more.
 *
 * Errors: 404 for a tenant that names another project, and for an id that PostgreSQL has no text for; 409 for an administrator on the customer
 * plane.
 */
export const projectOf = Effect.fnUntraced(function* (caller: Caller, plane: Plane, named: string | undefined) {
  if (caller.tenant !== null) {
    const { projectId } = caller.tenant
    return named === undefined || named === projectId ? projectId : yield* NotFound.tenant(named)
  }
  if (named?.includes("\0") === true) return yield* NotFound.tenant(named)
  return caller.admin && plane === "operator" ? named : yield* Conflict.tenantRequired()
})

/**
 * The project and the topics of the events that a caller receives: budget topics only for callers
 * that may see costs.
 */
export const scopeOf = Effect.fnUntraced(function* (caller: Caller, plane: Plane, { project_id, topic }: EventFilters) {
  const projectId = yield* projectOf(caller, plane, project_id)
  const asked = topic === undefined ? tenantTopics : tenantTopics.filter((_) => topic.includes(_))
  const topics = asked.filter((_) => caller.billing || !isBudgetTopic(_))
  return topics.length === 0 ? yield* Forbidden.billingAccess() : { projectId, topics }
})

const isBudgetTopic = (topic: TenantTopic): boolean => topic === budgetTopic
