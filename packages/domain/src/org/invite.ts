import type { Caller, PermissionTier } from "@portico/contract/Access"
import { tidied } from "@portico/contract/EmailAddress"
import { Conflict, Forbidden, Unprocessable } from "@portico/contract/Failures"
import type { InviteRequest } from "@portico/contract/Org"
import { tiers } from "@portico/contract/Tiers"
import { type CredentialRow, Credentials, type DerivedRow, type MemberRole } from "@portico/store/Credentials"
import { memberTiers } from "@portico/store/memberRows"
import { Members } from "@portico/store/Members"
import { Humans } from "@portico/upstream/zitadel/Humans"
import { Clock, Effect } from "effect"
import { boundsOfRow, standing } from "../access/bounds.ts"
import { Records } from "../access/Records.ts"
import { badGateway } from "../badGateway.ts"
import { RunToCompletion } from "../work/RunToCompletion.ts"
import { remind, withLogin } from "./login.ts"
import { countMail } from "./mails.ts"
import { accountOf, managesPeople, mayGive, mayTouch } from "./roles.ts"
import { namesOf, newHuman, type ProjectNames, toWire } from "./row.ts"
import { inviteToTeam } from "./team.ts"

/**
 * Invites a person into an account: creates a login, whose initialisation mail
 * goes out, with the role, and a membership. A person who is a member already
 * gets the role of this invitation, and the mail once more as long as the login
 * is not initialised. The tier of that role then caps the credentials that the
 * member minted, and the answer lists them. The role `admin` is another
 * operation: {@link inviteToTeam}.
 *
 * An invitation may be repeated whenever its answer was lost. It runs to its
 * end when the client disconnects.
 *
 * Errors: 403 without the role that manages people, for a role that the caller
 * may not give, and for a new person in a suspended tenant; 404 for any account
 * but the caller's own; 409 when another account has the address's login, when
 * the allowance of credentials or of mails is used up, when the account would
 * lose its last owner, and while another request works on the same person; 422
 * for a platform administrator who names no account; 502 with the identity
 * provider's message, when nothing was changed or the change was taken back.
 */
export const inviteUser = Effect.fn("org.inviteUser")(function* (caller: Caller, request: InviteRequest) {
  const { project_id, role } = request
  if (!managesPeople(caller)) return yield* Forbidden.peopleRole()
  const email = tidied(request.email)
  const displayName = request.display_name?.trim() ?? nameOf(email)
  if (role === "admin") return yield* inviteToTeam(caller, { email, displayName, project_id })
  if (!mayGive(caller, role)) return yield* Forbidden.roleNotGiven(role)
  // A policy may have lowered the caller's tier. The caller gives no more than that.
  const tier = memberTiers[role]
  if (tier > caller.tier) return yield* Forbidden.tierTooLow(undefined, tier, caller.tier)
  const { projectId, tenant } = yield* accountOf(caller, project_id, Unprocessable.projectIdRequired())
  if (tenant !== undefined && tenant.closing.length > 0) return yield* Conflict.closing()

  // An invitation can lower a member's role, which a suspended tenant may do. Adding a new person is a creation.
  const held = yield* (yield* Members).findByEmail(email)
  const isMember = held?.project_id === projectId && held.state !== "minting" && held.state !== "revoked"
  if (caller.tenant?.suspended === true && !isMember) return yield* Forbidden.tenantSuspended()

  const allowance = tiers[tenant?.tier ?? "discovery"].credentials
  const invitation = { projectId, email, displayName, role, invitedBy: caller.userId, ou: caller.ou }
  const invited = Effect.gen(function* () {
    if (held === undefined || (held.project_id === projectId && held.state === "minting"))
      yield* countMail(caller, projectId, email)
    const begun = yield* (yield* Members).begin(invitation, allowance)
    const names = namesOf(tenant)
    switch (begun._tag) {
      case "elsewhere":
        return yield* Conflict.loginElsewhere()
      case "busy":
        return yield* Conflict.invitationBusy()
      case "full":
        return yield* Conflict.credentialAllowance(yield* (yield* Credentials).countLive(projectId), allowance)
      case "member":
        return yield* reinvite(caller, begun.row, role, names)
      case "begun":
        return yield* enter(begun.row, role, names)
    }
  })
  return yield* (yield* RunToCompletion).run(invited)
})

