import type { Caller } from "@portico/contract/Access"
import { NotFound } from "@portico/contract/Failures"
import type { UnitMember } from "@portico/contract/Policy"
import type { CredentialRow } from "@portico/store/Credentials"
import { OrganisationUnits } from "@portico/store/OrganisationUnits"
import { Effect } from "effect"
import { Records } from "../access/Records.ts"
import { projectToChange } from "./scope.ts"

const toWire = ({ credential_id, kind, ou, user_id }: CredentialRow): UnitMember =>
  kind === "member" ? { credential_id: null, user_id, ou } : { credential_id, user_id: null, ou }

/**
 * Moves a live credential (by its id) or a member (by the user's id) into a
 * unit. The policies of the new unit apply from its next call.
 *
 * Errors: 403 by role; 404 for an unknown unit, and for a credential or member
 * that is not the account's.
 */
export const place = Effect.fn("policy.place")(function* (
  caller: Caller,
  project: string | undefined,
  path: string,
  id: string
) {
  const placed = yield* (yield* OrganisationUnits).place(yield* projectToChange(caller, project), id, path)
  if (placed === "no unit") return yield* NotFound.unit(path)
  if (placed === undefined) return yield* NotFound.unitMember(id)
  yield* (yield* Records).forgetMaker(placed)
  return toWire(placed)
})

/** Errors: 403 by role; 404 for a credential or member that is not in that unit. */
export const takeOut = Effect.fn("policy.takeOut")(function* (
  caller: Caller,
  project: string | undefined,
  path: string,
  id: string
) {
  const taken = yield* (yield* OrganisationUnits).takeOut(yield* projectToChange(caller, project), id, path)
  if (taken === undefined) return yield* NotFound.unitMember(id)
  yield* (yield* Records).forgetMaker(taken)
  return toWire(taken)
})
