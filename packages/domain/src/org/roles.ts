import type { Caller } from "@portico/contract/Access"
import { Conflict, Forbidden, NotFound, type Unprocessable } from "@portico/contract/Failures"
import type { CredentialRow, MemberRole } from "@portico/store/Credentials"
import { Tenants, type TenantEntry } from "@portico/store/Tenants"
import { Humans } from "@portico/upstream/zitadel/Humans"
import { Effect } from "effect"
import { AdminRole } from "../access/AdminRole.ts"
import { badGateway } from "../badGateway.ts"

/** Owners, customer-admins and platform administrators manage people. */
export const managesPeople = ({ admin, role }: Caller): boolean =>
  admin || role === "customer-owner" || role === "customer-admin"

/**
 * Whether the caller may give the role. Only a platform administrator makes
 * owners, so no member gives more than it has or raises its own role.
 */
export const mayGive = (caller: Caller, role: MemberRole): boolean =>
  caller.admin || (managesPeople(caller) && role !== "customer-owner")

/**
 * The account that a call is about: the caller's own, or the one that a
 * platform administrator names. Any other account is a 404, whether or not it
 * exists.
 *
 * @param unnamed the failure for a platform administrator who names none
 */
export const accountOf = Effect.fnUntraced(function* <E extends Conflict | Unprocessable>(
  caller: Caller,
  projectId: string | undefined,
  unnamed: E
) {
  const own = caller.tenant?.projectId
  if (!caller.admin) {
    if (own === undefined || (projectId !== undefined && projectId !== own)) return yield* absent(projectId)
    return { projectId: own, tenant: yield* (yield* Tenants).find(own) } satisfies Account
  }
  if (projectId === undefined) return yield* Effect.fail(unnamed)
  const tenant = yield* (yield* Tenants).find(projectId)
  return tenant === undefined ? yield* absent(projectId) : ({ projectId, tenant } satisfies Account)
})

interface Account {
  readonly projectId: string
  /** Undefined for a project of the static tenant map. */
  readonly tenant: TenantEntry | undefined
}

const absent = (projectId: string | undefined) => NotFound.project(projectId ?? "")

/**
 * Fails unless the caller may change or remove this member. Only an owner or a
 * platform administrator changes an owner, and only a platform administrator
 * changes a member who holds the platform's administrator role.
 */
export const mayTouch = Effect.fnUntraced(function* (caller: Caller, row: CredentialRow) {
  if (caller.admin) return
  if (row.role === "customer-owner" && caller.role !== "customer-owner") return yield* Forbidden.ownerRequired()
  const roles = yield* Effect.mapError((yield* Humans).rolesOf(row.user_id), badGateway)
  if (roles.includes((yield* AdminRole).key)) return yield* Forbidden.adminRequired()
})
