import type { Caller } from "@portico/contract/Access"
import type { Account, AccountRow } from "@portico/contract/Accounts"
import { Conflict, Forbidden, NotFound } from "@portico/contract/Failures"
import { withWords } from "@portico/contract/formerWords"
import { type AccountEntry, Accounts } from "@portico/store/Accounts"
import { DateTime, Effect } from "effect"
import { isoOrNull } from "../isoOrNull.ts"
import { ClosureWindow } from "./ClosureWindow.ts"

/**
 * The account that the caller belongs to, with its projects and its number of members.
 *
 * @param override `?project=`, for platform administrators alone
 *
 * Errors: 403 for the parameter from any other caller; 404 for a project without an account; 409
 * for an administrator without the parameter.
 */
export const showAccount = Effect.fn("accounts.show")(function* (caller: Caller, override: string | undefined) {
  return yield* toWire(yield* accountFor(caller, override))
})

const shown = Effect.fnUntraced(function* (entry: AccountEntry) {
  return {
    number: entry.number,
    name: entry.name,
    state: entry.state,
    created_at: DateTime.formatIso(entry.created_at),
    window_days: entry.window_days ?? (yield* ClosureWindow).days,
    closed_at: isoOrNull(entry.closed_at),
    closed_by: entry.closed_by,
    reason: entry.reason,
    closes_at: isoOrNull(entry.closes_at),
    destroying: entry.destroyer !== null && entry.state === "closing"
  }
})

/** An account as its members see it. */
export const toWire = Effect.fnUntraced(function* (entry: AccountEntry) {
  const accounts = yield* Accounts
  return {
    ...(yield* shown(entry)),
    projects: yield* accounts.projects(entry.number),
    members: yield* accounts.members(entry.number)
  } satisfies Account
})

/** An account as operators see it in a list. */
export const toRow = Effect.fnUntraced(function* (entry: AccountEntry) {
  const { attempts, destroyed_at, destroyed_projects, projects, refusal, refused_at, state } = entry
  return {
    ...(yield* shown(entry)),
    projects: (state === "destroyed" ? destroyed_projects : projects).map((project_id) => ({ project_id })),
    destroyed_at: isoOrNull(destroyed_at),
    finalized_by: entry.finalized_by,
    finalize_reason: entry.finalize_reason,
    attempts,
    refusal:
      refusal === null || refused_at === null
        ? null
        : withWords({ message: refusal, at: DateTime.formatIso(refused_at) })
  } satisfies AccountRow
})

/**
 * The account of the caller's project; for a platform administrator the account of the project that
 * `?project=` names. The 403 for the parameter from any other caller is the same whether or not the
 * project exists.
 */
export const accountFor = Effect.fnUntraced(function* (caller: Caller, override: string | undefined) {
  if (override !== undefined && !caller.admin) return yield* Forbidden.projectOverride()
  const projectId = override ?? caller.tenant?.projectId
  if (projectId === undefined) return yield* Conflict.tenantRequired()
  const entry = yield* (yield* Accounts).findByProject(projectId)
  return entry ?? (yield* NotFound.project(projectId))
})

/** Parses an account number from a path. PostgreSQL's `integer` holds no larger ones. */
export const numberOf = (written: string): Effect.Effect<number, NotFound<"account_not_found">> =>
  /^[1-9]\d{0,8}$/.test(written) ? Effect.succeed(Number(written)) : Effect.fail(NotFound.account(written))
