import type { Caller } from "@portico/contract/Access"
import type { Change } from "@portico/domain/events/Lifecycle"
import { billableOf, type Call, type Effected, type Reads } from "./billable.ts"

/** The outcome of a call. A body that was not read, or is not JSON, is undefined. */
export interface FinishedCall {
  readonly status: number
  readonly requestJson?: unknown
  readonly answerJson?: unknown
}

/** The bodies to read for a call that may change billable resources; undefined for every other call. */
export const concernsBilling = (call: Call): Reads | undefined => billableOf(call)?.reads

/**
 * The billable changes of a call, one entry a resource. Empty unless the platform answered 2xx, and for changes that
 * the bodies do not show. Bodies of any shape are accepted.
 */
export const lifecycleOf = (call: Call, { answerJson, requestJson, status }: FinishedCall): ReadonlyArray<Effected> => {
  if (status < 200 || status > 299) return []
  return billableOf(call)?.effects(requestJson, answerJson) ?? []
}

/**
 * {@link lifecycleOf} as the changes to record, in order. The project is the caller's. An administrator acts across
 * projects, so for an administrator it is the project that the answer names, if any.
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
