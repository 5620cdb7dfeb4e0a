import type { Caller } from "@portico/contract/Access"
import type { Change } from "@portico/domain/events/Lifecycle"
import { billableOf, type Call, type Effected, type Reads } from "./billable.ts"

/** How a call ended. A body that was not read, or is no JSON, is undefined. */
export interface FinishedCall {
  readonly status: number
  readonly requestJson?: unknown
  readonly answerJson?: unknown
}

/** The reads of a call that may change billable life; undefined for every other one. */
export const concernsBilling = (call: Call): Reads | undefined => billableOf(call)?.reads

/**
 * What a call has changed of billable life, one entry a resource: nothing
 * unless the platform said 2xx, and nothing that cannot be told from what was
 * read. Bodies of any shape are fine.
 */
export const lifecycleOf = (call: Call, { answerJson, requestJson, status }: FinishedCall): ReadonlyArray<Effected> => {
  if (status < 200 || status > 299) return []
  return billableOf(call)?.effects(requestJson, answerJson) ?? []
}

/**
 * {@link lifecycleOf} as the changes to record, in order. The project is the
 * caller's; an administrator acts across projects, so that it is then the one
 * that the answer names, if it does.
 */
export const lifecycleChanges = (
  call: Call,
  answered: FinishedCall,
  caller: Caller,
  requestId: string
): ReadonlyArray<Change> =>
  lifecycleOf(call, answered).map(({ detail, kind, project_id, resource_id, resource_type }) => ({
    kind,
    projectId: caller.tenant === null ? project_id : caller.tenant.projectId,
    data: {
      resource_type,
      resource_id,
      detail,
      user_id: caller.userId,
      credential_id: caller.credentialId,
      request_id: requestId
    }
  }))
