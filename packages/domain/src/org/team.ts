import type { Caller } from "@portico/contract/Access"
import { Conflict, Forbidden, NotFound, Unprocessable } from "@portico/contract/Failures"
import type { OrgUser, RemovedUser } from "@portico/contract/Org"
import { pageOf, type PageRequest } from "@portico/contract/Page"
import type { CredentialRow } from "@portico/store/Credentials"
import { memberIdOf } from "@portico/store/memberRows"
import { Members } from "@portico/store/Members"
import { type Human, Humans } from "@portico/upstream/zitadel/Humans"
import { Effect } from "effect"
import { AdminRole } from "../access/AdminRole.ts"
import { badGateway } from "../badGateway.ts"
import { RunToCompletion } from "../work/RunToCompletion.ts"
import { isStampOf, remind, withLogin } from "./login.ts"
import { humansOf, newHuman } from "./row.ts"

/** The project id of the team, which has no project. No project has this id. */
const noProject = ""

/** The team's value for the project names of a member. It is no project's slug: `slugOf` reserves it. */
const teamName = "platform"

/** A platform administrator as lists show it. Such a person has no tenant; only the identity provider has a record. */
const teammateOf = (userId: string, role: string, human: Human | undefined): OrgUser => ({
  user_id: userId,
  display_name: human?.displayName ?? "",
  email: human?.email ?? "",
  roles: [role],
  state: human?.state ?? "USER_STATE_DELETED",
  billing_access: true,
  project_id: null,
  project_name: teamName,
  tenant_name: teamName
})

/** The holders of the administrator's role, sorted by id. The team is small, so every page reads it whole. */
export const listTeam = Effect.fnUntraced(function* (page: PageRequest) {
  const { key } = yield* AdminRole
  const ids = (yield* Effect.mapError((yield* Humans).holders(key), badGateway)).toSorted()
  const { after } = page
  const behind = after === undefined ? ids : ids.filter((_) => _ > after.id)
  const { next_cursor, rows } = pageOf(behind, page, (id) => ({ at: 0, id }))
  const humans = yield* Effect.mapError(humansOf(rows), badGateway)
  return { count: ids.length, next_cursor, users: rows.map((id) => teammateOf(id, key, humans.get(id))) }
})

/**
 * Makes a person a platform administrator. Meanwhile a record exists as for
 * every invitation, so that no other request makes a login of the address, and
 * a sweep removes what was cut short. The record is removed at the end.
 *
 * Errors: 403 for everybody but platform administrators; 409 for a person who
 * is in an account, or has a login that no invitation made; 422 with a project;
 * 502 with the identity provider's message.
 */
export const inviteToTeam = Effect.fnUntraced(function* (
  caller: Caller,
  person: { readonly email: string; readonly displayName: string; readonly project_id: string | undefined }
) {
  if (!caller.admin) return yield* Forbidden.adminRequired()
  if (person.project_id !== undefined) return yield* Unprocessable.projectIdRefused()
  const { displayName, email } = person
  const known = yield* teammate(email)
  if (known !== undefined) return yield* (yield* RunToCompletion).run(reinviteToTeam(known))
  const invited = Effect.gen(function* () {
    const begun = yield* (yield* Members).begin(
      { projectId: noProject, email, displayName, role: "customer", invitedBy: caller.userId },
      Number.MAX_SAFE_INTEGER
    )
    if (begun._tag === "busy") return yield* Conflict.invitationBusy()
    if (begun._tag !== "begun") return yield* Conflict.loginElsewhere()
    return yield* enterTeam(begun.row)
  })
  return yield* (yield* RunToCompletion).run(invited)
})

/**
 * The login of a teammate with this address. People can write a stamp themselves, so it alone counts only while nobody
 * has used the login.
 */
const teammate = Effect.fnUntraced(function* (email: string) {
  const humans = yield* Humans
  const known = yield* humans.findByEmail(email)
  if (known === undefined || !isOfTeam(known)) return undefined
  if (known.state === "USER_STATE_INITIAL") return known
  return (yield* humans.rolesOf(known.userId)).includes((yield* AdminRole).key) ? known : undefined
}, Effect.mapError(badGateway))

/** A login of an earlier invitation that the first search did not find belongs to a teammate: it is invited again. */
const enterTeam = Effect.fnUntraced(function* (row: CredentialRow) {
  const { key } = yield* AdminRole
  const members = yield* Members
  const entered = withLogin(row, key, (login) =>
    Effect.map(members.drop(row), (dropped) => (dropped ? login : undefined))
  )
  const { made, userId } = yield* entered.pipe(
    Effect.catchTags({ Taken: () => Conflict.loginElsewhere(), UpstreamError: badGateway })
  )
  if (!made) return yield* reinviteToTeam({ userId })
  return { ...teammateOf(userId, key, newHuman(row, userId)), created: true as const }
})

const reinviteToTeam = Effect.fnUntraced(function* ({ userId }: Pick<Human, "userId">) {
  const { key } = yield* AdminRole
  yield* Effect.mapError((yield* Humans).setRole(userId, key), badGateway)
  const human = yield* Effect.mapError(remind(userId), badGateway)
  return { ...teammateOf(userId, key, human), created: false as const, credentials_capped: [] }
})

/** Removes a platform administrator's login, if an invitation made it. All others belong to the identity provider. */
export const removeFromTeam = Effect.fnUntraced(function* (caller: Caller, userId: string) {
  const humans = yield* Humans
  const human = yield* Effect.mapError(humans.find(userId), badGateway)
  if (human === undefined) return yield* NotFound.user(userId)
  if (!isOfTeam(human)) {
    const roles = yield* Effect.mapError(humans.rolesOf(userId), badGateway)
    return yield* roles.includes((yield* AdminRole).key) ? Conflict.loginNotMadeHere() : NotFound.user(userId)
  }
  if (userId === caller.userId) return yield* Conflict.ownTeamLogin()
  yield* Effect.mapError(humans.remove(userId), badGateway)
  return { user_id: userId, credentials_revoked: [], webhooks_kept: [], integrations_kept: [] } satisfies RemovedUser
})

const isOfTeam = ({ stamp, userName }: Human): boolean => isStampOf(memberIdOf(noProject, userName), stamp)