const enter = Effect.fnUntraced(function* (row: CredentialRow, role: MemberRole, names: ProjectNames) {
  const members = yield* Members
  const made = withLogin(row, role, ({ userId }) => members.complete(row, userId))
  const member = yield* made.pipe(
    Effect.catchTags({ Taken: () => Conflict.loginElsewhere(), UpstreamError: badGateway })
  )
  yield* (yield* Records).forget(member.user_id)
  return { ...toWire(member, names, newHuman(member, member.user_id)), created: true as const }
})

const reinvite = Effect.fnUntraced(function* (
  caller: Caller,
  row: CredentialRow,
  role: MemberRole,
  names: ProjectNames
) {
  if (role !== row.role) yield* mayTouch(caller, row)
  const member = role === row.role ? row : yield* changeRole(row, role)
  const credentials_capped = yield* cappedBy(row, member)
  const mail = countMail(caller, row.project_id, row.email)
  // A change of the role is never refused for the sake of the mail.
  const mayMail = role === row.role ? Effect.as(mail, true) : Effect.isSuccess(mail)
  const human = yield* Effect.catchTag(remind(row.user_id, mayMail), "UpstreamError", badGateway)
  return { ...toWire(member, names, human), created: false as const, credentials_capped }
})

/** The active and suspended credentials below the member in the chain of makers whose tier this change lowers. */
const cappedBy = Effect.fnUntraced(function* (before: CredentialRow, { credential_id, tier }: CredentialRow) {
  if (tier >= before.tier) return []
  const credentials = yield* Credentials
  const now = yield* Clock.currentTimeMillis
  const made = yield* credentials.madeBelow(credential_id)
  const above = made.filter((_) => _.tier > tier && _.state !== "revoked")
  const derived = yield* Effect.forEach(above, (_) => credentials.derived({ id: _.credential_id }), { concurrency: 4 })
  return derived.flatMap((_) => (_ !== undefined && isCapped(_, tier, now) ? [_.credential_id] : []))
})

/** Includes credentials that caps further down the chain leave less than this one does. */
const isCapped = (row: DerivedRow, tier: PermissionTier, now: number): boolean =>
  boundsOfRow(row).tier <= tier && ["active", "suspended"].includes(standing(row, now))

/**
 * Writes to the identity provider first, because our record is the one that
 * counts. When our record cannot be changed any more, the write is undone.
 */
const changeRole = Effect.fnUntraced(function* (row: CredentialRow, role: MemberRole) {
  const humans = yield* Humans
  const members = yield* Members
  if (row.role === "customer-owner" && (yield* members.countOwners(row.project_id)) < 2) {
    return yield* Conflict.lastOwner()
  }
  yield* Effect.mapError(humans.setRole(row.user_id, role), badGateway)
  const changed = yield* members.setRole(row, role)
  yield* (yield* Records).forgetMaker(row)
  if (changed === undefined) return yield* Conflict.invitationBusy()
  if (changed !== "last owner") return changed
  yield* Effect.ignore(humans.setRole(row.user_id, row.role ?? role), {
    log: "Warn",
    message: "the role of an account's last owner could not be given back"
  })
  return yield* Conflict.lastOwner()
})

/** The local part of the address as a name: `ann.van-lee` is Ann Van Lee. */
const nameOf = (email: string): string => {
  const words = email
    .slice(0, email.lastIndexOf("@"))
    .split(/[._+-]+/)
    .filter((_) => _ !== "")
  return words.map((_) => `${_.slice(0, 1).toUpperCase()}${_.slice(1)}`).join(" ") || email
}
