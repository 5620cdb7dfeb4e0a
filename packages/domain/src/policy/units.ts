import type { Caller } from "@portico/contract/Access"
import { Conflict, NotFound } from "@portico/contract/Failures"
import { pageOf, type PageRequest } from "@portico/contract/Page"
import { type OrganisationUnit, parentOf } from "@portico/contract/Policy"
import { type Occupants, OrganisationUnits, type UnitRow } from "@portico/store/OrganisationUnits"
import { DateTime, Effect } from "effect"
import { projectOf, projectToChange } from "./scope.ts"

const toWire = ({ created_at, created_by, parent, path }: UnitRow): OrganisationUnit => ({
  path,
  parent,
  created_at: DateTime.formatIso(created_at),
  created_by
})

/** The units of an account, oldest first. Errors: those of {@link projectOf}. */
export const listUnits = Effect.fn("policy.listUnits")(function* (
  caller: Caller,
  project: string | undefined,
  page: PageRequest
) {
  const { count, rows } = yield* (yield* OrganisationUnits).list(yield* projectOf(caller, project), page)
  const at = pageOf(rows, page, (_) => ({ at: DateTime.toEpochMillis(_.created_at), id: _.id }))
  return { count, next_cursor: at.next_cursor, ous: at.rows.map(toWire) }
})

/** Errors: 403 by role; 404 when the parent unit does not exist; 409 when the unit exists already. */
export const createUnit = Effect.fn("policy.createUnit")(function* (
  caller: Caller,
  project: string | undefined,
  path: string
) {
  const project_id = yield* projectToChange(caller, project)
  const made = yield* (yield* OrganisationUnits).insert({ project_id, path, created_by: caller.userId })
  if (made === "orphan") return yield* NotFound.unit(parentOf(path) ?? "")
  if (made === "taken") return yield* Conflict.unitTaken(path)
  return toWire(made)
})

/**
 * Removes an empty unit. Its content is not moved up silently, because other
 * policies would apply to it there.
 *
 * Errors: 403 by role; 404; 409 that says what the unit still has.
 */
export const removeUnit = Effect.fn("policy.removeUnit")(function* (
  caller: Caller,
  project: string | undefined,
  path: string
) {
  const removed = yield* (yield* OrganisationUnits).remove(yield* projectToChange(caller, project), path)
  if (removed === undefined) return yield* NotFound.unit(path)
  if ("path" in removed) return toWire(removed)
  return yield* Conflict.unitOccupied(path, wordsOf(removed))
})

const wordsOf = ({ members, policy, units }: Occupants): string =>
  [
    ...(units > 0 ? [`units below it (${units})`] : []),
    ...(members > 0 ? [`credentials or members in it (${members})`] : []),
    ...(policy ? ["an access policy"] : [])
  ].join(", ")
