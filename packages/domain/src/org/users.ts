import type { Caller } from "@portico/contract/Access"
import { Conflict, Forbidden, Unprocessable } from "@portico/contract/Failures"
import type { UserScope } from "@portico/contract/Org"
import { pageOf, type PageRequest } from "@portico/contract/Page"
import { Members } from "@portico/store/Members"
import { DateTime, Effect } from "effect"
import { badGateway } from "../badGateway.ts"
import { accountOf, managesPeople } from "./roles.ts"
import { humansOf, toWire } from "./row.ts"
import { listTeam } from "./team.ts"

/**
 * The people of one account, of all accounts, or of the platform team, oldest
 * first. Only people who manage people see them, and only platform
 * administrators see more than their own account's.
 *
 * Errors: 403 without the role, for every account or project alike; 404 for any
 * account but the caller's own; 409 for a platform administrator who names no
 * account; 422 for a project together with a scope that has none; 502 with the
 * identity provider's message.
 */
export const listUsers = Effect.fn("org.listUsers")(function* (
  caller: Caller,
  query: { readonly project_id?: string; readonly scope?: UserScope },
  page: PageRequest
) {
  if (!managesPeople(caller)) return yield* Forbidden.peopleRole()
  const scope = query.scope ?? "tenant"
  if (scope === "tenant") {
    const { projectId } = yield* accountOf(caller, query.project_id, Conflict.tenantRequired())
    return yield* listMembers(projectId, page)
  }
  if (!caller.admin) return yield* Forbidden.adminRequired()
  if (query.project_id !== undefined) return yield* Unprocessable.projectIdRefused()
  return yield* scope === "platform" ? listTeam(page) : listMembers(undefined, page)
})

const listMembers = Effect.fnUntraced(function* (projectId: string | undefined, page: PageRequest) {
  const found = yield* (yield* Members).page(projectId, page)
  const { next_cursor, rows } = pageOf(found.rows, page, (_) => ({
    at: DateTime.toEpochMillis(_.created_at),
    id: _.credential_id
  }))
  const humans = yield* Effect.mapError(humansOf(rows.map((_) => _.user_id)), badGateway)
  const users = rows.map((row) => toWire(row, row, humans.get(row.user_id)))
  return { count: found.count, next_cursor, users }
})
