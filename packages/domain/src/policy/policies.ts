import type { Caller } from "@portico/contract/Access"
import { areas } from "@portico/contract/areas"
import { Invalid, NotFound } from "@portico/contract/Failures"
import type { ValidationIssue } from "@portico/contract/failures/bodies"
import { pageOf, type PageRequest } from "@portico/contract/Page"
import { type AccessPolicy, denyLevels, type PolicyRequest } from "@portico/contract/Policy"
import { Policies, type PolicyRow } from "@portico/store/Policies"
import { DateTime, Effect } from "effect"
import { Records } from "../access/Records.ts"
import { meaningOf } from "../access/limits.ts"
import { projectOf, projectToChange } from "./scope.ts"

const toWire = ({ created_at, denies, max_tier, ou, updated_at, updated_by }: PolicyRow): AccessPolicy => ({
  ou,
  max_tier,
  denies,
  created_at: DateTime.formatIso(created_at),
  updated_at: DateTime.formatIso(updated_at),
  updated_by
})

/** The policies of an account, oldest first. Errors: those of {@link projectOf}. */
export const listPolicies = Effect.fn("policy.listPolicies")(function* (
  caller: Caller,
  project: string | undefined,
  page: PageRequest
) {
  const { count, rows } = yield* (yield* Policies).list(yield* projectOf(caller, project), page)
  const at = pageOf(rows, page, (_) => ({ at: DateTime.toEpochMillis(_.created_at), id: _.id }))
  return { count, next_cursor: at.next_cursor, policies: at.rows.map(toWire) }
})

/**
 * Creates or replaces the policy of one unit, or of the whole account. A
 * missing field imposes no limit. The policy applies from the next call of
 * every credential and member below, in every process.
 *
 * Errors: 403 by role; 404 for an unknown unit; 422 that lists the areas when a
 * deny names none of them.
 */
export const putPolicy = Effect.fn("policy.put")(function* (
  caller: Caller,
  project: string | undefined,
  { denies = [], max_tier, ou }: PolicyRequest
) {
  const project_id = yield* projectToChange(caller, project)
  const issues = denies.flatMap(issuesOf)
  if (issues.length > 0) return yield* Invalid.issues(issues)
  const put = yield* (yield* Policies).put({
    project_id,
    ou,
    max_tier: max_tier ?? null,
    denies: [...new Set(denies)],
    updated_by: caller.userId
  })
  if (put === undefined) return yield* NotFound.unit(ou)
  yield* forget(project_id)
  return toWire(put)
})

/** Errors: 403 by role; 404 when there is none. */
export const removePolicy = Effect.fn("policy.remove")(function* (
  caller: Caller,
  project: string | undefined,
  ou: string
) {
  const projectId = yield* projectToChange(caller, project)
  const removed = yield* (yield* Policies).remove(projectId, ou)
  if (removed === undefined) return yield* NotFound.policy(ou)
  yield* forget(projectId)
  return toWire(removed)
})

/** Applies the change in this process at once, without waiting for the notification. */
const forget = (projectId: string) => Effect.flatMap(Records, (_) => _.forgetProject(projectId))

const listOf = (words: ReadonlyArray<string>): string => `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`

const levels = listOf(Object.keys(denyLevels).map((_) => `':${_}'`))
const expected = `an area, alone or with one of ${levels} behind it; the areas are ${listOf(areas.map((_) => `'${_}'`))}`

const issuesOf = (deny: string, index: number): ReadonlyArray<ValidationIssue> => {
  const meaning = meaningOf(deny)
  return meaning !== undefined && areas.includes(meaning.area)
    ? []
    : [{ loc: ["body", "denies", index], msg: `Input should be ${expected}`, type: "literal_error" }]
}
