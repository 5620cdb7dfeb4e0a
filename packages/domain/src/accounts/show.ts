import type { Caller } from "@portico/contract/Access"
import { Effect } from "effect"
import { accountFor, accountOf } from "./view.ts"

/**
 * The account that the caller belongs to, with its projects and its number of members.
 *
 * @param override `?project=`, for platform administrators alone
 *
 * Errors: 403 for the parameter from any other caller; 404 for a project without an account; 409
 * for an administrator without the parameter.
 */
export const showAccount = Effect.fn("accounts.show")(function* (caller: Caller, override: string | undefined) {
  return yield* accountOf(yield* accountFor(caller, override))
})
